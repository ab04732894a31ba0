import { isOver } from '../../concurrency/deadline.ts';
import type { Finding } from '../conversation.ts';
import { silenceMsMin } from '../conversation.ts';
import type { Session } from '../session.ts';
import type { Heard } from '../transaction.ts';
import { flightMax, recipientsPerSessionMax, refusalsMax, slowReplyMs } from './limits.ts';
import type { Pending, RecipientQuestion } from './recipient-asker.ts';
import { noRepetitions, type Repetitions } from './steadiness.ts';

/** What we learned about a host. Forgotten after `lessonsKeptMs`. */
export interface Lessons {
  /** Refusals that it tolerates in one session. */
  refusalsMax: number;
  /** Recipients that it accepts in one transaction. */
  recipientsMax: number;
  /** Recipients that it accepts in one session. */
  recipientsPerSessionMax: number;
  /** Transactions that it accepts in one flight. */
  transactionsMax: number;
  /** False once TLS was offered and failed. */
  useTls: boolean;
  /** False once answers to lines sent together were mixed up or lost. */
  usePipelining: boolean;
  /** True if they were lost, which may have another cause: the host is slow, or would not have answered at all. */
  doubtsLoss: boolean;
  /** How long it recently took over a reply, in milliseconds; undefined before the first flight. */
  replyMs: number | undefined;
  /** True after a connection was slow to open, until one opens in time. */
  slowToConnect: boolean;
  /** False once a fresh session was blocked as well. */
  doubtBlocks: boolean;
  /** Findings about later recipients of a transaction that were confirmed when asked about again. */
  readonly confirmed: Set<Finding>;
  /** Refusals without a reason that it repeated to the first recipient of a session. */
  readonly repeated: Set<Finding>;
  /** Positions other than the first of a session in which it accepted a recipient. */
  readonly acceptsAt: Set<Position>;
  /** The greatest depth at which it accepted a recipient, for each count separately. */
  acceptsAfter: Depth;
  /** The greatest depth at which it refused a recipient, for each count separately. */
  refusesAfter: Depth;
  /** Recipients that it accepted lately, of different domains: they can be asked about again in a later position. */
  witnesses: readonly RecipientQuestion[];
  /** Refusals in such positions that it repeated when the recipient came first in a fresh session. */
  refusalsMeant: number;
  /** True once it refused a recipient in such a position but accepted it as the first of a session. */
  firstOnly: boolean;
  /**
   * True once it called a recipient missing that it had accepted, although that came first in its session: it has lost its
   * recipients, or it had accepted every one for a while. The next acceptance shows that it knows some.
   */
  contradictsItself: boolean;
  /**
   * A recipient that it called missing in a later position although it had accepted it before: the position may explain
   * that, or the host has lost its recipients. Asked about as the first of a session before any other is.
   */
  doubtfulWitness: RecipientQuestion | undefined;
  /** Recipients that it called missing since it last accepted one. */
  denialsInARow: number;
  /** What it said of recipients that it was asked about more than once. */
  readonly repetitions: Repetitions;
  /** True once it called the very first recipient of a session one too many: it limits the rate, not the session. */
  limitsRate: boolean;
}

/** The assumptions about a host that is contacted for the first time. */
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
    doubtBlocks: true,
    confirmed: new Set(),
    repeated: new Set(),
    acceptsAt: new Set(),
    acceptsAfter: noDepth,
    refusesAfter: noDepth,
    witnesses: [],
    refusalsMeant: 0,
    firstOnly: false,
    contradictsItself: false,
    doubtfulWitness: undefined,
    denialsInARow: 0,
    repetitions: noRepetitions(),
    limitsRate: false,
  };
}

/** How many recipients may come before another in its transaction, as far as the host is known to accept one there. */
export function knownInTransaction({ acceptsAfter }: Pick<Lessons, 'acceptsAfter'>): number {
  const { inTransaction, acceptancesInTransaction, refusalsInTransaction } = acceptsAfter;
  return Math.min(inTransaction, acceptancesInTransaction, refusalsInTransaction);
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
    !isDeeper(withinTransaction(lessons.refusesAfter), noDepth) &&
    lessons.doubtBlocks &&
    lessons.confirmed.size === 0 &&
    lessons.acceptsAt.size === 0 &&
    lessons.refusalsMeant === 0 &&
    !lessons.firstOnly &&
    !lessons.contradictsItself &&
    lessons.repetitions.counts.size === 0 &&
    !lessons.limitsRate
  );
}

