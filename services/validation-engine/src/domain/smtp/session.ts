import { type Clock, type Deadline, deadlineAfter, isOver } from '../concurrency/deadline.ts';
import type { SmtpFailure, SmtpOutcome } from './connection.ts';
import type { Extensions } from './conversation.ts';
import { type Conversation, continuesAfter } from './conversation.ts';
import { type Frame, isResetAlike, judgeOrder, learnFrame, readFlight } from './flight-order.ts';
import { type Heard, linesOf, readTransaction, type Transaction, unreadable } from './transaction.ts';
import type { Exchange, Transcript } from './transcript.ts';

/** An open session with a mail host, which is asked about recipients until it has had enough of us. */
export interface Session {
  readonly extensions: Extensions;
  /** What was said before the first transaction, shared by all questions of the session. */
  readonly opening: Transcript;
  /**
   * How many recipients may be asked about next; 0 once the session should no longer be used. A session serves at least
   * one flight: if the host breaks it before that, the questions of the flight report it.
   */
  room(): number;
  /** False once the host has ended the session or broken its rules; true also if we should ask no more. */
  isUsable(): boolean;
  /** Recipients asked about so far. */
  asked(): number;
  /** Commands that the host refused so far. */
  refusals(): number;
  /** Whether the recipients of a flight are asked about together. */
  readonly pipelining: boolean;
  /** How long the host takes over a reply, in milliseconds, as far as known. */
  replyMs(): number;
  /** Asks about the recipients of some transactions, in one round trip if the host allows PIPELINING. */
  ask(transactions: readonly Transaction[], deadline: Deadline): Promise<readonly (readonly Heard[])[]>;
  leave(): Promise<void>;
}

export interface SessionLimits {
  /**
   * Refusals after which a fresh session is better. Postfix slows down after 10 and hangs up after 20, and others have
   * less patience.
   */
  readonly refusalsMax: number;
  /** Recipients in one session; a client that sends mail to more at a time is conspicuous. */
  readonly recipientsMax: number;
  /** Recipients in one flight; without PIPELINING each waits for all of them. */
  readonly flightMax: number;
  /** Recipients in the first flight, which shows how long the host takes over them. */
  readonly firstFlightMax: number;
  /** False if answers were mixed up or lost when lines were sent together. */
  readonly usePipelining: boolean;
  /** How long the host took over each reply so far, in milliseconds. */
  readonly replyMs: number;
}

/** How long a flight should take. Answers arrive only at its end, so a slow host gets fewer questions at a time. */
export const flightMs = 3_000;

const sequentialFlightMax = 5;
const leaveTimeoutMs = 1_000;
/** How long to wait for an extra answer. It comes with the others, so it arrives soon if it comes at all. */
const settleMs = 50;
/** The same if the first answer to RSET may be about a recipient, and so does not show how long RSET takes. */
const firstSettleMs = 500;

