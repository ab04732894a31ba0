import { holdToStart, idOfKey, type RequestKey, type RunPorts } from '@mailproof/durable-work';
import {
  type AccountId,
  type CompanyId,
  type CreatorId,
  type DiscoveryRunId,
  type DiscoverySearchId,
  type HoldId,
  isSandboxAccount,
  newId,
  type PersonId,
  type RequestId,
  type SavedListId,
  type SearchKind,
} from '@mailproof/shared-types';
import type { DeliverPorts, Run, SearchExtent } from './run.ts';

/** The part of a search that a run needs. */
export interface RunnableSearch {
  readonly searchId: DiscoverySearchId;
  readonly kind: SearchKind;
  readonly query: unknown;
}

export interface RunRequest {
  readonly accountId: AccountId;
  readonly creatorId: CreatorId;
  readonly searchId: DiscoverySearchId;
  readonly kind: SearchKind;
  /** The number of records requested; `all` means everything available, up to `recordsMax`. */
  readonly records: number | 'all';
  readonly recordsMax: number;
  /** The records to deliver, if they were chosen from the preview. */
  readonly chosen?: readonly (PersonId | CompanyId)[] | undefined;
  readonly listId: SavedListId | null;
  /** Null if there is a key: a repeated request for a hold must be identical. */
  readonly requestId: RequestId | null;
  /** From the `Idempotency-Key`, if present. */
  readonly key: RequestKey | null;
}

/** A new run, with its hold. */
export type NewRun = Pick<
  Run,
  | 'runId'
  | 'searchId'
  | 'accountId'
  | 'query'
  | 'requested'
  | 'price'
  | 'holds'
  | 'holdAmount'
  | 'listId'
  | 'createdBy'
  | 'requestId'
  | 'position'
> & { readonly holdId: HoldId; readonly holdExpiresAt: Date; readonly key: RunRequest['key'] };

export type CreateOutcome =
  | { readonly kind: 'created'; readonly run: Run }
  /** Another request with the same key was faster. */
  | { readonly kind: 'keyUsed' }
  | { readonly kind: 'runActive' }
  | { readonly kind: 'tooManyRuns' }
  | { readonly kind: 'searchChanged' };

export interface StartRunPorts<Transaction>
  extends Pick<RunPorts<Run, Transaction>, 'credits' | 'events'>,
    Pick<DeliverPorts<Transaction>, 'deliveryOf'> {
  readonly starts: {
    findSearch(accountId: AccountId, searchId: DiscoverySearchId): Promise<RunnableSearch | undefined>;
    findByKey(
      accountId: AccountId,
      keyHash: Uint8Array,
    ): Promise<{ readonly run: Run; readonly requestHash: Uint8Array } | undefined>;
    findActive(searchId: DiscoverySearchId): Promise<Run | undefined>;
    /** Whether the account has reached its maximum of active runs. */
    hasMostRuns(accountId: AccountId): Promise<boolean>;
    hasList(accountId: AccountId, listId: SavedListId, kind: SearchKind): Promise<boolean>;
    /**
     * Locks the search and stores the run and its job in one step; stores nothing if the search has changed since it
     * was measured, or if another run of it is active.
     */
    create(run: NewRun): Promise<CreateOutcome>;
  };
}

export type StartOutcome =
  | { readonly kind: 'started' | 'repeated'; readonly run: Run }
  | { readonly kind: 'keyReused' | 'searchNotFound' | 'listNotFound' | 'nothingToDeliver' }
  | { readonly kind: 'runActive'; readonly runId: DiscoveryRunId | undefined }
  | { readonly kind: 'tooManyRuns' | 'searchChanged' }
  | { readonly kind: 'tooFewCredits'; readonly required: number; readonly available: number };

/** Starts a paid run: measures what is available, reserves its credits and locks the search (ADR 0033). */
export async function startRun<Transaction>(
  ports: StartRunPorts<Transaction>,
  request: RunRequest,
): Promise<StartOutcome> {
  const earlier = await findEarlier(ports, request);
  if (earlier) {
    return earlier;
  }
  const outcome = await startAnew(ports, request);
  // The conflict may be with the run of a concurrent identical request that was faster.
  return outcome.kind === 'started' ? outcome : ((await findEarlier(ports, request)) ?? outcome);
}

