import { createHash } from 'node:crypto';
import { type AccountId, type Id, type IdKind, idWithBody } from '@mailproof/shared-types';

/** The stored state of work that survives the process that does it (ADR 0066). */
export interface Work {
  readonly accountId: AccountId;
  /** Consecutive failed steps that are our fault. */
  readonly failedAttempts: number;
  /** When the work last made progress. */
  readonly movedAt: Date;
  /** Increases with every change; a change based on an older version has no effect. */
  readonly version: number;
}

/**
 * The result of a step. `more`: there is more to do now. `waits`: there is nothing to do for a while, and another job
 * continues the work in time. `ended`: there is nothing left to do, or the work does not exist.
 */
export type Advance = 'more' | 'waits' | 'ended';

/** When the next job of the work is due. A waiting job that no worker has taken is moved forward if this is sooner. */
export interface NextJob {
  readonly waitMs: number;
}

export type CreatedWork<Item> =
  | { readonly kind: 'created'; readonly record: Item }
  /** An earlier request with the same key created it. */
  | { readonly kind: 'repeated'; readonly record: Item }
  | { readonly kind: 'tooMany' };

/** Where work of one kind is stored. */
export interface WorkStore<Id, Item extends Work, Change, New> {
  /** Stores work and its first job, unless the account has `activeMax` running. */
  create(record: New, activeMax: number): Promise<CreatedWork<Item>>;
  find(id: Id): Promise<Item | undefined>;
  findOf(accountId: AccountId, id: Id): Promise<Item | undefined>;
  /** How much work of an account is running. */
  countActive(accountId: AccountId): Promise<number>;
  /** Changes work and stores its next job. Undefined, without any effect, if it has changed since it was read. */
  change(record: Item, change: Change, nextJob?: NextJob): Promise<Item | undefined>;
  /** Adds a job for work that has none and has not moved since then; returns how many were added. */
  sweep(stillSince: Date): Promise<number>;
}

/** Work changes with every step; an attempt succeeds between two steps. */
const triesMax = 50;

/** Repeats an attempt to change work until the attempt is based on the current version and returns a result. */
export async function untilChanged<Result>(attempt: () => Promise<Result | undefined>): Promise<Result> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const result = await attempt();
    if (result !== undefined) {
      return result;
    }
  }
  throw new Error(`The work changed ${triesMax} times while it was being changed.`);
}

/** Makes a worker the runner of work that has not ended; the previous runner stops between two steps. */
export function takeOver<Id, Item extends Work>(
  store: {
    find(id: Id): Promise<Item | undefined>;
    change(record: Item, change: { readonly runner: string }): Promise<Item | undefined>;
  },
  id: Id,
  runner: string,
  hasEnded: (record: Item) => boolean,
): Promise<Item | null> {
  return untilChanged(async () => {
    const record = (await store.find(id)) ?? null;
    return record === null || hasEnded(record) ? record : store.change(record, { runner });
  });
}

export interface StepOptions {
  /** Whether an error means that a dependency is unavailable. */
  readonly isUnavailable: (error: unknown) => boolean;
  /** Aborted when the service stops: another process then continues between two steps. */
  readonly stopping: AbortSignal;
}

/** Takes step after step. A step that fails is recorded and thrown, so that the job is retried. */
export async function takeSteps(
  step: () => Promise<Advance>,
  noteFault: (isUnavailable: boolean) => Promise<void>,
  { isUnavailable, stopping }: StepOptions,
): Promise<Exclude<Advance, 'more'>> {
  for (;;) {
    if (stopping.aborted) {
      throw new Error('The service is stopping; another process continues the work.');
    }
    try {
      const advance = await step();
      if (advance !== 'more') {
        return advance;
      }
    } catch (error) {
      // A step that our own stop has interrupted did not fail.
      if (!stopping.aborted) {
        await noteFault(isUnavailable(error));
      }
      throw error;
    }
  }
}

/** Work fails after this many consecutive failed steps that are our fault. */
const failedAttemptsMax = 5;
/** Work that has not moved for this long, because a dependency is unavailable, fails, in milliseconds. */
const standsStillMsMax = 86_400_000;

/**
 * Judges a failed step. An unavailable dependency does not count as a fault: the work waits for it, up to a day from
 * its last progress or from the end of its last pause.
 */
export function judgeFault(
  work: Pick<Work, 'failedAttempts' | 'movedAt'> & { readonly resumesAt?: Date | null },
  isUnavailable: boolean,
  now: Date,
): 'retry' | 'count' | 'timed_out' | 'could_not_continue' {
  if (!isUnavailable) {
    return work.failedAttempts + 1 >= failedAttemptsMax ? 'could_not_continue' : 'count';
  }
  const lastMs = Math.max(work.movedAt.getTime(), work.resumesAt?.getTime() ?? 0);
  return now.getTime() - lastMs > standsStillMsMax ? 'timed_out' : 'retry';
}

/** Derives an id from an `Idempotency-Key`, so that a repeated request finds the work of the first one. */
export function idOfKey<Kind extends IdKind>(
  kind: Kind,
  accountId: AccountId,
  keyHash: Uint8Array,
): Id<Kind> {
  const digest = createHash('sha256').update(accountId).update(keyHash).digest('hex');
  return idWithBody(kind, digest.slice(0, 32));
}
