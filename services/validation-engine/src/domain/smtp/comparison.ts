import type { Clock, Deadline } from '../deadline.ts';
import { createSingleFlight } from '../single-flight.ts';
import { createCovers, type Visit } from './covers.ts';
import { type MadeUpRecipient, speaksFor } from './made-up-recipients.ts';
import type { Finding } from './open-session.ts';
import { unexplained } from './pool/lessons.ts';
import {
  askAgain,
  askApart,
  type RecipientAnswer,
  type RecipientAsker,
  type RecipientQuestion,
} from './pool/recipient-asker.ts';
import type { Reply } from './reply.ts';
import type { Transcript } from './transcript.ts';

/** What a made-up recipient got. */
export interface MadeUpAnswer extends MadeUpRecipient {
  readonly finding: Finding;
  /** Asked as the first of its transaction, so that no limit on recipients can explain the answer. */
  readonly first: boolean;
  /** The reply to RCPT; none where the host failed over it. */
  readonly reply?: Reply;
}

/** How a mail host treats recipients of a domain that nobody has. */
export interface Comparison {
  readonly madeUp: readonly MadeUpAnswer[];
  /** How long ago they were asked about, in milliseconds; 0 for just now. */
  readonly ageMs: number;
  /** What was said about them just now; empty where it is remembered. */
  readonly transcript: Transcript;
  /**
   * Set where the host had refused nobody before the acceptance, as far as is known: it may have begun to do so in
   * between, and then it refuses the accepted recipient too. `again` is what it said of that one afterwards, where the
   * comparison has asked.
   */
  readonly unproved?: { readonly again?: RecipientAnswer };
}

export interface RememberedComparison {
  readonly madeUp: readonly MadeUpAnswer[];
  readonly checkedAtMs: number;
}

/** What hosts said to made-up recipients in the last hours. Losing it costs questions only. */
export interface ComparisonMemory {
  recall(domain: string, host: string): Promise<RememberedComparison | undefined>;
  remember(domain: string, host: string, comparison: RememberedComparison, lifetimeMs: number): Promise<void>;
  forget(domain: string, host: string): Promise<void>;
}

export interface ComparisonPorts {
  readonly asker: RecipientAsker;
  readonly memory: ComparisonMemory;
  readonly clock: Clock;
  /** The time of day, in milliseconds since 1970: memories outlive processes. */
  readonly nowMs: () => number;
  /** Told of a memory that failed; the hosts are asked then. */
  readonly onStoreFailed: (error: unknown) => void;
}

/** How long comparisons are remembered, in milliseconds; 0 remembers none. */
export interface ComparisonLifetimes {
  readonly conclusiveMs: number;
  readonly inconclusiveMs: number;
}

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

/** Asks about made-up recipients, once for all who want to know it of the same domain and host. */
export interface Comparisons {
  /** Called at once after the question about the real recipient has been put. */
  visit(host: string, question: RecipientQuestion): Visit;
  /**
   * An acceptance that the comparison lets count was followed by the refusal of a made-up recipient: memory saves
   * questions and never makes an acceptance count by itself (ADR 0016).
   */
  compare(compared: ToCompare, visit: Visit, deadline: Deadline): Promise<Comparison>;
  /** Forgets what the host said of made-up recipients, where it has contradicted itself. */
  forget(host: string, question: RecipientQuestion): Promise<void>;
}

/** A comparison, and when it was made. */
interface Dated extends Comparison {
  /** When its answers were there, by the time of day. */
  readonly checkedAtMs: number;
  /** When its questions were put, by the clock of this process; undefined where it is remembered. */
  readonly putAtMs: number | undefined;
  /** What the host said of the recipient that was compared, asked again beside and after the made-up ones. */
  readonly again?: { readonly compared: ToCompare; readonly answer: RecipientAnswer };
}

const comparisonTimeoutMs = 60_000;

/** With what is remembered, with what is asked where that is contradicted, and once where another form needs it. */
const roundsMax = 3;

/** What is said where nothing was compared. */
export const noComparison: Comparison = { madeUp: [], ageMs: 0, transcript: [] };

