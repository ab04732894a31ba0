import { setTimeout } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { PeopleIndexStatus } from '../../domain/people-search/people-index.ts';
import { countRecords, lastChangeNo, StoreFollower } from '../people-index/follow-store.ts';
import { EngineCopy } from './engine-copy.ts';
import {
  createPeopleIndex,
  deleteIndex,
  FeedClaim,
  type FeedState,
  peopleIndices,
  readFeedState,
  searchedIndex,
  searchOnly,
} from './feed-claim.ts';
import type { SearchEngine } from './open-engine.ts';
import type { EngineNames } from './people-mapping.ts';
import { buildLock, feedLock, withLock } from './session-lock.ts';

export interface FeedOptions {
  readonly engine: SearchEngine;
  readonly names: EngineNames;
  readonly shards: number;
  readonly pool: Pool;
  readonly signal: AbortSignal;
  /** How long removals stay recorded; an index that was not fed for longer cannot catch up. */
  readonly removalDays: number;
}

/** A filled index catches up until a round takes less than this, but at most so many rounds. */
const caughtUpMs = 2_000;
const catchUpRoundsMax = 20;
/** A fill saves its position after so many people. */
const peoplePerSave = 20_000;
/** How often a replica that does not feed tries to. */
const lockPauseMs = 5_000;
/** How often indices are looked for that neither searches nor a fill use any more. */
const leftoversEveryMs = 3_600_000;
const retryPausesMs = { first: 500, longest: 30_000 } as const;
const dayMs = 86_400_000;

/**
 * Keeps the searched index up to date, if no other replica does, until the signal is aborted. Failures are reported and
 * repeated: each attempt claims the index again, so that what a failed one left on its way is refused.
 */
export async function feedPeople(
  options: FeedOptions & { readonly intervalMs: number; readonly onFailure: (error: Error) => void },
): Promise<void> {
  const { engine, names, pool, signal, onFailure } = options;
  let retryPauseMs: number = retryPausesMs.first;
  while (!signal.aborted) {
    let pauseMs = 0;
    try {
      const fed = await withLock(pool, feedLock, async assertHeld => {
        const index = await searchedIndex(engine, names);
        if (index === undefined) {
          return buildPeople(options);
        }
        await follow(options, index, async () => {
          await assertHeld();
          retryPauseMs = retryPausesMs.first;
        });
        return true;
      });
      // Otherwise another replica feeds, or an operator's command fills the first index.
      pauseMs = fed === undefined ? lockPauseMs : 0;
    } catch (error) {
      if (!signal.aborted) {
        onFailure(error as Error);
      }
      pauseMs = retryPauseMs;
      retryPauseMs = Math.min(retryPauseMs * 2, retryPausesMs.longest);
    }
    await pause(pauseMs, signal);
  }
}

/** Feeds an index round by round, as long as it is the one that is searched. */
async function follow(
  options: FeedOptions & { readonly intervalMs: number },
  index: string,
  beforeRound: () => Promise<void>,
): Promise<void> {
  const { engine, names, pool, signal, intervalMs } = options;
  const claim = await FeedClaim.of(engine, names, index);
  if (!(await canContinue(options, claim.state))) {
    await buildPeople(options);
    return;
  }
  const copy = new EngineCopy(engine, pool, index, () => claim.state.round + 1);
  const follower = StoreFollower.resume(pool, copy, claim.state.readUpTo);
  let lookedAt = 0;
  while (!signal.aborted && (await searchedIndex(engine, names)) === index) {
    const startedAt = Date.now();
    await beforeRound();
    await runRound(claim, copy, follower);
    if (startedAt - lookedAt >= leftoversEveryMs) {
      await deleteLeftovers(options);
      lookedAt = startedAt;
    }
    await pause(Math.max(intervalMs, Date.now() - startedAt), signal);
  }
}

/** Whether an index can still catch up with the store. */
async function canContinue({ pool, removalDays }: FeedOptions, state: FeedState): Promise<boolean> {
  const isFresh = Date.now() - Date.parse(state.readAt) < (removalDays * dayMs) / 2;
  // Otherwise the store was restored to an earlier time: what the index has may never have happened.
  return isFresh && state.readUpTo <= (await lastChangeNo(pool));
}