/** Refusals whose wording leaves open whether they are about the recipient or the session. */
export const unexplained: ReadonlySet<Finding> = new Set(['refused', 'missing_for_now', 'policy']);

/** Learns from answers to repeated questions, and from where sessions end. */
export function learn(
  lessons: Lessons,
  heard: Heard,
  pending: Pick<Pending, 'fresh' | 'doubted' | 'deadline' | 'question'>,
  { refusals, firstTransaction, depth, lasting }: Circumstances,
): void {
  // An exchange that we cut short says nothing about the host.
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
    // The session may still explain a policy; only the first recipient of another one confirms it.
    if (heard.finding !== 'policy') lessons.confirmed.add(heard.finding);
  } else if (pending.doubted !== undefined) {
    lessons.recipientsMax = 1;
  }
  if (pending.fresh && unexplained.has(heard.finding)) {
    lessons.confirmed.add(heard.finding);
    lessons.repeated.add(heard.finding);
  }
  if (pending.fresh && heard.finding === 'blocked') {
    lessons.doubtBlocks = false;
  }
  const isFirstOfSession = firstTransaction && heard.first;
  const isTakenBack =
    isFirstOfSession && denials.has(heard.finding) && lessons.witnesses.some(isSame(pending.question));
  lessons.contradictsItself =
    lasting === 'taken_back' || (heard.finding !== 'accepted' && (lessons.contradictsItself || isTakenBack));
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
    // At most halved, because a session may also end by accident.
    const halfMax = Math.ceil(lessons.refusalsMax / 2);
    lessons.refusalsMax = Math.max(halfMax, Math.min(lessons.refusalsMax, refusals - 1));
  }
}

/** Refusals that say that a mailbox is gone. */
export const denials: ReadonlySet<Finding> = new Set(['missing', 'disabled']);

export function isSame({ localPart, domain }: RecipientQuestion): (other: RecipientQuestion) => boolean {
  return other => other.localPart === localPart && other.domain === domain;
}

/** Learns from a recipient that was refused in a later position and is now the first of a session. */
function learnFromFresh(lessons: Lessons, doubted: Finding, finding: Finding): void {
  if (finding === 'accepted') {
    lessons.firstOnly = true;
  } else if (finding === doubted && doubtedRefusals.has(finding)) {
    lessons.refusalsMeant += 1;
  }
}

/** MAIL, RCPT and RSET. */
const repliesOfOne = 3;

/**
 * Clears the suspicion that PIPELINING loses answers if the host also hangs up when asked one thing at a time, or takes
 * as long over one recipient as it seemed to be silent.
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

/** Notes how late in a session the host still refuses recipients: some hosts accept every recipient after a while. */
export function noteRefusals(
  lessons: Pick<Lessons, 'refusesAfter'>,
  heard: readonly (readonly Heard[])[],
  depths: readonly (readonly Depth[])[],
): void {
  for (const [number, transaction] of depths.entries()) {
    for (const [index, depth] of transaction.entries()) {
      const answer = heard[number]?.[index];
      if (answer?.kind === 'answered' && (refusing.has(answer.finding) || unexplained.has(answer.finding))) {
        lessons.refusesAfter = deepestOf(lessons.refusesAfter, depth);
      }
    }
  }
}

/** True if there is no reply, or a 421, with which the host hangs up (RFC 5321 section 3.8). */
export function endsSession({ reply }: Extract<Heard, { kind: 'answered' }>): boolean {
  return reply === undefined || reply.code === 421;
}

