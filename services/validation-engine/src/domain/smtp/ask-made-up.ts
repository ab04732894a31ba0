import type { Deadline } from '../concurrency/deadline.ts';
import type { Finding } from './conversation.ts';
import type { MadeUpRecipient } from './made-up-recipients.ts';
import { denials, unexplained } from './pool/lessons.ts';
import {
  askAgain,
  askApart,
  isSameSession,
  type RecipientAnswer,
  type RecipientAsker,
  type RecipientQuestion,
} from './pool/recipient-asker.ts';
import type { Reply } from './reply.ts';
import type { Transcript } from './transcript.ts';

/** What a host said about a recipient, to be compared with what it says about made-up ones. */
export interface ToCompare {
  readonly host: string;
  /** The question about the real recipient, which serves as a pattern. */
  readonly question: RecipientQuestion;
  readonly answer: RecipientAnswer;
  /** When the question was asked, and when its answer arrived. */
  readonly askedAtMs: number;
  readonly answeredAtMs: number;
  readonly madeUp: readonly MadeUpRecipient[];
}

/** What a host has said about made-up recipients in a running comparison. */
export interface AnswersSoFar {
  /** Undefined once an acceptance may be due to the company of another recipient, or the host contradicts itself. */
  answers: readonly MadeUpAnswer[] | undefined;
  /** No question of it was asked before this time. */
  readonly putAtMs: number;
  /** The network address of the host. */
  readonly address: string;
}

/** The outcome of a comparison. */
interface AskedMadeUp {
  /** Empty if the host contradicts itself. */
  readonly answers: readonly MadeUpAnswer[];
  readonly transcript: Transcript;
  /** What the host said about the accepted recipient when asked again, with and after the made-up ones. */
  readonly again: RecipientAnswer | undefined;
  /** Whether the session of that answer refused a made-up recipient in the form of the accepted one. */
  readonly isOneSession: boolean;
}

/** Asks a host about the made-up recipients, and about the accepted one again. */
export async function askMadeUp(
  asker: RecipientAsker,
  compared: ToCompare,
  said: AnswersSoFar,
  deadline: Deadline,
): Promise<AskedMadeUp> {
  const { question: pattern, madeUp } = compared;
  const [first, ...further] = madeUp.filter(({ shape }) => shape === 'alike');
  async function repeatQuestion(): Promise<RecipientAnswer> {
    const answer = await asker.ask(pattern, deadline);
    if (isRefusal(answer)) {
      // The host contradicts itself; no later answer can change that.
      said.answers = undefined;
    }
    return answer;
  }
  // Asked in the same flight to save a round trip.
  const askingAgain: Promise<RecipientAnswer>[] = [];
  const together = await Promise.all(
    [first, ...madeUp.filter(({ shape }) => shape === 'random')]
      .filter(recipient => recipient !== undefined)
      .map(async recipient => {
        const question = { ...pattern, localPart: recipient.localPart, international: false };
        const asking = asker.ask(question, deadline);
        for (let times = timesAgain(compared, recipient === first); times > 0; times -= 1) {
          const again = repeatQuestion();
          // Nothing waits for it if another question fails.
          again.catch(() => undefined);
          askingAgain.push(again);
        }
        const answer = await asking;
        noteAnswer(said, recipient, answer);
        return { recipient, question, answer };
      }),
  );
  // A made-up recipient that is accepted alone settles it. Otherwise no acceptance may depend on other recipients.
  const apart = together.some(({ answer }) => isOwnAcceptance(answer))
    ? together
    : await Promise.all(
        together.map(async one => ({
          ...one,
          answer: await askApart(asker, one.question, one.answer, deadline),
        })),
      );
  const asked = isDoubtful(apart.map(({ recipient, answer }) => madeUpAnswer(recipient, answer)))
    ? await Promise.all(
        apart.map(async one => {
          const question = { ...one.question, alone: true, fresh: true };
          return { ...one, answer: await askAgain(asker, question, one.answer, deadline) };
        }),
      )
    : [...apart];
  // One made-up name in the form of the address may belong to a person by chance; several are unlikely to.
  for (const recipient of further) {
    const alike = asked.filter(({ recipient: { shape } }) => shape === 'alike');
    if (
      asked.some(one => one.recipient.shape === 'random' && isAcceptance(one.answer)) ||
      !alike.every(({ answer }) => isAcceptance(answer))
    ) {
      break;
    }
    const { localPart } = recipient;
    const question = { ...pattern, localPart, international: false, alone: true };
    asked.push({ recipient, question, answer: await asker.ask(question, deadline) });
  }
  const answersAgain = await Promise.all(askingAgain);
  let again = decisiveOf(answersAgain);
  const hits = asked.filter(one => isAcceptance(one.answer));
  let isSteady = true;
  const answers = asked.map(({ recipient, answer }) => madeUpAnswer(recipient, answer));
  if (again !== undefined && hits.length > 0 && judgeComparison(answers) === 'knows_recipients') {
    // The acceptances may not be chance: the host may answer at random, or may have just changed its mind.
    const repeated = await Promise.all(
      hits.map(async one => isAcceptance(await asker.ask({ ...one.question, alone: true }, deadline))),
    );
    isSteady = repeated.every(Boolean);
    again = await askAgain(asker, { ...pattern, alone: true }, again, deadline);
  }
  return {
    answers: isSteady ? answers : [],
    transcript: asked.flatMap(({ answer }) => transcriptOf(answer)),
    again,
    isOneSession: asked.some(
      one =>
        again !== undefined &&
        one.recipient.shape === 'alike' &&
        isRefusal(one.answer) &&
        isSameSession(one.answer, again),
    ),
  };
}

