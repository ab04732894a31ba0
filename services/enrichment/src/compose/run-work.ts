import { setTimeout as sleep } from 'node:timers/promises';
import { isStoreAway, Problem } from '@mailproof/service-kit';
import { type AccountId, type DiscoveryRunId, limits } from '@mailproof/shared-types';
import { followRun, type RunNews } from '../domain/discovery/follow-run.ts';
import { createFollowers } from '../domain/discovery/followers.ts';
import type { RunViews } from '../domain/discovery/run-views.ts';
import { PeopleIndexUnavailable } from '../domain/people-search/people-index.ts';
import type { OpenRunNews } from '../http/follow-discovery-run.ts';

/** Whether something that a run needs is away, so that waiting for it makes sense. */
export function isAway(error: unknown): boolean {
  return (
    (error instanceof Problem && error.code === 'service_unavailable') ||
    error instanceof PeopleIndexUnavailable ||
    isStoreAway(error)
  );
}

/** Opens the news of runs, for so many followers an account, until the service stops. */
export function createRunNews(options: {
  readonly find: RunViews['find'];
  readonly stopping: AbortSignal;
  readonly now: () => Date;
}): OpenRunNews {
  const followers = createFollowers(limits.runFollowersMax);
  const wait = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => undefined);
  const ports = { find: options.find, now: options.now, wait };
  return async (accountId: AccountId, runId: DiscoveryRunId, seenVersion, signal) => {
    if (!(await options.find(accountId, runId))) {
      return undefined;
    }
    const leave = followers.enter(accountId);
    if (!leave) {
      return 'tooMany';
    }
    // Whether or not anybody begins to read.
    signal.addEventListener('abort', leave, { once: true });
    const either = AbortSignal.any([signal, options.stopping]);
    const request = { accountId, runId, seenVersion, msMax: limits.runFollowedMsMax, signal: either };
    return leavingAfter(followRun(ports, request), leave);
  };
}

async function* leavingAfter(news: AsyncIterable<RunNews>, leave: () => void): AsyncGenerator<RunNews> {
  try {
    yield* news;
  } finally {
    leave();
  }
}
