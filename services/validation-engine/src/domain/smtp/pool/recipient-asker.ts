import type { Deadline } from '../../concurrency/deadline.ts';
import type { SmtpFailure } from '../connection.ts';
import type { Finding } from '../conversation.ts';
import { type Heard, type Recipient, rcptLine } from '../transaction.ts';
import type { Exchange, Transcript } from '../transcript.ts';
import type { Steadiness } from './steadiness.ts';

/** A question to one mail host about one recipient. */
export interface RecipientQuestion extends Recipient {
  /** The host's network address, which the guard has allowed. */
  readonly address: string;
  /** Name of the host, for TLS; undefined for a literal. */
  readonly serverName: string | undefined;
  /** For hosts that dislike several recipients in one transaction. */
  readonly alone: boolean;
  /** Made up, and asked about last on purpose, so its late position is no reason to doubt its refusal. */
  readonly cover?: boolean;
  /** Accepted before, and asked about again in the flight of a cover of its domain, where it takes no room. */
  readonly repeated?: boolean;
  /** Names a cover and the repeated questions that must share its flight; undefined if any cover of the domain will do. */
  readonly together?: string | undefined;
  /** Must be the first recipient of its session, so that nothing said before it explains its answer. */
  readonly fresh?: boolean;
}

export type RecipientAnswer =
  | { readonly kind: 'not_connected'; readonly failure: SmtpFailure }
  | (Said &
      (
        | Exclude<Heard, { kind: 'unreached' | 'answered' }>
        | (Extract<Heard, { kind: 'answered' }> & {
            /** Its position in the transaction may explain an acceptance: the host has refused no recipient there. */
            readonly inCompany: boolean;
            /** The counts of its depth in which the host has so far refused no recipient as late in a session as this one. */
            readonly lateBy?: () => readonly string[];
            /** True if this network address has lately accepted a recipient of the domain, so it has its mailboxes. */
            readonly knowsDomain?: boolean;
            /** How long the host recently took over a reply, in milliseconds. */
            readonly replyMs?: number;
            /** Whether a flight to the host has room for repeated questions, as far as is known by now. */
            readonly hasRoomForRepeats?: () => boolean;
            /** Whether the host's answers about the domain follow the names of recipients, as far as is known by now. */
            readonly steadiness?: () => Steadiness;
          })
        /** The local part needs SMTPUTF8 and the host does not offer it. */
        | { readonly kind: 'smtputf8_unsupported'; readonly transcript: Transcript }
      ));

/** What was said in the session, without the transcript of the recipient. */
interface Said {
  /** The greeting and the introductions, shared by all questions of the session. */
  readonly opening: Transcript;
  /** Within a session, later questions have greater numbers; undefined if the question was not asked. */
  readonly turn?: number;
}

/**
 * Asks again without other recipients if an acceptance may be due to that of another, at a host that has not yet been
 * seen to tell recipients apart after an acceptance. The transcript keeps what was said so far.
 */
export async function askApart(
  asker: RecipientAsker,
  question: RecipientQuestion,
  answer: RecipientAnswer,
  deadline: Deadline,
): Promise<RecipientAnswer> {
  if (answer.kind !== 'answered' || answer.finding !== 'accepted' || !answer.inCompany) {
    return answer;
  }
  return askAgain(asker, { ...question, alone: true }, answer, deadline);
}

/** Asks a second time. The transcript covers both times. */
export async function askAgain(
  asker: RecipientAsker,
  question: RecipientQuestion,
  first: RecipientAnswer,
  deadline: Deadline,
): Promise<RecipientAnswer> {
  const second = await asker.ask(question, deadline);
  return second.kind === 'not_connected' || first.kind === 'not_connected'
    ? second
    : { ...second, transcript: [...first.transcript, ...second.transcript] };
}

/** Whether both answers come from one session, and so from one machine of the host. */
export function isSameSession(one: RecipientAnswer, other: RecipientAnswer): boolean {
  return 'opening' in one && 'opening' in other && one.opening === other.opening;
}

/** Asks mail hosts about recipients. Never rejects, and answers by the deadline. */
export interface RecipientAsker {
  /**
   * The transcript of the answer contains nothing about other recipients.
   *
   * @param onSlow called if the host takes so long to connect that another one should be tried in parallel
   */
  ask(question: RecipientQuestion, deadline: Deadline, onSlow?: () => void): Promise<RecipientAnswer>;
}

/** A question that has no answer yet. */
export interface Pending {
  readonly question: RecipientQuestion;
  readonly deadline: Deadline;
  readonly sinceMs: number;
  /** Needs its own transaction. */
  alone: boolean;
  /** Must be the first recipient of its session. */
  fresh: boolean;
  /** The number of its question; later questions have greater numbers. */
  turn: number;
  /** How often it has been asked so far. */
  tries: number;
  /** What the host said last, if that was doubted. */
  doubted: Finding | undefined;
  /** The opening of the session in which it was asked last. */
  opening: Transcript;
  /** What was said about it so far. */
  readonly said: Exchange[];
  isSettled: boolean;
  /** Called if the host is slow to connect. */
  readonly onSlow: (() => void) | undefined;
  /**
   * Settles the question with the first answer; later answers are ignored. A promise that rejects reports an error of
   * ours.
   */
  settle(answer: RecipientAnswer | Promise<never>): void;
}

/** After a deadline the session itself can say more about what happened, so its answer gets a moment to arrive. */
const graceMs = 50;

/**
 * @param onDone called once, with the answer
 * @param outOfTime creates the answer if the deadline passes first
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

/** The answer about a recipient whose time ran out while it was being asked about. */
export function unansweredInFlight({ opening, said, question }: Pending): RecipientAnswer {
  const asked: Exchange = { ...rcptLine(question), outcome: { kind: 'failure', failure: 'timeout' } };
  return { kind: 'ended', stage: 'rcpt', finding: 'timeout', opening, transcript: [...said, asked] };
}
