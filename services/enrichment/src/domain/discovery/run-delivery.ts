import type {
  AccountId,
  DiscoveryRunId,
  DiscoverySearchId,
  SavedListId,
  SearchKind,
} from '@mailproof/shared-types';

/** A run as whoever delivers for it has to know it. */
export interface DeliveredRun {
  readonly runId: DiscoveryRunId;
  readonly searchId: DiscoverySearchId;
  readonly accountId: AccountId;
  /** What the search asks, as it was locked; of the kind's own form. */
  readonly query: unknown;
  readonly listId: SavedListId | null;
}

/** What to deliver next. */
export interface ChunkRequest {
  readonly run: DeliveredRun;
  /** Where the chunk before ended, as the kind itself said it; undefined ahead of the first. */
  readonly position: string | undefined;
  /** Records that may be delivered at most; at least one. */
  readonly wanted: number;
}

/**
 * Records that have been found and not been delivered. `save` makes them durable in the transaction that moves the
 * run's position, so that a run that is killed has either both or neither.
 */
export interface FoundChunk<Transaction> {
  /** Where the next chunk begins. Past every record of this one, saved or not. */
  readonly position: string;
  /** True when nothing comes after this chunk. */
  readonly isExhausted: boolean;
  /**
   * Saves at most `wanted` records, each with the run's id, and answers how many rows came to be: records that the
   * account had, or that are gone meanwhile, are not among them. Runs again when its transaction failed.
   */
  save(transaction: Transaction): Promise<number>;
}

/** How much of a search there is. */
export interface SearchExtent {
  /** Records that match. */
  readonly matching: number;
  /** Those of them that the account does not have, and that a run would charge for. */
  readonly deliverable: number;
}

/** How one kind of search delivers what a run has paid for. */
export interface RunDelivery<Transaction> {
  readonly kind: SearchKind;
  /** Credits for each delivered record. */
  readonly price: number;
  /** The operation that starts a run, as the ledger's cause. */
  readonly cause: string;
  /** Records of one chunk. */
  readonly chunkMax: number;
  /** Counts what a run could deliver, ahead of its start. */
  measure(search: Omit<DeliveredRun, 'runId' | 'listId'>): Promise<SearchExtent>;
  /** Looks up what comes next, outside of any transaction. */
  findNext(chunk: ChunkRequest): Promise<FoundChunk<Transaction>>;
  /** Counts the rows that name the run: this is what it is charged for. */
  countDelivered(transaction: Transaction, run: DeliveredRun): Promise<number>;
}
