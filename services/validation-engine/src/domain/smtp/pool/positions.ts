import type { Finding } from '../conversation.ts';
import type { Session } from '../session.ts';
import type { Heard } from '../transaction.ts';
import {
  atStartOfTransaction,
  type Circumstances,
  type Depth,
  deepestOf,
  denials,
  doubtedRefusals,
  endsSession,
  isDeeper,
  isSame,
  knownInTransaction,
  type LastingAnswer,
  type Lessons,
  noDepth,
  type Position,
  withinTransaction,
} from './lessons.ts';
import { slowReplyMs } from './limits.ts';
import type { Pending, RecipientQuestion } from './recipient-asker.ts';
import { nameOf, noteWitness } from './steadiness.ts';

/** How to treat an answer: believe it, ask again in better circumstances, or hold it until a witness is heard. */
type Judgment = 'final' | 'again' | 'again_alone' | 'again_fresh' | 'held';

const triesMax = 3;

/** The most refusals that probing one address and its made-up recipients causes; more may make a host angry. */
const refusalsOfOneMax = 3;

/**
 * Findings that may hide a limit if they are about a second recipient: some hosts take one recipient at a time, and
 * Exim's usual rule for the null sender gives no code for that.
 */
const doubtfulWithOthers: ReadonlySet<Finding> = new Set([
  'too_many_recipients',
  'refused',
  'policy',
  'temporary',
]);

/**
 * Decides whether an answer is about this recipient or about the company in which it was asked: recipients share
 * sessions and transactions, and hosts limit both and word these limits as they like.
 */
export function judgeHeard(
  heard: Heard,
  pending: Pick<Pending, 'fresh' | 'tries' | 'question'>,
  circumstances: Circumstances,
  lessons: Lessons,
): Judgment {
  const judgment = judgeCompany(heard, pending, circumstances, lessons);
  if (judgment === 'final' && isBehindDoubt(heard, pending, circumstances)) {
    return 'again_fresh';
  }
  // If the doubt remains, the recipient comes first in a fresh session, so this ends.
  return judgment === 'final' &&
    heard.kind === 'answered' &&
    doubtedRefusals.has(heard.finding) &&
    !isBelievedAt(circumstances.positions, depthThatMatters(pending, heard, circumstances.depth), lessons)
    ? 'held'
    : judgment;
}

/** True for a refusal of a flight whose witness was refused as well, until it is known why. */
function isBehindDoubt(
  heard: Heard,
  { fresh, tries, question }: Pick<Pending, 'fresh' | 'tries' | 'question'>,
  { lasting }: Circumstances,
): boolean {
  return (
    lasting === 'doubtful' &&
    heard.kind === 'answered' &&
    denials.has(heard.finding) &&
    question.cover !== true &&
    !fresh &&
    tries < triesMax
  );
}

function judgeCompany(
  heard: Heard,
  pending: Pick<Pending, 'fresh' | 'tries'>,
  { firstTransaction, firstOfTransaction, refusals, forthcoming }: Circumstances,
  lessons: Lessons,
): Judgment {
  if (pending.tries >= triesMax) {
    return 'final';
  }
  if (heard.kind === 'unreached') {
    return 'again';
  }
  // A host that has had enough of the session says nothing about the recipients that come too late. Neither does a host
  // whose answers are out of step.
  if (heard.kind === 'ended') {
    return heard.stage === 'mail' && firstTransaction ? 'final' : 'again';
  }
  if (endsSession(heard)) {
    return heard.first && firstTransaction ? 'final' : 'again_fresh';
  }
  const { finding, first } = heard;
  // A limit of the session: not of the transaction, and not a rate limit that a new session meets as well.
  if (finding === 'too_many_recipients' && first && !firstTransaction && !lessons.limitsRate) {
    return 'again_fresh';
  }
  if (!first && doubtfulWithOthers.has(finding)) {
    const isBelieved =
      finding !== 'too_many_recipients' && (finding === firstOfTransaction || lessons.confirmed.has(finding));
    if (!isBelieved) {
      return 'again_alone';
    }
    if (finding !== 'policy') {
      return 'final';
    }
  }
  // A host that became angry during the session says nothing about this recipient, nor does one that limits recipients
  // and words the limit as a policy.
  const isAboutSession =
    finding === 'blocked'
      ? lessons.doubtBlocks
      : finding === 'policy'
        ? !firstTransaction && !lessons.repeated.has(finding)
        : finding === 'refused' && refusals > refusalsOfOneMax && !lessons.confirmed.has(finding);
  return isAboutSession && forthcoming && !pending.fresh ? 'again_fresh' : 'final';
}