/** Made-up recipients of different form that are remembered of a host. */
const rememberedMax = 16;

export function createComparisons(ports: ComparisonPorts, lifetimes: ComparisonLifetimes): Comparisons {
  const { asker, memory, clock, nowMs, onStoreFailed } = ports;
  const comparing = createSingleFlight<Dated>(clock, comparisonTimeoutMs);
  const covers = createCovers(asker, clock);
  /** What was said so far in comparisons that are under way. */
  const saidSoFar = new Map<string, SaidSoFar>();

  async function remembered(domain: string, host: string): Promise<Dated | undefined> {
    const found = await memory.recall(domain, host).catch(onStoreFailed);
    if (!found) {
      return undefined;
    }
    return { ...found, ageMs: Math.max(0, nowMs() - found.checkedAtMs), transcript: [], putAtMs: undefined };
  }

  async function remember(domain: string, host: string, comparison: RememberedComparison): Promise<void> {
    const { madeUp, checkedAtMs } = comparison;
    const { conclusiveMs, inconclusiveMs } = lifetimes;
    const lifetimeMs = judgeComparison(madeUp) === 'inconclusive' ? inconclusiveMs : conclusiveMs;
    const leftMs = Math.min(lifetimeMs, checkedAtMs + lifetimeMs - nowMs());
    if (leftMs > 0) {
      await memory.remember(domain, host, comparison, leftMs).catch(onStoreFailed);
    }
  }

  async function forget(host: string, { domain }: RecipientQuestion): Promise<void> {
    await memory.forget(domain, host).catch(onStoreFailed);
  }

  async function askAll(compared: ToCompare, said: SaidSoFar, deadline: Deadline): Promise<Dated> {
    const { host, question: pattern, madeUp } = compared;
    const { domain } = pattern;
    const known = await remembered(domain, host);
    if (known !== undefined) {
      return known;
    }
    const putAtMs = clock.nowMs();
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
    const asked = isDoubtful(apart.map(({ recipient, answer }) => read(recipient, answer)))
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
    let answer = saidAgain.find(isRefusal) ?? saidAgain.at(-1);
    const hits = asked.filter(one => isAcceptance(one.answer));
    let isSteady = true;
    if (answer !== undefined && hits.length > 0 && judgeAsked(asked) === 'knows_recipients') {
      // The hits may not be by chance at all: a host that answers at random, or has just changed its mind, contradicts itself.
      const repeated = await Promise.all(
        hits.map(async one => isAcceptance(await asker.ask({ ...one.question, alone: true }, deadline))),
      );
      isSteady = repeated.every(Boolean);
      answer = await askAgain(asker, { ...pattern, alone: true }, answer, deadline);
    }
    const answers = isSteady ? asked.map(one => read(one.recipient, one.answer)) : [];
    const checkedAtMs = nowMs();
    // What was broken off says nothing of the host.
    if (!deadline.signal.aborted) {
      // Nothing waits for it: on the same connection to the memory, who asks next finds it.
      void remember(domain, host, { madeUp: answers, checkedAtMs });
    }
    const transcript = asked.flatMap(transcriptOf);
    return {
      madeUp: answers,
      ageMs: 0,
      transcript,
      checkedAtMs,
      putAtMs,
      ...(answer !== undefined && { again: { compared, answer } }),
    };
  }

  /** What the host says of a made-up recipient after the acceptance; undefined where it contradicts what is known. */
  async function covered(
    compared: ToCompare,
    known: Dated,
    visit: Visit,
    deadline: Deadline,
  ): Promise<Comparison | undefined> {
    const { host, question } = compared;
    const alike = stillMadeUp(compared, known);
    // A greylist has to meet the very one that it will be asked about when the address is asked about again.
    const isFormKnown = isAcceptance(compared.answer) && isFormRefused(alike, known);
    // Where no words say that a mailbox is missing, its place in the session must not explain the refusal.
    const asked = { ...question, fresh: restsOnRefusals(known.madeUp) };
    const acceptance = { host, question: asked, answer: compared.answer, alike, isFormKnown };
    const cover = await covers.cover(acceptance, visit, deadline);
    if (cover === undefined) {
      return noComparison;
    }
    const said = read(cover.recipient, cover.answer);
    const transcript = [...known.transcript, ...transcriptOf(cover)];
    if (said.finding === 'greylisted') {
      return { madeUp: [said], ageMs: 0, transcript };
    }
    const likewise = known.madeUp.filter(({ finding }) => finding === said.finding);
    if (judgeComparison([said, ...likewise]) !== 'knows_recipients') {
      await forget(host, question);
      return undefined;
    }
    const madeUp = [...known.madeUp.filter(({ localPart }) => localPart !== said.localPart), said];
    if (!isFormRefused([said], known) && madeUp.length <= rememberedMax) {
      void remember(question.domain, host, { madeUp, checkedAtMs: known.checkedAtMs });
    }
    return { madeUp, ageMs: known.ageMs, transcript, ...(!isBefore(known, compared) && { unproved: {} }) };
  }

  /** Whether the host refused made-up recipients before the one to compare was asked about. */
  function isBefore({ checkedAtMs }: Dated, { askedAtMs }: ToCompare): boolean {
    return checkedAtMs <= nowMs() - (clock.nowMs() - askedAtMs);
  }

  return {
    visit: covers.visit,
    forget,
    async compare(compared, visit, deadline) {
      const { host, question, answer, heardAtMs } = compared;
      for (let round = 0; round < roundsMax; round += 1) {
        const key = `${question.domain} ${host}`;
        const joined = comparing.join(key, deadline, async shared => {
          const said: SaidSoFar = { answers: [], putAtMs: clock.nowMs() };
          saidSoFar.set(key, said);
          try {
            return await askAll(compared, said, shared);
          } finally {
            // The next comparison may have started while this one was broken off.
            if (saidSoFar.get(key) === said) {
              saidSoFar.delete(key);
            }
          }
        });
        const said = saidSoFar.get(key);
        const known = await joined;
        if (known === undefined) {
          return saidInTime(compared, said);
        }
        if (judgeComparison(known.madeUp) !== 'knows_recipients') {
          return known;
        }
        const isFresh = known.putAtMs !== undefined && known.putAtMs >= heardAtMs;
        if (isFresh && isFormRefused(stillMadeUp(compared, known), known)) {
          const isOwn = known.again?.compared === compared;
          return { ...known, unproved: { ...(isOwn && { again: known.again.answer }) } };
        }
        const comparison = await covered(compared, known, visit, deadline);
        if (comparison !== undefined || !isAcceptance(answer)) {
          return comparison ?? noComparison;
        }
      }
      return noComparison;
    },
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

/** Those made up in the form of the address, except for ones that were found to exist. */
function stillMadeUp({ madeUp }: ToCompare, known: Comparison): readonly MadeUpRecipient[] {
  const taken = new Set(
    known.madeUp.flatMap(({ localPart, finding }) => (finding === 'accepted' ? [localPart] : [])),
  );
  return madeUp.filter(({ shape, localPart }) => shape === 'alike' && !taken.has(localPart));
}

/** Whether the host has refused a recipient of the same form. */
function isFormRefused([own]: readonly MadeUpRecipient[], known: Comparison): boolean {
  return (
    own !== undefined &&
    known.madeUp.some(one => one.shape === 'alike' && refusing.has(one.finding) && speaksFor(one, own))
  );
}

/** Findings that set a made-up recipient apart from one that was accepted, and take back an acceptance. */
export const refusing: ReadonlySet<Finding> = new Set([
  'missing',
  'missing_for_now',
  'disabled',
  'refused',
  'policy',
]);

/** What a host said of made-up recipients so far; undefined where an acceptance may be owed to company. */
interface SaidSoFar {
  answers: readonly MadeUpAnswer[] | undefined;
  /** Its questions were put then or later. */
  readonly putAtMs: number;
}

function noteSaid(said: SaidSoFar, recipient: MadeUpRecipient, answer: RecipientAnswer): void {
  const isDoubtful = answer.kind === 'answered' && answer.finding === 'accepted' && answer.afterAcceptance;
  said.answers = isDoubtful ? undefined : said.answers && [...said.answers, read(recipient, answer)];
}

/**
 * Where time is up, what a slow host has said by then counts, so that it need not answer about all of them. An acceptance
 * needs a refusal that was asked for after it, of its own form.
 */
function saidInTime(compared: ToCompare, said: SaidSoFar | undefined): Comparison {
  const comparison = { ...noComparison, madeUp: said?.answers ?? [] };
  const counts =
    judgeComparison(comparison.madeUp) !== 'knows_recipients' ||
    (said !== undefined &&
      said.putAtMs >= compared.heardAtMs &&
      isFormRefused(stillMadeUp(compared, comparison), comparison));
  return counts ? comparison : noComparison;
}

export type ComparisonJudgement = 'accepts_everybody' | 'knows_recipients' | 'inconclusive';

/** Says whether an acceptance by this host means anything. A failed comparison never means that it does. */
export function judgeComparison(madeUp: readonly MadeUpAnswer[]): ComparisonJudgement {
  const alike = madeUp.filter(({ shape }) => shape === 'alike');
  const accepted = madeUp.filter(({ finding }) => finding === 'accepted');
  // One in the form of the address may exist by chance, where another one of that form is clearly unknown.
  const isByChance =
    accepted.every(({ shape }) => shape === 'alike') && alike.some(({ finding }) => finding === 'missing');
  if (accepted.length > 0 && !isByChance) {
    return 'accepts_everybody';
  }
  // Refusals may follow the form of a name, so one in the form of the address has to be among the refused.
  if (!alike.some(({ finding }) => refusing.has(finding))) {
    return 'inconclusive';
  }
  // One clear "no such mailbox" shows that the host knows its recipients.
  const told = madeUp.some(({ finding }) => finding === 'missing');
  // So do refusals of every shape, each free of doubt, of a host that explains nothing but accepts the real one.
  return told || restsOnRefusals(madeUp) ? 'knows_recipients' : 'inconclusive';
}

/**
 * True where no refusal says plainly that the mailbox is missing. The host has to accept the real recipient after them
 * too, because it may have started to refuse all recipients.
 */
export function restsOnRefusals(madeUp: readonly MadeUpAnswer[]): boolean {
  return isRefusedThroughout(madeUp) && madeUp.every(({ first }) => first);
}

/** Their place in the session may explain the refusals. */
function isDoubtful(madeUp: readonly MadeUpAnswer[]): boolean {
  return isRefusedThroughout(madeUp) && !madeUp.every(({ first }) => first);
}

function isRefusedThroughout(madeUp: readonly MadeUpAnswer[]): boolean {
  return madeUp.length >= 2 && madeUp.every(({ finding }) => unexplained.has(finding));
}

function judgeAsked(
  asked: readonly { readonly recipient: MadeUpRecipient; readonly answer: RecipientAnswer }[],
): ComparisonJudgement {
  return judgeComparison(asked.map(({ recipient, answer }) => read(recipient, answer)));
}

function isRefusal(answer: RecipientAnswer): boolean {
  return answer.kind === 'answered' && refusing.has(answer.finding);
}

function isAcceptance(answer: RecipientAnswer): boolean {
  return answer.kind === 'answered' && answer.finding === 'accepted';
}

function transcriptOf({ answer }: { readonly answer: RecipientAnswer }): Transcript {
  return 'transcript' in answer ? answer.transcript : [];
}

function isOwnAcceptance(answer: RecipientAnswer): boolean {
  return answer.kind === 'answered' && answer.finding === 'accepted' && !answer.afterAcceptance;
}

function read(recipient: MadeUpRecipient, answer: RecipientAnswer): MadeUpAnswer {
  switch (answer.kind) {
    case 'not_connected':
      return { ...recipient, finding: answer.failure, first: true };
    case 'smtputf8_unsupported':
      return { ...recipient, finding: 'policy', first: true };
    case 'ended':
      return { ...recipient, finding: answer.finding, first: true };
    case 'answered': {
      const { finding, first, reply } = answer;
      return { ...recipient, finding, first, ...(reply !== undefined && { reply }) };
    }
  }
}
