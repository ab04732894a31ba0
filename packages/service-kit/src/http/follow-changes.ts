import { setTimeout as sleep } from 'node:timers/promises';
import { type AccountId, limits } from '@mailproof/shared-types';
import { Problem } from '../problem.ts';
import { createFollowers } from './followers.ts';
import type { RequestContext } from './route.ts';

/** A record that says by its version whether it has changed. */
export interface Versioned {
  readonly version: number;
}

/** What is followed, and how its changes are told. */
export interface Followed<Subject extends Versioned> {
  /** Reads it anew; undefined where it is gone. */
  readonly find: () => Promise<Subject | undefined>;
  readonly hasEnded: (subject: Subject) => boolean;
  /** The name of an event, and its data. */
  readonly event: string;
  readonly answer: (subject: Subject) => unknown;
}

/** Follows on behalf of a request, until the subject has ended, the client has gone, or the service stops. */
export type Follow = <Subject extends Versioned>(
  accountId: AccountId,
  context: Pick<RequestContext<unknown>, 'header' | 'signal'>,
  followed: Followed<Subject>,
) => AsyncIterable<string>;

const lookEveryMs = 400;
const silentMsMax = 15_000;

/** Lets so many followers in for each account (`limits.runFollowersMax`), each for `limits.runFollowedMsMax`. */
export function createFollow(options: { readonly stopping: AbortSignal; readonly now: () => Date }): Follow {
  const followers = createFollowers(limits.runFollowersMax);
  return (accountId, context, followed) => {
    const leave = followers.enter(accountId);
    if (!leave) {
      throw new Problem('too_many_followers', { headers: { 'retry-after': '5' } });
    }
    // Whether or not anybody begins to read.
    context.signal.addEventListener('abort', leave, { once: true });
    const signal = AbortSignal.any([context.signal, options.stopping]);
    const seenVersion = readVersion(context.header('last-event-id'));
    return leavingAfter(asEvents(followed, tellChanges(followed, seenVersion, signal, options.now)), leave);
  };
}

type News<Subject> =
  | { readonly kind: 'changed'; readonly subject: Subject }
  /** Nothing has changed for some time; sent so that nobody in between takes the connection for dead. */
  | { readonly kind: 'silence' };

/** Each change is the subject whole, read from the store, so that nothing is lost by missing one. */
async function* tellChanges<Subject extends Versioned>(
  { find, hasEnded }: Followed<Subject>,
  seenVersion: number,
  signal: AbortSignal,
  now: () => Date,
): AsyncGenerator<News<Subject>> {
  const endsAtMs = now().getTime() + limits.runFollowedMsMax;
  let seen = seenVersion;
  // At once, so that the answer begins even where there is nothing new to tell.
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
    await sleep(lookEveryMs, undefined, { signal }).catch(() => undefined);
  }
}

/** As the HTML standard has server-sent events (section 9.2.5): a line that begins with a colon means nothing. */
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

/** What no event of ours has had for its id is as good as none. */
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