/**
 * The depth at which a recipient was asked about, if it matters. It matters only for these findings about a mailbox,
 * and not for a cover, which comes last on purpose.
 */
export function depthThatMatters(
  { question }: Pick<Pending, 'question'>,
  { finding }: Pick<Held['heard'], 'finding'>,
  depth: Depth,
): Depth | undefined {
  return question.cover === true || !denials.has(finding) ? undefined : depth;
}

/**
 * Confirmed refusals after which a host that never accepts a recipient is believed. A refusal is confirmed if the host
 * repeats it when the recipient comes first in a fresh session.
 */
const refusalsMeantEnough = 2;

/**
 * True if the host has shown that it does not refuse recipients because of these positions.
 *
 * @param depth undefined if it does not matter
 */
export function isBelievedAt(
  positions: ReadonlySet<Position>,
  depth: Depth | undefined,
  {
    acceptsAt,
    acceptsAfter,
    refusalsMeant,
    firstOnly,
    witnesses,
  }: Pick<Lessons, 'acceptsAt' | 'acceptsAfter' | 'refusalsMeant' | 'firstOnly' | 'witnesses'>,
): boolean {
  if (firstOnly) {
    return positions.size === 0;
  }
  if (refusalsMeant >= refusalsMeantEnough && witnesses.length === 0) {
    return true;
  }
  const isTooLate = depth !== undefined && isDeeper(depth, acceptsAfter);
  return !isTooLate && [...positions].every(position => acceptsAt.has(position));
}

/** True once the host is believed about later recipients of one domain, so that these need no fresh sessions. */
export function showsMeaning({
  acceptsAt,
  refusalsMeant,
  firstOnly,
}: Pick<Lessons, 'acceptsAt' | 'refusalsMeant' | 'firstOnly'>): boolean {
  const accepts = acceptsAt.has('same_transaction') && acceptsAt.has('later_transaction');
  return !firstOnly && (accepts || refusalsMeant >= refusalsMeantEnough);
}

/** An answer about a recipient that is not believed yet. */
interface Held {
  readonly pending: Pending;
  readonly heard: Extract<Heard, { kind: 'answered' }>;
  readonly positions: ReadonlySet<Position>;
  /** Undefined if its depth does not matter. */
  readonly depth: Depth | undefined;
  readonly askedAt: Depth;
  /** Flights since it was held. */
  readonly flights: number;
}

/**
 * True if a refusal contradicts what the host said of the same recipient, and its position does not explain that. Either
 * the session has since accepted the recipient at least as late, or only the position in the transaction could explain
 * it, and the host has also refused a witness at a position at which it accepts recipients.
 */
export function isContradiction(
  { pending, positions, depth, askedAt }: Held,
  { accepted, acceptedAt, isContradicted }: Course,
  lessons: Lessons,
): boolean {
  const { domain, localPart } = pending.question;
  if (depth === undefined) {
    return false;
  }
  const since = acceptedAt.get(nameOf(pending.question));
  if (since !== undefined && !isDeeper(askedAt, since)) {
    return true;
  }
  return (
    isContradicted &&
    accepted.get(domain)?.localPart === localPart &&
    isBelievedAt(positions, atStartOfTransaction(depth), { ...lessons, firstOnly: false })
  );
}

/** The most flights for which a refusal is held: meanwhile the host may accept a recipient, or a witness may appear. */
export const heldFlightsMax = 2;