async function runRound(claim: FeedClaim, copy: EngineCopy, follower: StoreFollower): Promise<void> {
  const readAt = new Date().toISOString();
  await follower.refresh();
  const people = copy.isDirty ? await afterRefresh(copy) : claim.state.people;
  await claim.save({ round: claim.state.round + 1, readUpTo: follower.readUpTo, people, readAt });
}

async function afterRefresh(copy: EngineCopy): Promise<number> {
  await copy.refresh();
  return copy.count();
}

/**
 * Fills another index than the one that is searched, or continues an unfinished one, catches up with the store, and lets
 * searches use it. Returns the number of people; undefined if another process is filling an index.
 */
export async function buildPeople(
  options: FeedOptions,
  onProgress: (people: number, peopleExpected: number) => void = () => undefined,
): Promise<number | undefined> {
  return withLock(options.pool, buildLock, async assertHeld => {
    const { engine, names, pool, signal } = options;
    const index =
      (await unfinishedIndex(options)) ?? (await createPeopleIndex(engine, names, options.shards));
    const claim = await FeedClaim.of(engine, names, index);
    const copy = new EngineCopy(engine, pool, index, () => claim.state.round + 1);
    const isNew = claim.state.peopleExpected === 0;
    const readAt = isNew ? new Date().toISOString() : claim.state.readAt;
    const follower = isNew
      ? await StoreFollower.begin(pool, copy, ms => pause(ms, signal))
      : StoreFollower.resume(pool, copy, claim.state.readUpTo);
    const peopleExpected = await countRecords(pool, 2 ** 31 - 1);
    await claim.save({ readUpTo: follower.readUpTo, peopleExpected, readAt });
    let unsaved = 0;
    await follower.fill(claim.state.filledTo ?? 0, async (filledTo, people) => {
      signal.throwIfAborted();
      unsaved += people;
      if (unsaved >= peoplePerSave) {
        await assertHeld();
        await claim.save({ filledTo, people: claim.state.people + unsaved });
        unsaved = 0;
        onProgress(claim.state.people, peopleExpected);
      }
    });
    for (let round = 0, isFar = true; isFar && round < catchUpRoundsMax; round += 1) {
      signal.throwIfAborted();
      const startedAt = Date.now();
      await runRound(claim, copy, follower);
      isFar = Date.now() - startedAt > caughtUpMs;
    }
    await claim.save({ filledTo: null });
    await searchOnly(engine, names, index);
    return claim.state.people;
  });
}

/** Returns the state of the index that is searched or, before there is one, of the one that is filled. */
export async function readEngineStatus(
  engine: SearchEngine,
  names: EngineNames,
): Promise<Exclude<PeopleIndexStatus, { readonly state: 'failed' }>> {
  const searched = await searchedIndex(engine, names);
  const state = searched === undefined ? undefined : await readFeedState(engine, names, searched);
  if (state) {
    const { people, readAt, readUpTo } = state;
    return { state: 'ready', people, isFull: false, refreshedAt: new Date(readAt), readUpTo };
  }
  const [filling] = await peopleIndices(engine, names);
  const filled = filling === undefined ? undefined : await readFeedState(engine, names, filling);
  return { state: 'loading', people: filled?.people ?? 0, peopleExpected: filled?.peopleExpected ?? 0 };
}

/** Returns the newest index that is not searched, was not filled to the end, and can still be. */
async function unfinishedIndex(options: FeedOptions): Promise<string | undefined> {
  const { engine, names } = options;
  const searched = await searchedIndex(engine, names);
  for (const index of (await peopleIndices(engine, names)).reverse()) {
    if (index !== searched && (await canBeFinished(options, index))) {
      return index;
    }
  }
  return undefined;
}

async function canBeFinished(options: FeedOptions, index: string): Promise<boolean> {
  const state = await readFeedState(options.engine, options.names, index);
  return state !== undefined && state.filledTo !== null && (await canContinue(options, state));
}

/**
 * Deletes indices that no one searches or can finish, such as one whose deletion failed: people who are removed would
 * stay in them. While another process fills an index, nothing is deleted.
 */
async function deleteLeftovers(options: FeedOptions): Promise<void> {
  const { engine, names, pool } = options;
  await withLock(pool, buildLock, async () => {
    const searched = await searchedIndex(engine, names);
    for (const index of searched === undefined ? [] : await peopleIndices(engine, names)) {
      if (index !== searched && !(await canBeFinished(options, index))) {
        await deleteIndex(engine, names, index);
      }
    }
  });
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => undefined);
}
