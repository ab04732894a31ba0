import {
  endAccountRuns,
  endingOf,
  type RunChange as PaidChange,
  type PaidRun,
  type RunPorts as PaidRunPorts,
  type RunPorts,
  type RunStore,
  type RunWork,
} from '@mailproof/durable-work';
import type {
  AccountId,
  CompanyId,
  CreatorId,
  DiscoveryRunId,
  DiscoverySearchId,
  PersonId,
  RunFailure,
  RunState,
  SavedListId,
  SearchKind,
} from '@mailproof/shared-types';

/** A stored paid run of a search. */
export interface Run extends PaidRun, DeliveredRun {
  readonly runId: DiscoveryRunId;
  readonly kind: SearchKind;
  readonly state: RunState;
  readonly requested: number;
  /** Credits for each delivered record. */
  readonly price: number;
  readonly position: string | null;
  readonly delivered: number;
  readonly failure: RunFailure | null;
  readonly hasMore: boolean | null;
  readonly createdBy: CreatorId;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
}

/** The fields that an update of a run may set. */
export type RunChange = Omit<PaidChange, 'state'> &
  Partial<Pick<Run, 'state' | 'position' | 'delivered' | 'hasMore' | 'startedAt' | 'movedAt'>>;

/** The part of a run that deliveries use. */
function deliveredRunOf({ runId, searchId, accountId, query, listId }: Run): DeliveredRun {
  return { runId, searchId, accountId, query, listId };
}

/** Reads runs for display. */
export interface RunViews {
  find(accountId: AccountId, runId: DiscoveryRunId): Promise<Run | undefined>;
  /** Newest first. Throws `invalid_cursor`. */
  list(
    accountId: AccountId,
    request: {
      readonly search_id?: DiscoverySearchId | undefined;
      readonly kind?: SearchKind | undefined;
      readonly state?: RunState | undefined;
      readonly cursor?: string | undefined;
      readonly limit: number;
    },
  ): Promise<{ readonly runs: Run[]; readonly nextCursor: string | undefined }>;
}

/**
 * Deletes a batch of a deleted account's data: first cancels and settles its runs, so that none continues to save
 * people, then deletes rows.
 */
export async function forgetAccount<Transaction>(
  ports: RunPorts<Run, Transaction> & {
    readonly findActive: (accountId: AccountId) => Promise<readonly Run[]>;
    readonly forgetRows: (accountId: AccountId) => Promise<{ deleted: number; remaining: boolean }>;
  },
  accountId: AccountId,
): Promise<{ deleted: number; remaining: boolean }> {
  const haveEnded = await endAccountRuns(ports, accountId);
  return haveEnded ? ports.forgetRows(accountId) : { deleted: 0, remaining: true };
}

/** What a delivery needs to know about its run. */
export interface DeliveredRun {
  readonly runId: DiscoveryRunId;
  readonly searchId: DiscoverySearchId;
  readonly accountId: AccountId;
  /** The locked query of the search, in the format of its kind. */
  readonly query: unknown;
  readonly listId: SavedListId | null;
}

/** A request for the next records to deliver. */
export interface ChunkRequest {
  readonly run: DeliveredRun;
  /** Where the previous chunk ended, in the format of the search's kind; undefined for the first chunk. */
  readonly position: string | undefined;
  /** The maximum number of records to deliver; at least one. */
  readonly wanted: number;
}

/**
 * Records that were found but not yet delivered. `save` makes them durable in the transaction that moves the run's
 * position, so that a run that is killed has either both or neither.
 */
export interface FoundChunk<Transaction> {
  /** Where the next chunk begins: after every record of this one, saved or not. */
  readonly position: string;
  /** True if this is the last chunk. */
  readonly isExhausted: boolean;
  /** Whether the search has more to deliver after the last chunk, which it may have if records were chosen. */
  readonly hasMore?: boolean;
  /**
   * Saves at most `wanted` records, each with the run's ID, and returns the number of rows inserted. Records that the
   * account already had, or that have since been removed, are not counted. Runs again if its transaction failed.
   */
  save(transaction: Transaction): Promise<number>;
}

/** The size of a search's result. */
export interface SearchExtent {
  /** Records that match. */
  readonly matching: number;
  /** Matching records that the account does not have; a run would charge for them. */
  readonly deliverable: number;
  /** Where a run of chosen records begins, in the format of the search's kind; absent if none were chosen. */
  readonly position?: string;
}

/** How one kind of search delivers the records of a paid run. */
export interface RunDelivery<Transaction> {
  readonly kind: SearchKind;
  /** Credits for each delivered record. */
  readonly price: number;
  /** The operation that starts a run, recorded as the cause in the ledger. */
  readonly cause: string;
  /** The maximum number of records in one chunk. */
  readonly chunkMax: number;
  /** Counts what a run could deliver, before its start; with `chosen`, which of these records. */
  measure(
    search: Omit<DeliveredRun, 'runId' | 'listId'>,
    chosen?: readonly (PersonId | CompanyId)[],
  ): Promise<SearchExtent>;
  /** Looks up the next records, outside of any transaction. */
  findNext(chunk: ChunkRequest): Promise<FoundChunk<Transaction>>;
  /** Counts the rows with the run's ID; the run is charged for these. */
  countDelivered(transaction: Transaction, run: DeliveredRun): Promise<number>;
}

export interface DeliverPorts<Transaction> {
  readonly runs: RunStore<Run, Transaction, RunChange>;
  readonly deliveryOf: (kind: SearchKind) => RunDelivery<Transaction>;
  readonly now: () => Date;
}

/** Delivers paid runs chunk by chunk; each chunk commits together with the run's position. */
export function createDiscoveryWork<Transaction>(
  ports: DeliverPorts<Transaction>,
): RunWork<Run, Transaction> {
  const work: RunWork<Run, Transaction> = {
    causeOf: ({ kind }) => ports.deliveryOf(kind).cause,
    deliver: run => deliverChunk({ ...ports, work }, run),
    async tally(run, transaction) {
      const delivered = await ports.deliveryOf(run.kind).countDelivered(transaction, deliveredRunOf(run));
      // Until the last chunk says otherwise, the run stopped before the end of its search.
      return { delivered, charge: delivered * run.price, hasMore: true } satisfies RunChange;
    },
  };
  return work;
}

async function deliverChunk<Transaction>(
  ports: DeliverPorts<Transaction> & Pick<PaidRunPorts<Run, Transaction>, 'work'>,
  run: Run,
): Promise<'more'> {
  const delivery = ports.deliveryOf(run.kind);
  const wanted = Math.min(delivery.chunkMax, run.requested - run.delivered);
  const found = await delivery.findNext({
    run: deliveredRunOf(run),
    position: run.position ?? undefined,
    wanted: Math.max(1, wanted),
  });
  await ports.runs.changeWith(run, async transaction => {
    const at = ports.now();
    const delivered = run.delivered + (await found.save(transaction));
    const moved: RunChange = {
      state: 'running',
      startedAt: run.startedAt ?? at,
      position: found.position,
      delivered,
      failedAttempts: 0,
      movedAt: at,
    };
    if (delivered < run.requested && !found.isExhausted) {
      return moved;
    }
    return {
      ...moved,
      ...(await endingOf(ports, run, transaction, 'succeeded')),
      hasMore: found.hasMore ?? !found.isExhausted,
    };
  });
  return 'more';
}
