import type { Deadline } from '../../deadline.ts';
import type { Finding } from '../open-session.ts';
import { rcptLine } from '../transaction.ts';
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
  /** The number of its question: the later, the greater. */
  turn: number;
  /** How often it was asked so far. */
  tries: number;
  /** What the host said the last time, where that was doubted. */
  doubted: Finding | undefined;
  /** The opening of the session in which it was asked last. */
  opening: Transcript;
  /** What was said about it so far. */
  readonly said: Exchange[];
  isSettled: boolean;
  /** Told where the host takes long to connect. */
  readonly onSlow: (() => void) | undefined;
  /** Gives the answer, the first time; later answers are lost. A promise that rejects stands for a fault of ours. */
  settle(answer: RecipientAnswer | Promise<never>): void;
}

/** The session's own account of a deadline that has passed tells more, so it gets a moment to come in. */
const graceMs = 50;

/**
 * @param onDone told the answer, once
 * @param outOfTime makes the answer where the deadline comes first
 */
export function createPending(
  question: RecipientQuestion,
  deadline: Deadline,
  sinceMs: number,
  onDone: (pending: Pending, answer: RecipientAnswer | Promise<never>) => void,
  outOfTime: (pending: Pending) => RecipientAnswer,
  onSlow?: () => void,
): Pending {
  const expire = () => pending.settle(outOfTime(pending));
  const timer = setTimeout(expire, deadline.remainingMs() + graceMs);
  const pending: Pending = {
    question,
    deadline,
    sinceMs,
    alone: question.alone,
    fresh: question.fresh === true,
    turn: 0,
    tries: 0,
    doubted: undefined,
    opening: [],
    said: [],
    isSettled: false,
    onSlow,
    settle(answer) {
      if (!pending.isSettled) {
        pending.isSettled = true;
        clearTimeout(timer);
        deadline.signal.removeEventListener('abort', expire);
        onDone(pending, answer);
      }
    },
  };
  deadline.signal.addEventListener('abort', expire, { once: true });
  return pending;
}

/** The answer of a recipient whose time ran out while it was being asked about. */
export function unansweredInFlight({ opening, said, question }: Pending): RecipientAnswer {
  const asked: Exchange = { ...rcptLine(question), outcome: { kind: 'failure', failure: 'timeout' } };
  return { kind: 'ended', stage: 'rcpt', finding: 'timeout', opening, transcript: [...said, asked] };
}
