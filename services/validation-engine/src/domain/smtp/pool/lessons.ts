import { isOver } from '../../deadline.ts';
import { silenceMsMin } from '../conversation.ts';
import type { Finding } from '../open-session.ts';
import type { Session } from '../session.ts';
import type { Heard } from '../transaction.ts';
import type { Circumstances } from './judge-heard.ts';
import { flightMax, recipientsPerSessionMax, refusalsMax, slowReplyMs } from './limits.ts';
import type { Pending } from './pending.ts';
import { type Depth, type Place, placeRefusals } from './places.ts';

/** What a host taught us. Forgotten when nobody has asked about it for a while. */
export interface Lessons {
  /** Refusals that it takes in one session. */
  refusalsMax: number;
  /** Recipients that it takes in one transaction. */
  recipientsMax: number;
  /** Recipients that it takes in one session. */
  recipientsPerSessionMax: number;
  /** Transactions that it takes in one flight. */
  transactionsMax: number;
  /** False once TLS was offered and failed. */
  useTls: boolean;
  /** False once answers to lines sent together were mixed up or lost. */
  usePipelining: boolean;
  /** True where they were lost, which may have other grounds: the host is slow, or would not have answered at all. */
  doubtsLoss: boolean;
  /** How long it took over a reply lately, in milliseconds; unknown before the first flight. */
  replyMs: number | undefined;
  /** True once a connection was slow to come about, until one comes about in time. */
  slowToConnect: boolean;
  /** True once it refused a recipient after it had accepted another in the same transaction. */
  discerning: boolean;
  /** False once a fresh session was blocked as well. */
  doubtBlocks: boolean;
  /** Findings about later recipients of a transaction that were found to be meant. */
  readonly confirmed: Set<Finding>;
  /** Places other than the first of a session in which it accepted a recipient. */
  readonly acceptsAt: Set<Place>;
  /** How late in a session it accepted a recipient: after the most recipients, and after the most refusals. */
  acceptsAfter: Depth;
  /** Refusals in such places that it repeated to the first recipient of a fresh session. */
  refusalsMeant: number;
  /** True once it refused in such a place a recipient that it accepts as the first of a session. */
  firstOnly: boolean;
  /** True once it called the first recipient of a session one too many: its limit counts time, not the session. */
  limitsRate: boolean;
}

/** What is assumed of a host that is met for the first time. */
export function noLessons(): Lessons {
  return {
    refusalsMax,
    recipientsMax: flightMax,
    recipientsPerSessionMax,
    transactionsMax: flightMax,
    useTls: true,
    usePipelining: true,
    doubtsLoss: false,
    replyMs: undefined,
    slowToConnect: false,
    discerning: false,
    doubtBlocks: true,
    confirmed: new Set(),
    acceptsAt: new Set(),
    acceptsAfter: { recipients: 0, refusals: 0 },
    refusalsMeant: 0,
    firstOnly: false,
    limitsRate: false,
  };
}

export function hasLearnedNothing(lessons: Lessons): boolean {
  return (
    lessons.refusalsMax === refusalsMax &&
    lessons.recipientsMax === flightMax &&
    lessons.recipientsPerSessionMax === recipientsPerSessionMax &&
    lessons.transactionsMax === flightMax &&
    lessons.useTls &&
    lessons.usePipelining &&
    (lessons.replyMs ?? 0) < slowReplyMs &&
    !lessons.slowToConnect &&
    !lessons.discerning &&
    lessons.doubtBlocks &&
    lessons.confirmed.size === 0 &&
    lessons.acceptsAt.size === 0 &&
    lessons.refusalsMeant === 0 &&
    !lessons.firstOnly &&
    !lessons.limitsRate
  );
}

/** Refusals whose words leave open whether they speak of the recipient or of the session. */
export const unexplained: ReadonlySet<Finding> = new Set(['refused', 'missing_for_now']);

/** Draws lessons from what was heard after a doubt, and from where sessions end. */
export function learn(
  lessons: Lessons,
  heard: Heard,
  pending: Pick<Pending, 'fresh' | 'doubted' | 'deadline'>,
  { refusals, firstTransaction, depth }: Circumstances,
): void {
  // What was cut short by us says nothing of the host.
  if (heard.kind === 'unreached' || isOver(pending.deadline)) {
    return;
  }
  if (heard.kind === 'ended') {
    if (heard.stage === 'rset') {
      lessons.usePipelining = false;
      lessons.doubtsLoss = heard.finding !== 'unexpected';
    } else if (!firstTransaction) {
      lessons.transactionsMax = 1;
    }
    return;
  }
  if (pending.doubted !== undefined && pending.fresh) {
    learnFromFresh(lessons, pending.doubted, heard.finding);
  } else if (pending.doubted === heard.finding) {
    lessons.confirmed.add(heard.finding);
  } else if (pending.doubted !== undefined) {
    lessons.recipientsMax = 1;
  }
  if (pending.fresh && unexplained.has(heard.finding)) {
    lessons.confirmed.add(heard.finding);
  }
  if (pending.fresh && heard.finding === 'blocked') {
    lessons.doubtBlocks = false;
  }
  const isFirstOfSession = firstTransaction && heard.first;
  if (heard.finding === 'too_many_recipients' && isFirstOfSession) {
    lessons.limitsRate = true;
    lessons.recipientsPerSessionMax = recipientsPerSessionMax;
  } else if (heard.finding === 'too_many_recipients' && heard.first && !lessons.limitsRate) {
    lessons.recipientsPerSessionMax = Math.max(
      1,
      Math.min(lessons.recipientsPerSessionMax, depth.recipients),
    );
  }
  if (endsSession(heard) && !isFirstOfSession && refusals > 1) {
    lessons.refusalsMax = Math.max(1, Math.min(lessons.refusalsMax, refusals - 1));
  }
}

/** A recipient that was refused in a later place is now the first of a session. */
function learnFromFresh(lessons: Lessons, doubted: Finding, finding: Finding): void {
  if (finding === 'accepted') {
    lessons.firstOnly = true;
  } else if (finding === doubted && placeRefusals.has(finding)) {
    lessons.refusalsMeant += 1;
  }
}

/** MAIL, RCPT and RSET. */
const repliesOfOne = 3;

/**
 * Takes back that PIPELINING loses answers where the host, asked one thing at a time, hangs up as well, or takes as long
 * over one recipient as it seemed to be silent.
 */
export function learnFromTurns(
  lessons: Lessons,
  session: Pick<Session, 'pipelining' | 'replyMs'>,
  first: Heard | undefined,
): void {
  if (session.pipelining || !lessons.doubtsLoss) {
    return;
  }
  lessons.doubtsLoss = false;
  const hungUp = first !== undefined && first.kind !== 'unreached' && first.finding === 'closed';
  lessons.usePipelining = hungUp || repliesOfOne * session.replyMs() >= silenceMsMin;
}

const refusing: ReadonlySet<Finding> = new Set(['missing', 'disabled', 'full']);

/** True where a host refused a mailbox in spite of an acceptance ahead of it, so that company does not sway it. */
export function showsDiscernment(heard: Heard): boolean {
  return heard.kind === 'answered' && heard.afterAcceptance && refusing.has(heard.finding);
}

/** True for no reply, and for 421 with which the host hangs up (RFC 5321 section 3.8). */
export function endsSession({ reply }: Extract<Heard, { kind: 'answered' }>): boolean {
  return reply === undefined || reply.code === 421;
}
