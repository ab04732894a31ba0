import type { EmailAddress } from '@mailproof/shared-types';
import type { Clock, Deadline } from '../concurrency/deadline.ts';
import { isPlainDeferral } from '../host-gate/gated-connector.ts';
import {
  askInTurn,
  askRepeatedly,
  isAcceptance,
  isRefusal,
  judgeComparison,
  type MadeUpAnswer,
  madeUpAnswer,
  refusing,
  restsOnRefusals,
  type ToCompare,
  transcriptOf,
} from './ask-made-up.ts';
import { type Comparison, type Comparisons, noComparison } from './comparison.ts';
import type { SmtpFailure } from './connection.ts';
import type { Finding } from './conversation.ts';
import { isPatient, timesInARow } from './covers.ts';
import type { MadeUpRecipient } from './made-up-recipients.ts';
import { type Depth, denials, unexplained } from './pool/lessons.ts';
import {
  askAgain,
  askApart,
  type RecipientAnswer,
  type RecipientAsker,
  type RecipientQuestion,
} from './pool/recipient-asker.ts';
import type { Reply } from './reply.ts';
import type { Stage, Transcript } from './transcript.ts';

/** What to ask one mail host, at one of its addresses. */
export interface ProbePlan {
  readonly email: EmailAddress;
  readonly madeUp: readonly MadeUpRecipient[];
  readonly host: string;
  readonly address: string;
  readonly provider: string | undefined;
  /** For hosts that dislike several recipients in one transaction. */
  readonly oneRecipientPerTransaction: boolean;
}

export interface ProbePorts {
  readonly asker: RecipientAsker;
  readonly comparisons: Comparisons;
  readonly clock: Clock;
}

export type ProbeResult =
  /** The session ended before the recipient could be asked about. */
  | { readonly kind: 'ended'; readonly stage: Stage; readonly finding: Finding }
  | { readonly kind: 'smtputf8_unsupported' }
  | {
      readonly kind: 'answered';
      readonly recipient: Finding;
      /** The reply to RCPT; undefined if the host failed to reply. */
      readonly reply?: Reply;
      readonly madeUp: readonly MadeUpAnswer[];
      /** How long ago the made-up ones were asked about, in milliseconds. */
      readonly comparedMsAgo: number;
      /** True if this network address has lately accepted a recipient of the domain, so it has its mailboxes. */
      readonly knowsDomain?: boolean;
    };

export type Probe =
  | { readonly kind: 'not_connected'; readonly failure: SmtpFailure }
  | { readonly kind: 'probed'; readonly result: ProbeResult; readonly transcript: Transcript };

/**
 * An acceptance says nothing until it is compared. A greylist remembers each recipient separately (RFC 6647 section
 * 2.1), so the made-up ones are introduced together with the real one; otherwise they would be new to it at the next
 * probe.
 */
function isWorthComparing(finding: Finding, reply: Reply | undefined): boolean {
  return finding === 'accepted' || finding === 'greylisted' || isPlainDeferral(finding, reply);
}

/**
 * Asks a mail host about a recipient, and about made-up ones unless it refuses the real one: a refusal needs no
 * comparison, and every unnecessary RCPT hurts our standing. The real one comes first, because hosts that count
 * refusals would refuse it after the others. DATA is never sent, so there is no message.
 *
 * @param onSlow called if the host takes so long to connect that another one should be tried in parallel
 */