/** Where in its session a recipient was asked about. */
export interface Circumstances {
  /** Asked about in the first transaction of the session. */
  readonly firstTransaction: boolean;
  /** The finding about the first recipient of the same transaction. */
  readonly firstOfTransaction: Finding | undefined;
  /** Commands that the host refused in this session. */
  readonly refusals: number;
  /** Whether the host said that an earlier recipient of this session exists, or that it does not. */
  readonly forthcoming: boolean;
  /** The positions in which it was asked about; none for the first recipient of the session. */
  readonly positions: ReadonlySet<Position>;
  readonly depth: Depth;
  /** What the host said at the end of the flight about a recipient that it had accepted before. */
  readonly lasting: LastingAnswer;
}

/**
 * What the witness at the end of a flight shows. `taken_back`: the host calls it missing. `doubtful`: so it does, but its
 * position may explain that. `silent`: nothing against the host.
 */
export type LastingAnswer = 'taken_back' | 'doubtful' | 'silent';

/**
 * How the position of a recipient differs from that of the first one of its session: it follows another in its
 * transaction, it is in a later transaction, or it has a different domain. Some hosts refuse every recipient in such a
 * position with the code of a missing mailbox.
 */
export type Position = 'same_transaction' | 'later_transaction' | 'other_domain';

/**
 * How late in its session a recipient was asked about, and behind which domains. Some hosts call every recipient unknown
 * after a certain number of recipients, acceptances, refusals or transactions; others then accept every recipient.
 */
export interface Depth {
  /** Recipients asked about before it, and those of them that the host accepted or refused. */
  readonly recipients: number;
  readonly acceptances: number;
  readonly refusals: number;
  /** Transactions before its own. */
  readonly transactions: number;
  /** Domains other than its own that the session was asked about before. */
  readonly otherDomains: number;
  /** 1 if its domain is that of the session's first recipient and another one came between, otherwise 0. */
  readonly backAtFirstDomain: number;
  /** 1 if its domain differs from that of the session's first recipient, otherwise 0. */
  readonly notFirstDomain: number;
  /** 1 if its domain differs from that of the recipient before it, otherwise 0. */
  readonly domainChanged: number;
  /** 1 if it is the same, otherwise 0. */
  readonly domainRepeated: number;
  /** The same for the recipients of its transaction. */
  readonly inTransaction: number;
  readonly acceptancesInTransaction: number;
  readonly refusalsInTransaction: number;
}

/** The depth of the first recipient of a session. */
export const noDepth: Depth = {
  recipients: 0,
  acceptances: 0,
  refusals: 0,
  transactions: 0,
  otherDomains: 0,
  backAtFirstDomain: 0,
  notFirstDomain: 0,
  domainChanged: 0,
  domainRepeated: 0,
  inTransaction: 0,
  acceptancesInTransaction: 0,
  refusalsInTransaction: 0,
};

const counts = Object.keys(noDepth) as readonly (keyof Depth)[];

/** The counts in which a depth exceeds another. */
export function deeperCounts(depth: Depth, other: Depth): readonly (keyof Depth)[] {
  return counts.filter(count => depth[count] > other[count]);
}

/** True if a depth exceeds another in any way. */
export function isDeeper(depth: Depth, other: Depth): boolean {
  return counts.some(count => depth[count] > other[count]);
}

/** The greater count of two depths, for each count separately. */
export function deepestOf(one: Depth, other: Depth): Depth {
  const deepest = { ...one };
  for (const count of counts) {
    deepest[count] = Math.max(one[count], other[count]);
  }
  return deepest;
}

/** The depth of the first recipient of a transaction. */
export function atStartOfTransaction(depth: Depth): Depth {
  return { ...depth, inTransaction: 0, acceptancesInTransaction: 0, refusalsInTransaction: 0 };
}

/** The depth in the transaction alone. */
export function withinTransaction({
  inTransaction,
  acceptancesInTransaction,
  refusalsInTransaction,
}: Depth): Depth {
  return { ...noDepth, inTransaction, acceptancesInTransaction, refusalsInTransaction };
}

/** The refusals that are doubted in such a position, because a verdict may rest on them. */
export const doubtedRefusals: ReadonlySet<Finding> = new Set(['missing', 'disabled', 'refused']);