export function createSession(
  conversation: Conversation,
  clock: Clock,
  opening: { readonly extensions: Extensions; readonly transcript: Transcript },
  mailFrom: string,
  limits: SessionLimits,
): Session {
  const { extensions } = opening;
  const pipelining = limits.usePipelining && extensions.has('PIPELINING');
  const flightMax = pipelining ? limits.flightMax : sequentialFlightMax;
  let replyMs = limits.replyMs;
  let asked = 0;
  let refusals = 0;
  let isUsed = false;
  let isSpent = false;
  let frame: Frame | undefined;

  function note(exchanges: readonly Exchange[]): void {
    for (const { stage, outcome } of exchanges) {
      asked += stage === 'rcpt' ? 1 : 0;
      refusals += outcome.kind === 'reply' && outcome.reply.code >= 400 ? 1 : 0;
      isSpent ||= !continuesAfter(outcome);
      // If no transaction can be started or ended, no other question can be asked in the session.
      isSpent ||= stage !== 'rcpt' && outcome.kind === 'reply' && outcome.reply.code !== 250;
    }
  }

  async function exchangeTogether(
    transactions: readonly Transaction[],
    deadline: Deadline,
  ): Promise<Exchange[][]> {
    const lines = transactions.map(recipients => linesOf(recipients, mailFrom));
    const exchanges = await conversation.sayTogether(lines.flat(), replyMs, deadline);
    note(exchanges);
    let from = 0;
    return lines.map(({ length }) => {
      from += length;
      return exchanges.slice(from - length, from);
    });
  }

  async function exchangeInTurn(
    transactions: readonly Transaction[],
    deadline: Deadline,
  ): Promise<Exchange[][]> {
    const all: Exchange[][] = [];
    for (const recipients of transactions) {
      const exchanges = isSpent ? [] : await exchangeOne(recipients, deadline);
      note(exchanges);
      all.push(exchanges);
    }
    return all;
  }

  async function exchangeOne(recipients: Transaction, deadline: Deadline): Promise<Exchange[]> {
    const exchanges: Exchange[] = [];
    for (const line of linesOf(recipients, mailFrom)) {
      // If MAIL was refused, there is no transaction to add a recipient to.
      if (line.stage === 'rcpt' && isRefusal(exchanges[0])) {
        continue;
      }
      const exchange = await conversation.say(line, deadline);
      exchanges.push(exchange);
      if (!continuesAfter(exchange.outcome)) {
        break;
      }
    }
    return exchanges;
  }

  /**
   * How the host failed to answer lines that were sent together, if sending them together may be the cause: it fell
   * silent, or hung up at the beginning of the session before it said anything about a recipient.
   */
  function lossOf(
    exchanges: readonly Exchange[],
    isFirstFlight: boolean,
    deadline: Deadline,
  ): SmtpFailure | undefined {
    const last = exchanges.at(-1)?.outcome;
    if (!pipelining || last === undefined || continuesAfter(last) || isOver(deadline)) {
      return undefined;
    }
    if (last.kind === 'failure' && last.failure === 'timeout') {
      return 'timeout';
    }
    const isEarly = exchanges.every(({ stage, outcome }) => stage !== 'rcpt' || outcome === last);
    return isFirstFlight && isEarly && (isHangUp(last) || isAboutPipelining(last)) ? 'closed' : undefined;
  }

  async function areInOrder(
    recipients: Transaction,
    exchanges: readonly Exchange[],
    isFirst: boolean,
    deadline: Deadline,
  ): Promise<boolean> {
    const flight = readFlight(exchanges);
    const order = judgeOrder(recipients, flight, { sentTogether: pipelining, isFirst, frame });
    if (order === 'unclear') {
      // Outstanding answers may take as long as the slowest answer so far.
      const ms = isFirst && isResetAlike(flight) ? firstSettleMs : settleMs;
      const waitMs = Math.min(ms + conversation.longestMs(), deadline.remainingMs());
      await new Promise(resolve => setTimeout(resolve, waitMs));
    }
    if (order === 'out_of_order' || conversation.disturbance() === 'said_more') {
      return false;
    }
    frame = learnFrame(frame, flight, order === 'unclear');
    return true;
  }

  return {
    extensions,
    pipelining,
    opening: opening.transcript,
    room: () =>
      isSpent || (isUsed && conversation.disturbance() !== undefined)
        ? 0
        : Math.max(
            0,
            Math.min(
              isUsed ? flightMax : Math.min(flightMax, limits.firstFlightMax),
              Math.max(1, Math.floor(flightMs / Math.max(1, replyMs))),
              limits.refusalsMax - refusals,
              limits.recipientsMax - asked,
            ),
          ),
    isUsable: () => !isSpent && conversation.disturbance() === undefined,
    asked: () => asked,
    refusals: () => refusals,
    replyMs: () => replyMs,
    async ask(transactions, deadline) {
      const isFirstFlight = !isUsed;
      isUsed = true;
      const sinceMs = clock.nowMs();
      const exchanges = pipelining
        ? await exchangeTogether(transactions, deadline)
        : await exchangeInTurn(transactions, deadline);
      const said = exchanges.flat();
      const loss = lossOf(said, isFirstFlight, deadline);
      if (loss !== undefined) {
        return transactions.map((recipients, index) => lost(recipients, loss, index === 0));
      }
      // Fast acceptances do not mean that refusals are fast.
      replyMs = Math.max(replyMs / 2, (clock.nowMs() - sinceMs) / Math.max(1, said.length));
      const inOrder = await areInOrder(transactions.flat(), said, isFirstFlight, deadline);
      isSpent ||= !inOrder;
      return transactions.map((recipients, index) =>
        inOrder ? readTransaction(recipients, exchanges[index] ?? []) : unreadable(recipients, 'garbled'),
      );
    },
    leave: () => conversation.leave(deadlineAfter(clock, leaveTimeoutMs, new AbortController().signal)),
  };
}

function isHangUp(outcome: SmtpOutcome): boolean {
  return outcome.kind === 'failure' && outcome.failure === 'closed';
}

/** 421 4.7.0 Protocol error: improper command pipelining */
function isAboutPipelining(outcome: SmtpOutcome): boolean {
  return (
    outcome.kind === 'reply' &&
    /pipelin|synchroni[sz]ation|protocol (?:error|violation)/i.test(outcome.reply.lines.join(' '))
  );
}

/** A host that hung up at the first recipient was not asked about the others. */
function lost(recipients: Transaction, loss: SmtpFailure, isFirst: boolean): readonly Heard[] {
  const heard = unreadable(recipients, loss);
  return loss === 'closed'
    ? heard.map((first, index) => (isFirst && index === 0 ? first : { kind: 'unreached' }))
    : heard;
}

function isRefusal(mail: Exchange | undefined): boolean {
  return mail?.outcome.kind === 'reply' && mail.outcome.reply.code >= 400;
}