async function startAnew<Transaction>(
  ports: StartRunPorts<Transaction>,
  request: RunRequest,
): Promise<StartOutcome> {
  const { accountId, searchId, kind, listId } = request;
  const search = await ports.starts.findSearch(accountId, searchId);
  if (search?.kind !== kind) {
    return { kind: 'searchNotFound' };
  }
  const active = await ports.starts.findActive(searchId);
  if (active) {
    return { kind: 'runActive', runId: active.runId };
  }
  // Also checked before the hold: the number of holds per key is limited, and the request is retried until it succeeds.
  if (await ports.starts.hasMostRuns(accountId)) {
    return { kind: 'tooManyRuns' };
  }
  if (listId !== null && !(await ports.starts.hasList(accountId, listId, kind))) {
    return { kind: 'listNotFound' };
  }
  const delivery = ports.deliveryOf(kind);
  const extent = await delivery.measure({ accountId, searchId, query: search.query }, request.chosen);
  const requested = recordsOf(request, extent);
  if (requested === 0) {
    return { kind: 'nothingToDeliver' };
  }
  return reserveAndCreate(ports, request, {
    search,
    position: extent.position ?? null,
    requested,
    price: isSandboxAccount(accountId) ? 0 : delivery.price,
    cause: delivery.cause,
  });
}

function recordsOf({ records, recordsMax }: RunRequest, { deliverable }: SearchExtent): number {
  return Math.min(records === 'all' ? recordsMax : records, recordsMax, deliverable);
}

async function findEarlier<Transaction>(
  { starts }: StartRunPorts<Transaction>,
  { accountId, key }: RunRequest,
): Promise<StartOutcome | undefined> {
  const earlier = key ? await starts.findByKey(accountId, key.hash) : undefined;
  if (!earlier || !key) {
    return undefined;
  }
  return Buffer.from(key.requestHash).equals(earlier.requestHash)
    ? { kind: 'repeated', run: earlier.run }
    : { kind: 'keyReused' };
}

interface Order {
  readonly search: RunnableSearch;
  readonly position: string | null;
  readonly requested: number;
  readonly price: number;
  readonly cause: string;
}

async function reserveAndCreate<Transaction>(
  ports: StartRunPorts<Transaction>,
  request: RunRequest,
  order: Order,
): Promise<StartOutcome> {
  const runId = request.key
    ? idOfKey('discoveryRun', request.accountId, request.key.hash)
    : newId('discoveryRun');
  const holdAmount = order.requested * order.price;
  const hold = await holdToStart(ports.credits, {
    runId,
    accountId: request.accountId,
    requestId: request.requestId,
    amount: holdAmount,
    cause: order.cause,
  });
  switch (hold.kind) {
    case 'refused':
      return { kind: 'tooFewCredits', required: holdAmount, available: hold.available };
    case 'over':
      return { kind: 'searchChanged' };
    case 'held':
      return create(ports, request, {
        runId,
        searchId: request.searchId,
        accountId: request.accountId,
        query: order.search.query,
        position: order.position,
        requested: order.requested,
        price: order.price,
        holds: hold.holds,
        holdAmount,
        holdId: hold.holdId,
        holdExpiresAt: hold.expiresAt,
        listId: request.listId,
        createdBy: request.creatorId,
        requestId: request.requestId,
        key: request.key,
      });
  }
}

async function create<Transaction>(
  ports: StartRunPorts<Transaction>,
  request: RunRequest,
  run: NewRun,
): Promise<StartOutcome> {
  const outcome = await ports.starts.create(run);
  switch (outcome.kind) {
    case 'created':
      ports.events.runStarted(outcome.run);
      return { kind: 'started', run: outcome.run };
    case 'keyUsed': {
      const earlier = await findEarlier(ports, request);
      const used = earlier && 'run' in earlier && earlier.run?.holdId === run.holdId;
      if (!used) {
        await ports.credits.release(run.holdId);
      }
      return earlier ?? { kind: 'searchChanged' };
    }
    case 'runActive':
      await ports.credits.release(run.holdId);
      return { kind: 'runActive', runId: undefined };
    default:
      await ports.credits.release(run.holdId);
      return { kind: outcome.kind };
  }
}