/** How a session has gone so far. */
export interface Course {
  /** Whether the host said of any recipient that it exists or does not. */
  forthcoming: boolean;
  /** The domain of the first recipient. */
  firstDomain: string | undefined;
  /** The domain of the last recipient. */
  lastDomain: string | undefined;
  /** All domains so far. */
  readonly domains: Set<string>;
  /** The depth of the next recipient, if it continues the last transaction. */
  depth: Depth;
  /** One accepted recipient per domain: a witness, which can be asked about again in a later position. */
  readonly accepted: Map<string, RecipientQuestion>;
  /** The depth at which each recipient was last accepted. */
  readonly acceptedAt: Map<string, Depth>;
  /** Refusals that wait for the answer about a witness. */
  held: Held[];
  /** True once a witness was refused at a position in a transaction at which the host has accepted a recipient. */
  isContradicted: boolean;
  /** True once witnesses that shared a transaction got no clear answer; they then get their own transactions. */
  witnessesAlone: boolean;
}

export function beginCourse(): Course {
  return {
    forthcoming: false,
    firstDomain: undefined,
    lastDomain: undefined,
    domains: new Set(),
    depth: noDepth,
    accepted: new Map(),
    acceptedAt: new Map(),
    held: [],
    isContradicted: false,
    witnessesAlone: false,
  };
}

/** @param number the index of the transaction in its flight; `index` is that of the recipient in its transaction */
export function positionsOf(
  { domain }: RecipientQuestion,
  isFirstFlight: boolean,
  number: number,
  index: number,
  { firstDomain }: Pick<Course, 'firstDomain'>,
): ReadonlySet<Position> {
  const positions = new Set<Position>();
  if (index > 0) {
    positions.add('same_transaction');
  }
  if (!isFirstFlight || number > 0) {
    positions.add('later_transaction');
  }
  if (domain !== firstDomain) {
    positions.add('other_domain');
  }
  return positions;
}

/**
 * Counts a recipient of the session and returns its depth.
 *
 * @param index that of the recipient in its transaction
 */
export function passRecipient(
  course: Course,
  { domain }: RecipientQuestion,
  heard: Heard | undefined,
  index: number,
): Depth {
  const { domains, firstDomain, lastDomain } = course;
  domains.add(domain);
  const otherDomains = domains.size - 1;
  const isFirstDomain = domain === firstDomain;
  const { recipients, transactions } = course.depth;
  const depth = {
    ...(index > 0
      ? course.depth
      : {
          ...atStartOfTransaction(course.depth),
          transactions: transactions + (recipients > 0 ? 1 : 0),
        }),
    otherDomains,
    backAtFirstDomain: isFirstDomain && otherDomains > 0 ? 1 : 0,
    notFirstDomain: isFirstDomain ? 0 : 1,
    domainChanged: (lastDomain ?? domain) === domain ? 0 : 1,
    domainRepeated: lastDomain === domain ? 1 : 0,
  };
  course.lastDomain = domain;
  const code = heard?.kind === 'answered' ? (heard.reply?.code ?? 0) : 0;
  const accepted = code >= 200 && code < 300 ? 1 : 0;
  const refused = code >= 400 ? 1 : 0;
  course.depth = {
    ...depth,
    recipients: depth.recipients + 1,
    acceptances: depth.acceptances + accepted,
    refusals: depth.refusals + refused,
    inTransaction: depth.inTransaction + 1,
    acceptancesInTransaction: depth.acceptancesInTransaction + accepted,
    refusalsInTransaction: depth.refusalsInTransaction + refused,
  };
  return depth;
}

/** The witness of a flight, which comes after all other recipients in it. */
interface Witness {
  /** The questions about it: two if no other recipient shares its transaction and its second position matters. */
  readonly questions: readonly RecipientQuestion[];
  /** Whether it shares the last transaction of the others. */
  readonly sharesLast: boolean;
}

/**
 * Chooses the witness for the held refusals. It is asked about only after them, because a flight with different answers
 * takes extra waiting (flight-order.ts), and because most hosts accept a recipient in such positions anyway.
 */
