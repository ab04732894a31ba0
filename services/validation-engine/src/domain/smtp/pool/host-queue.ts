import type { Deadline } from '../../deadline.ts';
import type { Finding } from '../open-session.ts';
import type { Session } from '../session.ts';
import type { Exchange, Transcript } from '../transcript.ts';
import type { RecipientAnswer, RecipientQuestion } from './recipient-asker.ts';

/** A question under way. */
export interface Pending {
  readonly question: RecipientQuestion;
  readonly deadline: Deadline;
  readonly sinceMs: number;
  /** Has to have a transaction of its own. */
  alone: boolean;
  /** Has to be the first recipient of its session. */
  fresh: boolean;
  /** How often it was asked so far. */
  tries: number;
  /** What the host said the last time, where that was doubted. */
  doubted: Finding | undefined;
  /** The opening of the session in which it was asked last. */
  opening: Transcript;
  /** What was said about it so far. */
  readonly said: Exchange[];
  isSettled: boolean;
  settle(answer: RecipientAnswer | Promise<never>): void;
}

/** What a host taught us. Forgotten when nobody has asked about it for a while. */
export interface Lessons {
  /** Refusals that it takes in one session. */
  refusalsMax: number;
  /** Recipients that it takes in one transaction. */
  recipientsMax: number;
  /** False once TLS was offered and failed. */
  useTls: boolean;
  /** False once a fresh session was blocked as well. */
  doubtBlocks: boolean;
  /** Findings about later recipients of a transaction that were found to be meant. */
  readonly confirmed: Set<Finding>;
}

/** Everything that is under way at one network address. */
export interface HostQueue {
  readonly address: string;
  waiting: Pending[];
  readonly inFlight: Set<Pending>;
  readonly lessons: Lessons;
  /** Sessions that are being opened. */
  opening: number;
  /** Sessions that are open and not about to end. */
  open: number;
  /** Wakes sessions that have nothing to do: true for work, false to end them. */
  readonly idle: ((hasWork: boolean) => void)[];
  /** Aborted when nobody waits any more. */
  abandonment: AbortController;
  patience: NodeJS.Timeout | undefined;
}

/**
 * Takes the questions that a session can put next, in the order in which they came, as transactions: each of one
 * domain, and none longer than the host likes.
 */
export function takeFlight(
  queue: HostQueue,
  session: Pick<Session, 'asked'>,
  recipientsPerFlightMax: number,
): Pending[][] {
  const first = session.asked() === 0 ? queue.waiting.find(({ fresh }) => fresh) : undefined;
  const others = queue.waiting.filter(({ fresh }) => !fresh);
  const taken = (first === undefined ? others : [first, ...others]).slice(0, recipientsPerFlightMax);
  const transactions: Pending[][] = [];
  for (const pending of taken) {
    const shared = pending.alone
      ? undefined
      : transactions.find(open => open.length < queue.lessons.recipientsMax && open.every(fits(pending)));
    if (shared === undefined) {
      transactions.push([pending]);
    } else {
      shared.push(pending);
    }
  }
  const gone = new Set(taken);
  queue.waiting = queue.waiting.filter(pending => !gone.has(pending));
  return transactions;
}

/** Some hosts take one destination at a time: 451-4.3.0 Multiple destination domains per transaction is unsupported. */
function fits({ question }: Pending): (other: Pending) => boolean {
  return other =>
    !other.alone &&
    other.question.domain === question.domain &&
    other.question.international === question.international;
}