/** A host that takes longer than this over a reply, in milliseconds, is asked about the recipient one more time only. */
const quickMs = 1_000;

/**
 * How often an accepted recipient is asked about again after a made-up one. Twice at the end, so that a host whose two
 * halves take turns shows both.
 */
function timesAgain(compared: ToCompare, isFirst: boolean): number {
  return isAcceptance(compared.answer) ? (isFirst ? 0 : 1) + (isQuick(compared) ? 1 : 0) : 0;
}

/**
 * Whether a host takes less time over a reply. Goes by its own pace: on a busy machine, an answer also waits for sessions
 * and for the processor.
 */
export function isQuick({ answer }: ToCompare, underMs = quickMs): boolean {
  return answer.kind === 'answered' && (answer.replyMs ?? 0) < underMs;
}

/**
 * Asks several times, alone and in a row, in one flight.
 *
 * @param times at least 1
 */
export async function askRepeatedly(
  asker: RecipientAsker,
  question: RecipientQuestion,
  times: number,
  deadline: Deadline,
): Promise<RecipientAnswer> {
  const ask = () => asker.ask({ ...question, alone: true }, deadline);
  const asking = Array.from({ length: times }, ask);
  return decisiveOf(await Promise.all(asking)) ?? ask();
}

/**
 * Asks about an accepted recipient twice, and then in turn about a refused made-up one and about it, alone and in a row: a
 * host that gives no reason for refusals may limit how many recipients it accepts at a time, or accept every nth one.
 *
 * @param turns how often the made-up one is asked about; at least 1
 * @returns what the host said about the accepted recipient, and about the made-up one: an answer that contradicts
 *   outweighs the others
 */
export async function askInTurn(
  asker: RecipientAsker,
  { question, answer }: ToCompare,
  { localPart }: MadeUpRecipient,
  turns: number,
  deadline: Deadline,
): Promise<{ readonly second: RecipientAnswer; readonly between: RecipientAnswer }> {
  const ask = (name: Partial<RecipientQuestion>) =>
    asker.ask({ ...question, ...name, alone: true }, deadline);
  const asking = [ask({}), ask({})];
  const askingMadeUp: Promise<RecipientAnswer>[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    askingMadeUp.push(ask({ localPart, international: false }));
    asking.push(ask({}));
  }
  const [answers, between] = await Promise.all([Promise.all(asking), Promise.all(askingMadeUp)]);
  const second = decisiveOf(answers) as RecipientAnswer;
  const told = { transcript: [answer, ...answers].flatMap(transcriptOf) };
  const contradiction = between.find(one => !isRefusal(one)) ?? (between[0] as RecipientAnswer);
  return {
    second: 'transcript' in second ? { ...second, ...told } : second,
    between:
      'transcript' in contradiction
        ? { ...contradiction, transcript: between.flatMap(transcriptOf) }
        : contradiction,
  };
}

/** Of several answers about an accepted recipient: a refusal outweighs any acceptance. */
function decisiveOf(answers: readonly RecipientAnswer[]): RecipientAnswer | undefined {
  return answers.find(isRefusal) ?? answers.findLast(isOwnAcceptance) ?? answers.at(-1);
}