export async function probeRecipient(
  { asker, comparisons, clock }: ProbePorts,
  plan: ProbePlan,
  deadline: Deadline,
  onSlow?: () => void,
): Promise<Probe> {
  const question = questionOf(plan);
  const askedAtMs = clock.nowMs();
  const asking = asker.ask(question, deadline, onSlow);
  const visit = comparisons.visit(plan.host, question);
  try {
    const answer = await asking;
    if (answer.kind === 'answered' && denials.has(answer.finding)) {
      return probeOf(await askAgainIfOdd(asker, question, answer, deadline), noComparison);
    }
    if (answer.kind !== 'answered' || !isWorthComparing(answer.finding, answer.reply)) {
      return probeOf(answer, noComparison);
    }
    const toCompare = { ...plan, question, answer, askedAtMs, answeredAtMs: clock.nowMs() };
    const found = await comparisons.compare(toCompare, visit, deadline);
    if (answer.finding !== 'accepted' || judgeComparison(found.madeUp) !== 'knows_recipients') {
      return probeOf(answer, found);
    }
    const inTurn = restsAlone(found) ? await askRefusedInTurn(asker, toCompare, found, deadline) : undefined;
    const compared = inTurn?.compared ?? found;
    const second = inTurn?.second ?? (await askIfDoubtful(asker, question, answer, compared, deadline));
    const { transcript } = 'transcript' in second ? second : answer;
    const judgment = judgeComparison(compared.madeUp);
    if (judgment !== 'knows_recipients') {
      if (judgment === 'accepts_everybody') {
        await comparisons.forget(plan.host, question);
      }
      return probeOf({ ...answer, transcript }, compared);
    }
    const isContradicted = isAcceptance(second)
      ? isTakenBack(compared)
      : isRefusal(second) && !answer.inCompany;
    if (isContradicted || answer.steadiness?.() === 'unsteady') {
      // No answer about this recipient counts, nor does what the host said about made-up ones.
      await comparisons.forget(plan.host, question);
      return probeOf({ ...answer, transcript }, { ...compared, madeUp: [] });
    }
    const late = commonlyLateBy(answer, second);
    return probeOf(
      late.length > 0 ? await askElsewhere(asker, question, answer, second, late, deadline) : second,
      compared,
    );
  } finally {
    visit.end();
  }
}

/**
 * A host that has accepted a recipient and called it missing may do so with this one: it is asked again. Where that
 * happens often, the refusal says nothing.
 */
async function askAgainIfOdd(
  asker: RecipientAsker,
  question: RecipientQuestion,
  answer: Extract<RecipientAnswer, { kind: 'answered' }>,
  deadline: Deadline,
): Promise<RecipientAnswer> {
  const { steadiness = () => 'steady' } = answer;
  const second =
    steadiness() === 'odd' ? await askAgain(asker, { ...question, alone: true }, answer, deadline) : answer;
  const isTakenBack = second.kind === 'answered' && second.finding === 'accepted';
  const told = 'transcript' in second ? { ...answer, transcript: second.transcript } : answer;
  return isTakenBack || steadiness() === 'unsteady' ? { ...told, finding: 'missing_for_now' } : told;
}

/** Whether only refusals without a reason, given after the acceptance, distinguish the recipient from made-up ones. */
function restsAlone(compared: Comparison): boolean {
  // Remembered answers were given before the acceptance.
  return !isTakenBack(compared) && restsOnRefusals(compared.madeUp) && compared.transcript.length > 0;
}

/**
 * Asks about the accepted recipient in turn with the made-up one that was refused last. If the host does not refuse that
 * one each time, the comparison says so. In lists, one turn must do: each is a refusal that hurts our standing.
 */
async function askRefusedInTurn(
  asker: RecipientAsker,
  toCompare: ToCompare,
  found: Comparison,
  deadline: Deadline,
): Promise<{ readonly second: RecipientAnswer; readonly compared: Comparison } | undefined> {
  const refused = found.madeUp.findLast(({ shape }) => shape === 'alike');
  if (refused === undefined) {
    return undefined;
  }
  const { second, between } = await askInTurn(
    asker,
    toCompare,
    refused,
    isPatient(deadline) ? 1 : 2,
    deadline,
  );
  const madeUp = isRefusal(between)
    ? found.madeUp
    : found.madeUp.map(one => (one === refused ? madeUpAnswer(refused, between) : one));
  const transcript = [...found.transcript, ...transcriptOf(between)];
  return { second, compared: { ...found, madeUp, transcript } };
}

/** How often an accepted recipient is asked about again, in a row, at a host that lately contradicted itself. */
const timesWhereOdd = 3;

