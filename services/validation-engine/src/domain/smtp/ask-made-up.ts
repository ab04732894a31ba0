import type { Deadline } from '../deadline.ts';
import {
  isDoubtful,
  judgeComparison,
  type MadeUpAnswer,
  madeUpAnswer,
  refusing,
} from './judge-comparison.ts';
import type { MadeUpRecipient } from './made-up-recipients.ts';
import {
  askAgain,
  askApart,
  type RecipientAnswer,
  type RecipientAsker,
  type RecipientQuestion,
} from './pool/recipient-asker.ts';
import type { Transcript } from './transcript.ts';

/** What a host said about a recipient, to be compared with what it says about made-up ones. */
export interface ToCompare {
  readonly host: string;
  /** About the real recipient, which is taken as a pattern. */
  readonly question: RecipientQuestion;
  readonly answer: RecipientAnswer;
  /** When the question was put, and when its answer was heard. */
  readonly askedAtMs: number;
  readonly heardAtMs: number;
  readonly madeUp: readonly MadeUpRecipient[];
}

/** What a host has said of made-up recipients in a comparison that is under way. */
export interface SaidSoFar {
  /** Undefined once an acceptance may be owed to the company of another recipient. */
  answers: readonly MadeUpAnswer[] | undefined;
  /** Its questions were put then or later. */
  readonly putAtMs: number;
}

/** What came of a comparison. */
export interface AskedMadeUp {
  /** Empty where the host contradicts itself. */
  readonly answers: readonly MadeUpAnswer[];
  readonly transcript: Transcript;
  /** What the host said of the accepted recipient, asked again beside and after the made-up ones. */
  readonly again: RecipientAnswer | undefined;
}

/** Asks a host about the made-up recipients, and about the accepted one again. */
export async function askMadeUp(
  asker: RecipientAsker,
  compared: ToCompare,
  said: SaidSoFar,
  deadline: Deadline,
): Promise<AskedMadeUp> {
  const { question: pattern, madeUp } = compared;
  const [first, ...further] = madeUp.filter(({ shape }) => shape === 'alike');
  // In the same flight, so that it takes no further round trip.
  const askingAgain: Promise<RecipientAnswer>[] = [];
  const together = await Promise.all(
    [first, ...madeUp.filter(({ shape }) => shape === 'random')]
      .filter(recipient => recipient !== undefined)
      .map(async recipient => {
        const question = { ...pattern, localPart: recipient.localPart, international: false };
        const asking = asker.ask(question, deadline);
        for (let times = timesAgain(compared, recipient === first); times > 0; times -= 1) {
          askingAgain.push(asker.ask(pattern, deadline));
        }
        const answer = await asking;
        noteSaid(said, recipient, answer);
        return { recipient, question, answer };
      }),
  );
  // One that is accepted by itself settles it; else no acceptance may be owed to company.
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
  // One in the form of the address may belong to a person by chance; several hardly do.
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
  const saidAgain = await Promise.all(askingAgain);
  let again = saidAgain.find(isRefusal) ?? saidAgain.at(-1);
  const hits = asked.filter(one => isAcceptance(one.answer));
  let isSteady = true;
  const answers = asked.map(({ recipient, answer }) => madeUpAnswer(recipient, answer));
  if (again !== undefined && hits.length > 0 && judgeComparison(answers) === 'knows_recipients') {
    // The hits may have another cause than chance: the host answers at random, or has just changed its mind.
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
  };
}

/** A host that takes longer over the first recipient, in milliseconds, is asked about it only once more. */
const quickMs = 1_000;

/**
 * How often an accepted recipient is asked about again behind a made-up one. Twice at the end, so that a host whose two
 * halves take turns shows both.
 */
function timesAgain({ answer, askedAtMs, heardAtMs }: ToCompare, isFirst: boolean): number {
  if (!isAcceptance(answer)) {
    return 0;
  }
  const isQuick = heardAtMs - askedAtMs < quickMs;
  return (isFirst ? 0 : 1) + (isQuick ? 1 : 0);
}

function noteSaid(said: SaidSoFar, recipient: MadeUpRecipient, answer: RecipientAnswer): void {
  const isOwedToCompany = isAcceptance(answer) && !isOwnAcceptance(answer);
  said.answers = isOwedToCompany
    ? undefined
    : said.answers && [...said.answers, madeUpAnswer(recipient, answer)];
}

function isRefusal(answer: RecipientAnswer): boolean {
  return answer.kind === 'answered' && refusing.has(answer.finding);
}

export function isAcceptance(answer: RecipientAnswer): boolean {
  return answer.kind === 'answered' && answer.finding === 'accepted';
}

function isOwnAcceptance(answer: RecipientAnswer): boolean {
  return answer.kind === 'answered' && answer.finding === 'accepted' && !answer.afterAcceptance;
}

export function transcriptOf(answer: RecipientAnswer): Transcript {
  return 'transcript' in answer ? answer.transcript : [];
}