function noteAnswer(said: AnswersSoFar, recipient: MadeUpRecipient, answer: RecipientAnswer): void {
  const isOwedToCompany = isAcceptance(answer) && !isOwnAcceptance(answer);
  said.answers = isOwedToCompany
    ? undefined
    : said.answers && [...said.answers, madeUpAnswer(recipient, answer)];
}

export function isRefusal(answer: RecipientAnswer): boolean {
  return answer.kind === 'answered' && refusing.has(answer.finding);
}

export function isAcceptance(answer: RecipientAnswer): boolean {
  return answer.kind === 'answered' && answer.finding === 'accepted';
}

function isOwnAcceptance(answer: RecipientAnswer): boolean {
  return answer.kind === 'answered' && answer.finding === 'accepted' && !answer.inCompany;
}

export function transcriptOf(answer: RecipientAnswer): Transcript {
  return 'transcript' in answer ? answer.transcript : [];
}

/** The answer about a made-up recipient. */
export interface MadeUpAnswer extends MadeUpRecipient {
  readonly finding: Finding;
  /**
   * No limit can explain the answer: it was asked about as the first of its transaction, or, if it was refused without a
   * reason, as the first of its session.
   */
  readonly first: boolean;
  /** The reply to RCPT; undefined if the host failed to reply. */
  readonly reply?: Reply;
}

/** Findings that distinguish a made-up recipient from an accepted one, and that revoke an acceptance. */
export const refusing: ReadonlySet<Finding> = new Set([
  'missing',
  'missing_for_now',
  'disabled',
  'refused',
  'policy',
]);

type ComparisonJudgment = 'accepts_everybody' | 'knows_recipients' | 'inconclusive';

/** Judges whether an acceptance by this host means anything. A failed comparison never shows that it does. */
export function judgeComparison(madeUp: readonly MadeUpAnswer[]): ComparisonJudgment {
  const alike = madeUp.filter(({ shape }) => shape === 'alike');
  const accepted = madeUp.filter(({ finding }) => finding === 'accepted');
  // A name in the form of the address may exist by chance if another name of that form is clearly unknown.
  const isByChance =
    accepted.every(({ shape }) => shape === 'alike') && alike.some(({ finding }) => denials.has(finding));
  if (accepted.length > 0 && !isByChance) {
    return 'accepts_everybody';
  }
  // Refusals may depend on the form of a name, so at least one name in the form of the address must be refused.
  if (!alike.some(({ finding }) => refusing.has(finding))) {
    return 'inconclusive';
  }
  // One clear "no such mailbox" shows that the host knows its recipients. Some call every other mailbox disabled.
  const told = madeUp.some(({ finding }) => denials.has(finding));
  // So do undoubted refusals of every shape by a host that gives no reasons but accepts the real recipient.
  return told || restsOnRefusals(madeUp) ? 'knows_recipients' : 'inconclusive';
}

/**
 * True if no refusal says plainly that the mailbox is missing. The host must then accept the real recipient after them
 * too, because it may have started to refuse all recipients.
 */
export function restsOnRefusals(madeUp: readonly MadeUpAnswer[]): boolean {
  return isRefusedThroughout(madeUp) && madeUp.every(({ first }) => first);
}

/** True if the position of the recipients in the session may explain the refusals. */
function isDoubtful(madeUp: readonly MadeUpAnswer[]): boolean {
  return isRefusedThroughout(madeUp) && !madeUp.every(({ first }) => first);
}

function isRefusedThroughout(madeUp: readonly MadeUpAnswer[]): boolean {
  return madeUp.length >= 2 && madeUp.every(({ finding }) => unexplained.has(finding));
}

/** The answer about a made-up recipient, in the form that is judged and remembered. */
export function madeUpAnswer(recipient: MadeUpRecipient, answer: RecipientAnswer): MadeUpAnswer {
  switch (answer.kind) {
    case 'not_connected':
      return { ...recipient, finding: answer.failure, first: true };
    case 'smtputf8_unsupported':
      return { ...recipient, finding: 'unexpected', first: false };
    case 'ended': {
      // The host refused the session or the sender, and said nothing about the recipient.
      const finding = refusing.has(answer.finding) ? 'unexpected' : answer.finding;
      return { ...recipient, finding, first: false };
    }
    case 'answered': {
      const { finding, first, reply } = answer;
      return { ...recipient, finding, first, ...(reply !== undefined && { reply }) };
    }
  }
}
