import type { Clock, Deadline } from '../deadline.ts';
import { createSingleFlight } from '../single-flight.ts';
import { askMadeUp, isAcceptance, type SaidSoFar, type ToCompare, transcriptOf } from './ask-made-up.ts';
import { createCovers, type Visit } from './covers.ts';
import {
  judgeComparison,
  type MadeUpAnswer,
  madeUpAnswer,
  refusing,
  restsOnRefusals,
} from './judge-comparison.ts';
import { type MadeUpRecipient, speaksFor } from './made-up-recipients.ts';
import type { RecipientAnswer, RecipientAsker, RecipientQuestion } from './pool/recipient-asker.ts';
import type { Transcript } from './transcript.ts';

/** How a mail host treats recipients of a domain that nobody has. */
export interface Comparison {
  readonly madeUp: readonly MadeUpAnswer[];
  /** How long ago they were asked about, in milliseconds; 0 for just now. */
  readonly ageMs: number;
  /** What was said about them just now; empty where it is remembered. */
  readonly transcript: Transcript;
  /**
   * Set unless the host is known to have refused a made-up recipient before the acceptance. It may have started to refuse
   * every recipient since, the accepted one included. `again` is what it said of that one afterwards, if the comparison
   * has asked.
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
    const {
      host,
      question: { domain },
    } = compared;
    const known = await remembered(domain, host);
    if (known !== undefined) {
      return known;
    }
    const putAtMs = clock.nowMs();
    const { answers, transcript, again } = await askMadeUp(asker, compared, said, deadline);
    const checkedAtMs = nowMs();
    // What was broken off says nothing of the host.
    if (!deadline.signal.aborted) {
      // Not awaited: who asks next uses the same connection to the memory, and so finds it.
      void remember(domain, host, { madeUp: answers, checkedAtMs });
    }
    return {
      madeUp: answers,
      ageMs: 0,
      transcript,
      checkedAtMs,
      putAtMs,
      ...(again !== undefined && { again: { compared, answer: again } }),
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
    const said = madeUpAnswer(cover.recipient, cover.answer);
    const transcript = [...known.transcript, ...transcriptOf(cover.answer)];
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