/** Asks about an accepted recipient again if something else may explain the acceptance or what came after it. */
async function askIfDoubtful(
  asker: RecipientAsker,
  question: RecipientQuestion,
  answer: Extract<RecipientAnswer, { kind: 'answered' }>,
  compared: Comparison,
  deadline: Deadline,
): Promise<RecipientAnswer> {
  const { unproved } = compared;
  const alone = { ...question, alone: true };
  const { again } = unproved ?? {};
  const isOdd = ['odd', 'unsteady'].includes(answer.steadiness?.() ?? 'steady');
  const times = isOdd ? timesWhereOdd : isPatient(deadline) ? 1 : timesInARow;
  const inARow: RecipientAsker = { ask: (one, until) => askRepeatedly(asker, one, times, until) };
  const isApart = (unproved === undefined && !isOdd) || answer.inCompany;
  const isClear = again?.kind === 'answered' && (!again.inCompany || refusing.has(again.finding));
  const later = isApart
    ? await askApart(inARow, question, answer, deadline)
    : isClear
      ? { ...again, transcript: [...answer.transcript, ...again.transcript] }
      : await askAgain(inARow, question, answer, deadline);
  // A host that has had enough of the session refuses without a reason, too.
  const second = isUnexplained(later)
    ? await askAgain(asker, { ...alone, fresh: true }, later, deadline)
    : later;
  // A host that fails to answer does not contradict anything it has said.
  if (isApart || isRefusal(second)) {
    return second;
  }
  return second.kind === 'answered' && second.finding === 'accepted'
    ? { ...second, ...(answer.reply !== undefined && { reply: answer.reply }) }
    : { ...answer, transcript: 'transcript' in second ? second.transcript : answer.transcript };
}

/** Whether the host called the accepted recipient missing when asked again with made-up ones. */
function isTakenBack({ unproved }: Comparison): boolean {
  return unproved?.again !== undefined && isDenial(unproved.again);
}

/** True for a refusal that its position in the session may explain. */
function isUnexplained(answer: RecipientAnswer): boolean {
  return answer.kind === 'answered' && unexplained.has(answer.finding) && !answer.first && !isDenial(answer);
}

/** True if the mailbox is called missing, even by a host that is no longer believed about that. */
function isDenial(answer: RecipientAnswer): boolean {
  if (answer.kind !== 'answered') {
    return false;
  }
  const { finding, reply } = answer;
  return denials.has(finding) || (finding === 'missing_for_now' && (reply?.code ?? 0) >= 500);
}

/**
 * Asks about an accepted recipient where the host is known to refuse others: behind one of the same domain if only the
 * change of domain may explain the acceptance, otherwise first in a fresh session.
 */
async function askElsewhere(
  asker: RecipientAsker,
  question: RecipientQuestion,
  answer: RecipientAnswer,
  second: RecipientAnswer,
  late: readonly string[],
  deadline: Deadline,
): Promise<RecipientAnswer> {
  const alone = { ...question, alone: true };
  const third = late.every(count => count === changeOfDomain)
    ? await askAgain(asker, alone, second, deadline)
    : second;
  return commonlyLateBy(answer, third).length > 0
    ? askAgain(asker, { ...alone, fresh: true }, third, deadline)
    : third;
}

const changeOfDomain: keyof Depth = 'domainChanged';

/** The counts by which both acceptances came late: one cause may explain both. */
function commonlyLateBy(one: RecipientAnswer, other: RecipientAnswer): readonly string[] {
  const late = lateBy(other);
  return lateBy(one).filter(count => late.includes(count));
}

function lateBy(answer: RecipientAnswer): readonly string[] {
  return answer.kind === 'answered' && answer.finding === 'accepted' ? (answer.lateBy?.() ?? []) : [];
}

function probeOf(answer: RecipientAnswer, compared: Comparison): Probe {
  if (answer.kind === 'not_connected') {
    return answer;
  }
  const transcript = [...answer.opening, ...answer.transcript, ...compared.transcript];
  if (answer.kind === 'smtputf8_unsupported') {
    return { kind: 'probed', result: { kind: 'smtputf8_unsupported' }, transcript };
  }
  if (answer.kind === 'ended') {
    const { stage, finding } = answer;
    return { kind: 'probed', result: { kind: 'ended', stage, finding }, transcript };
  }
  const { finding, reply, knowsDomain = false } = answer;
  return {
    kind: 'probed',
    result: {
      kind: 'answered',
      recipient: finding,
      ...(reply !== undefined && { reply }),
      madeUp: compared.madeUp,
      comparedMsAgo: compared.ageMs,
      knowsDomain,
    },
    transcript,
  };
}

function questionOf(plan: ProbePlan): RecipientQuestion {
  const { localPart, domain } = plan.email;
  return {
    address: plan.address,
    serverName: domain.kind === 'literal' ? undefined : plan.host,
    provider: plan.provider,
    localPart: localPart.wireForm,
    domain: domain.ascii,
    international: localPart.international,
    alone: plan.oneRecipientPerTransaction,
  };
}
