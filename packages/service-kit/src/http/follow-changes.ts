import { setTimeout as sleep } from 'node:timers/promises';
import { type AccountId, limits } from '@mailproof/shared-types';
import { Problem } from '../problem.ts';
import { createFollowers } from './followers.ts';
import type { RequestContext } from './route.ts';

/** A record whose version changes with every change. */
export interface Versioned {
  readonly version: number;
}

/** A followed subject and the form of its events. */
export interface Followed<Subject extends Versioned> {
  /** Reads the current version; undefined if it no longer exists. */
  readonly find: () => Promise<Subject | undefined>;
  readonly hasEnded: (subject: Subject) => boolean;
  /** Name of the events; `answer` returns their data. */
  readonly event: string;
  readonly answer: (subject: Subject) => unknown;
}

/** Follows a subject for a request, until the subject has ended, the client disconnects, or the service stops. */
export type Follow = <Subject extends Versioned>(
  accountId: AccountId,
  context: Pick<RequestContext<unknown>, 'header' | 'signal'>,
  followed: Followed<Subject>,
) => AsyncIterable<string>;

const pollMs = 400;
const silentMsMax = 15_000;

/** Allows `limits.runFollowersMax` followers per account, each for `limits.runFollowedMsMax`. */
export function createFollow(options: { readonly stopping: AbortSignal; readonly now: () => Date }): Follow {
  const followers = createFollowers(limits.runFollowersMax);
  return (accountId, context, followed) => {
    const leave = followers.enter(accountId);
    if (!leave) {
      throw new Problem('too_many_followers', { headers: { 'retry-after': '5' } });
    }
    // The follower must leave even if no reader ever starts.
    context.signal.addEventListener('abort', leave, { once: true });
    const signal = AbortSignal.any([context.signal, options.stopping]);
    const seenVersion = readVersion(context.header('last-event-id'));
    return leavingAfter(asEvents(followed, tellChanges(followed, seenVersion, signal, options.now)), leave);
  };
}

type News<Subject> =
  | { readonly kind: 'changed'; readonly subject: Subject }
  /** No change for some time; sent so that no proxy drops the connection as idle. */
  | { readonly kind: 'silence' };

/** Yields each change as the whole subject, read from the store, so that a missed change loses nothing. */
async function* tellChanges<Subject extends Versioned>(
  { find, hasEnded }: Followed<Subject>,
  seenVersion: number,
  signal: AbortSignal,
  now: () => Date,
): AsyncGenerator<News<Subject>> {
  const endsAtMs = now().getTime() + limits.runFollowedMsMax;
  let seen = seenVersion;
  // The first event is sent immediately, so that the answer starts even if nothing has changed.
  let toldAtMs = 0;
  while (!signal.aborted && now().getTime() < endsAtMs) {
    const subject = await find();
    if (subject && subject.version > seen) {
      seen = subject.version;
      toldAtMs = now().getTime();
      yield { kind: 'changed', subject };
    } else if (now().getTime() - toldAtMs >= silentMsMax) {
      toldAtMs = now().getTime();
      yield { kind: 'silence' };
    }
    if (!subject || hasEnded(subject)) {
      return;
    }
    await sleep(pollMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Formats server-sent events (HTML standard, section 9.2.5), where a line that begins with a colon is a comment. */
async function* asEvents<Subject extends Versioned>(
  { event, answer }: Followed<Subject>,
  news: AsyncIterable<News<Subject>>,
): AsyncGenerator<string> {
  for await (const each of news) {
    yield each.kind === 'silence'
      ? ': still there\n\n'
      : `id: ${each.subject.version}\nevent: ${event}\ndata: ${JSON.stringify(answer(each.subject))}\n\n`;
  }
}

/** Treats an id that none of our events can have as absent. */
function readVersion(lastEventId: string | undefined): number {
  return /^\d{1,9}$/.test(lastEventId ?? '') ? Number(lastEventId) : 0;
}

async function* leavingAfter(events: AsyncIterable<string>, leave: () => void): AsyncGenerator<string> {
  try {
    yield* events;
  } finally {
    leave();
  }
}