export function witnessFor(
  transactions: readonly (readonly Pending[])[],
  { held, accepted, firstDomain, lastDomain, witnessesAlone }: Course,
  { recipientsMax, firstOnly, acceptsAt, acceptsAfter, witnesses }: Lessons,
): Witness | undefined {
  const last = transactions.at(-1) ?? [];
  const before = last[0]?.question.domain ?? lastDomain;
  const candidates = [...accepted.values(), ...witnesses];
  const domains = new Set(held.map(({ pending }) => pending.question.domain));
  const needsOther =
    !acceptsAt.has('other_domain') && held.some(({ positions }) => positions.has('other_domain'));
  const able = needsOther ? candidates.filter(({ domain }) => domain !== firstDomain) : candidates;
  const needs = (count: keyof Depth) =>
    held.some(({ depth }) => depth !== undefined && depth[count] > acceptsAfter[count]);
  const question =
    able.find(
      ({ domain }) =>
        !(needs('domainChanged') && domain === before) &&
        !(needs('domainRepeated') && domain !== before) &&
        !(needs('backAtFirstDomain') && domain !== firstDomain),
    ) ??
    able.find(({ domain }) => domains.has(domain)) ??
    able[0];
  if (held.length === 0 || question === undefined || firstOnly) {
    return undefined;
  }
  const sharesLast = !witnessesAlone && last.length < recipientsMax && last.some(fits(question));
  const isTwice = !sharesLast && !witnessesAlone && recipientsMax > 1 && held.some(followsAnother);
  return { questions: isTwice ? [question, question] : [question], sharesLast };
}

/** Recipients of one domain in a flight from which on a witness is worth its while, however the last answers were. */
const worthAWitness = 3;

/**
 * Chooses a recipient to ask about at the end of a flight, behind those of its domain: if the host no longer accepts it,
 * the host has lost its recipients, or refuses us under this name.
 */
export function lastingWitnessFor(
  transactions: readonly (readonly Pending[])[],
  session: Pick<Session, 'asked' | 'pipelining' | 'replyMs'>,
  lessons: Lessons,
): Witness | undefined {
  const { recipientsMax, transactionsMax, recipientsPerSessionMax, firstOnly, denialsInARow, witnesses } =
    lessons;
  const last = transactions.at(-1) ?? [];
  const asked = transactions.flat();
  const countOf = (domain: string) =>
    asked.filter(({ question: { cover, repeated, ...one } }) => !cover && !repeated && one.domain === domain)
      .length;
  const question = witnesses.find(
    ({ domain, localPart }) =>
      countOf(domain) >= (denialsInARow > 0 || session.asked() === 0 ? 1 : worthAWitness) &&
      asked.every(other => other.question.localPart !== localPart || other.question.domain !== domain),
  );
  // It must not cost a round trip, nor the time of a slow host.
  const isFree = session.pipelining && session.replyMs() < slowReplyMs;
  const hasRoom = session.asked() + asked.length < recipientsPerSessionMax;
  // Deeper in a transaction than the host has accepted a recipient, its refusal would say nothing.
  const hasOwn = last.length > knownInTransaction(lessons) && transactions.length < transactionsMax;
  const sharesLast =
    question !== undefined && !hasOwn && last.length < recipientsMax && last.some(fits(question));
  return question !== undefined &&
    isFree &&
    hasRoom &&
    !firstOnly &&
    (sharesLast || transactions.length < transactionsMax)
    ? { questions: [question], sharesLast }
    : undefined;
}

/**
 * Learns from the answer about the witness of a flight. If the host refuses it later than it is known to accept a
 * recipient, the witness is to come first in a session: only then the position does not explain that.
 *
 * @param isFresh whether the flight was the first of its session
 */
export function hearLastingWitness(
  lessons: Lessons,
  transactions: readonly (readonly Pending[])[],
  { questions: [question], sharesLast }: Witness,
  heard: readonly (readonly Heard[])[],
  course: Course,
  isFresh: boolean,
): LastingAnswer {
  if (question === undefined) {
    return 'silent';
  }
  const number = sharesLast ? transactions.length - 1 : transactions.length;
  const index = sharesLast ? (transactions[number]?.length ?? 0) : 0;
  const answer = heard[number]?.[index];
  const positions = positionsOf(question, isFresh, number, index, course);
  const depth = passRecipient(course, question, answer, index);
  if (answer?.kind !== 'answered') {
    return 'silent';
  }
  // A witness that was called missing since then has been replaced, and is no contradiction.
  const isReplaced =
    lessons.repetitions.said.get(nameOf(question)) === false && !lessons.witnesses.some(isSame(question));
  const isRefused = denials.has(answer.finding) && !isReplaced;
  const isTakenBack = isRefused && isBelievedAt(positions, depth, lessons);
  if (answer.finding === 'accepted') {
    noteAcceptance(positions, depth, lessons);
    lessons.denialsInARow = 0;
    lessons.contradictsItself = false;
  }
  if (answer.finding === 'accepted' || isTakenBack) {
    noteWitness(lessons.repetitions, question, !isTakenBack);
  }
  if (isRefused && !isTakenBack && !lessons.firstOnly) {
    lessons.doubtfulWitness = question;
    return 'doubtful';
  }
  return isTakenBack ? 'taken_back' : 'silent';
}

