import type { Clock, Deadline } from '../deadline.ts';
import { createSingleFlight } from '../single-flight.ts';
import type { MadeUpRecipient } from './made-up-recipients.ts';
import type { Finding } from './open-session.ts';
import {
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
}

export interface RememberedComparison {
  readonly madeUp: readonly MadeUpAnswer[];
  readonly checkedAtMs: number;
}

/** What hosts said to made-up recipients in the last hours. Losing it costs questions only. */
export interface ComparisonMemory {
  recall(domain: string, host: string): Promise<RememberedComparison | undefined>;
  remember(domain: string, host: string, comparison: RememberedComparison, lifetimeMs: number): Promise<void>;
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

/** Asks about made-up recipients, once for all who want to know it of the same domain and host. */
export interface Comparisons {
  /** @param question about the real recipient, which is taken as a pattern */
  compare(
    host: string,
    question: RecipientQuestion,
    madeUp: readonly MadeUpRecipient[],
    deadline: Deadline,
  ): Promise<Comparison>;
}

const comparisonTimeoutMs = 60_000;

export function createComparisons(ports: ComparisonPorts, lifetimes: ComparisonLifetimes): Comparisons {
  const { asker, memory, clock, nowMs, onStoreFailed } = ports;
  const comparing = createSingleFlight<Comparison>(clock, comparisonTimeoutMs);

  async function remembered(domain: string, host: string): Promise<Comparison | undefined> {
    const found = await memory.recall(domain, host).catch(onStoreFailed);
    return found
      ? { madeUp: found.madeUp, ageMs: Math.max(0, nowMs() - found.checkedAtMs), transcript: [] }
      : undefined;
  }

  async function askAll(
    host: string,
    pattern: RecipientQuestion,
    madeUp: readonly MadeUpRecipient[],
    deadline: Deadline,
  ): Promise<Comparison> {
    const { domain } = pattern;
    const known = await remembered(domain, host);
    if (known !== undefined) {
      return known;
    }
    const together = await Promise.all(
      madeUp.map(async recipient => {
        const question = { ...pattern, localPart: recipient.localPart, international: false };
        return { recipient, question, answer: await asker.ask(question, deadline) };
      }),
    );
    // One that is accepted by itself settles it; else no acceptance may be owed to company.
    const asked = together.some(({ answer }) => isOwnAcceptance(answer))
      ? together
      : await Promise.all(
          together.map(async one => ({
            ...one,
            answer: await askApart(asker, one.question, one.answer, deadline),
          })),
        );
    const answers = asked.map(({ recipient, answer }) => read(recipient, answer));
    const lifetimeMs =
      judgeComparison(answers) === 'inconclusive' ? lifetimes.inconclusiveMs : lifetimes.conclusiveMs;
    // What was broken off says nothing of the host.
    if (lifetimeMs > 0 && !deadline.signal.aborted) {
      await memory
        .remember(domain, host, { madeUp: answers, checkedAtMs: nowMs() }, lifetimeMs)
        .catch(onStoreFailed);
    }
    return {
      madeUp: answers,
      ageMs: 0,
      transcript: asked.flatMap(({ answer }) => ('transcript' in answer ? answer.transcript : [])),
    };
  }

  return {
    async compare(host, question, madeUp, deadline) {
      const comparison = await comparing.join(`${question.domain} ${host}`, deadline, shared =>
        askAll(host, question, madeUp, shared),
      );
      return comparison ?? { madeUp: [], ageMs: 0, transcript: [] };
    },
  };
}

export type ComparisonJudgement = 'accepts_everybody' | 'knows_recipients' | 'inconclusive';

/** Says whether an acceptance by this host means anything. A failed comparison never means that it does. */
export function judgeComparison(madeUp: readonly MadeUpAnswer[]): ComparisonJudgement {
  if (madeUp.some(({ finding }) => finding === 'accepted')) {
    return 'accepts_everybody';
  }
  // One clear "no such mailbox" shows that the host knows its recipients.
  const told = madeUp.some(({ finding }) => finding === 'missing');
  // So do refusals of every shape, each free of doubt, of a host that explains nothing but accepts the real one.
  const refused = madeUp.length >= 2 && madeUp.every(({ finding, first }) => finding === 'refused' && first);
  return told || refused ? 'knows_recipients' : 'inconclusive';
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