function followsAnother({ positions }: Held): boolean {
  return positions.has('same_transaction');
}

function fits({ domain, international }: RecipientQuestion): (other: Pending) => boolean {
  return ({ alone, question }) =>
    !alone && question.domain === domain && question.international === international;
}

/** Adds the questions about the witness to those of a flight. */
export function withWitness(
  transactions: readonly (readonly RecipientQuestion[])[],
  witness: Witness | undefined,
): readonly (readonly RecipientQuestion[])[] {
  if (witness === undefined) {
    return transactions;
  }
  const { questions, sharesLast } = witness;
  const last = transactions.at(-1);
  return sharesLast && last !== undefined
    ? [...transactions.slice(0, -1), [...last, ...questions]]
    : [...transactions, questions];
}

/**
 * Learns from the answer about a witness: acceptance shows that its position does not matter, refusal that it does.
 * Returns false if the answer shows neither.
 */
export function hearWitnesses(
  lessons: Lessons,
  transactions: readonly (readonly Pending[])[],
  { questions, sharesLast }: Witness,
  heard: readonly (readonly Heard[])[],
  course: Course,
): boolean {
  const number = sharesLast ? transactions.length - 1 : transactions.length;
  const from = sharesLast ? (transactions[number]?.length ?? 0) : 0;
  const shown = questions.map((question, index) => {
    const answer = heard[number]?.[from + index];
    const positions = positionsOf(question, false, number, from + index, course);
    const depth = passRecipient(course, question, answer, from + index);
    const isRefused = answer?.kind === 'answered' && denials.has(answer.finding);
    course.isContradicted ||= isRefused && !isDeeper(withinTransaction(depth), lessons.acceptsAfter);
    if (isRefused && !lessons.firstOnly && !question.international) {
      lessons.doubtfulWitness = question;
    }
    return hearWitness(answer, positions, depth, lessons);
  });
  return shown.every(Boolean);
}

function hearWitness(
  heard: Heard | undefined,
  positions: ReadonlySet<Position>,
  depth: Depth,
  lessons: Lessons,
): boolean {
  const finding = heard?.kind === 'answered' ? heard.finding : undefined;
  if (finding === 'accepted') {
    noteAcceptance(positions, depth, lessons);
    return true;
  }
  lessons.firstOnly ||= finding !== undefined && denials.has(finding);
  return lessons.firstOnly;
}

export function noteAcceptance(
  positions: ReadonlySet<Position>,
  depth: Depth,
  lessons: Pick<Lessons, 'acceptsAt' | 'acceptsAfter'>,
): void {
  const { acceptsAt, acceptsAfter } = lessons;
  for (const position of positions) {
    acceptsAt.add(position);
  }
  lessons.acceptsAfter = deepestOf(acceptsAfter, depth);
}

/** The most recipients that are kept as witnesses for later sessions: two domains suffice for every position. */
const witnessesMax = 2;

/** Keeps an accepted recipient as a witness for this session and later ones. */
export function keepWitness(
  question: RecipientQuestion,
  depth: Depth,
  course: Course,
  lessons: Lessons,
): void {
  course.accepted.set(question.domain, question);
  course.acceptedAt.set(nameOf(question), depth);
  // Not every machine at the address may offer SMTPUTF8.
  if (!question.international) {
    const others = lessons.witnesses.filter(({ domain }) => domain !== question.domain);
    lessons.witnesses = [...others.slice(1 - witnessesMax), question];
  }
}
