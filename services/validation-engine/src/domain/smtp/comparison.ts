import type { Clock, Deadline } from '../concurrency/deadline.ts';
import { createSingleFlight } from '../concurrency/in-flight.ts';
import {
  type AnswersSoFar,
  askMadeUp,
  isAcceptance,
  isQuick,
  isRefusal,
  judgeComparison,
  type MadeUpAnswer,
  madeUpAnswer,
  refusing,
  restsOnRefusals,
  type ToCompare,
  transcriptOf,
} from './ask-made-up.ts';
import { type Acceptance, createCovers, isPatient, timesInARow, type Visit } from './covers.ts';
import { type MadeUpRecipient, speaksFor } from './made-up-recipients.ts';
import { denials } from './pool/lessons.ts';
import type { RecipientAnswer, RecipientAsker, RecipientQuestion } from './pool/recipient-asker.ts';
import type { Reply } from './reply.ts';
import type { Transcript } from './transcript.ts';

/** How a mail host treats recipients that do not exist at a domain. */
export interface Comparison {
  /** Accepted ones are without replies if the host may reply in another way by now, and did not say so. */
  readonly madeUp: readonly MadeUpAnswer[];
  /** How long ago they were asked about, in milliseconds; 0 for just now. */
  readonly ageMs: number;
  /** The exchanges about them just now; empty if the answers come from memory. */
  readonly transcript: Transcript;
  /**
   * Set unless the host is known to have refused a made-up recipient before the acceptance: the host may have started
   * since then to refuse every recipient, including the accepted one. Also set with `again`, the host's later answer
   * about the accepted one, if the comparison asked: the host may accept at random.
   */
  readonly unproved?: { readonly again?: RecipientAnswer };
}

export interface RememberedComparison {
  readonly madeUp: readonly MadeUpAnswer[];
  readonly checkedAtMs: number;
}

/** What hosts said about made-up recipients in the last hours. Losing it only costs questions. */
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
  /** Called when the memory fails; the hosts are then asked. */
  readonly onStoreFailed: (error: unknown) => void;
}

/** How long comparisons are remembered, in milliseconds; 0 remembers none. */
export interface ComparisonLifetimes {
  readonly conclusiveMs: number;
  readonly inconclusiveMs: number;
}

/** Asks about made-up recipients, once for all callers that need to know about the same domain and host. */
export interface Comparisons {
  /** Must be called right after the question about the real recipient is asked. */
  visit(host: string, question: RecipientQuestion): Visit;
  /**
   * An acceptance counts only if a made-up recipient was refused after it: memory saves questions, but never makes an
   * acceptance count alone (ADR 0016).
   */
  compare(compared: ToCompare, visit: Visit, deadline: Deadline): Promise<Comparison>;
  /** Forgets what the host said about made-up recipients, after it has contradicted itself. */
  forget(host: string, question: RecipientQuestion): Promise<void>;
}

/** When questions were asked, by the clock of this process, and at which network address of the host. */
type Put = Pick<AnswersSoFar, 'putAtMs' | 'address'>;

/** A comparison, and when it was made. */
interface Dated extends Comparison {
  /** When its answers had arrived, by the time of day. */
  readonly checkedAtMs: number;
  /** When its questions were asked, by the clock of this process, and where; undefined if it comes from memory. */
  readonly put: Put | undefined;
  /** What the host said about the compared recipient when asked again, with and after the made-up ones. */
  readonly again?: {
    readonly compared: ToCompare;
    readonly answer: RecipientAnswer;
    /** Whether the session of the answer also refused a made-up recipient. */
    readonly isOneSession: boolean;
  };
}

const comparisonTimeoutMs = 60_000;

/** How old a remembered comparison is, in milliseconds, before other codes of an acceptance repeat it. */
const repeatedAfterMs = 60_000;

/** A host that takes longer over a reply, in milliseconds, repeats no acceptances with covers. */
const repeatedUnderMs = 100;

/**
 * One with the remembered answers, one with new answers if those are contradicted, and one if another form needs it.
 */
const roundsMax = 3;

/** The result if nothing was compared. */
export const noComparison: Comparison = { madeUp: [], ageMs: 0, transcript: [] };

/** The most made-up recipients of different forms that are remembered for a host. */
const rememberedMax = 16;

export function createComparisons(ports: ComparisonPorts, lifetimes: ComparisonLifetimes): Comparisons {
  const { asker, memory, clock, nowMs, onStoreFailed } = ports;
  const comparing = createSingleFlight<Dated>(clock, comparisonTimeoutMs);
  const covers = createCovers(asker, clock);
  /** The replies so far in running comparisons. */
  const saidSoFar = new Map<string, AnswersSoFar>();

  async function remembered(domain: string, host: string): Promise<Dated | undefined> {
    const found = await memory.recall(domain, host).catch(onStoreFailed);
    if (!found) {
      return undefined;
    }
    return { ...found, ageMs: Math.max(0, nowMs() - found.checkedAtMs), transcript: [], put: undefined };
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

  /** @param outdated the remembered comparison to replace by a conclusive one */
  async function askAll(
    compared: ToCompare,
    outdated: Dated | undefined,
    said: AnswersSoFar,
    deadline: Deadline,
  ): Promise<Dated> {
    const {
      host,
      question: { domain },
    } = compared;
    const known = await remembered(domain, host);
    if (known !== undefined && known.checkedAtMs !== outdated?.checkedAtMs) {
      return known;
    }
    const put = { putAtMs: clock.nowMs(), address: compared.question.address };
    const { answers, transcript, again, isOneSession } = await askMadeUp(asker, compared, said, deadline);
    const checkedAtMs = nowMs();
    const isBetter = outdated === undefined || judgeComparison(answers) !== 'inconclusive';
    // An aborted comparison says nothing about the host.
    if (!deadline.signal.aborted && isBetter) {
      // Not awaited: the next question uses the same connection to the memory, and so finds it.
      void remember(domain, host, { madeUp: answers, checkedAtMs });
    }
    return {
      madeUp: answers,
      ageMs: 0,
      transcript,
      checkedAtMs,
      put,
      ...(again !== undefined && { again: { compared, answer: again, isOneSession } }),
    };
  }

  /** Asks once for all callers; `said` is what the host has said if the deadline comes first. */
  async function compareOnce(compared: ToCompare, outdated: Dated | undefined, deadline: Deadline) {
    const key = `${compared.question.domain} ${compared.host}${outdated ? ' again' : ''}`;
    const joined = comparing.join(key, deadline, async shared => {
      const said: AnswersSoFar = {
        answers: [],
        putAtMs: clock.nowMs(),
        address: compared.question.address,
      };
      saidSoFar.set(key, said);
      try {
        return await askAll(compared, outdated, said, shared);
      } finally {
        // The next comparison may have started after this one was aborted.
        if (saidSoFar.get(key) === said) {
          saidSoFar.delete(key);
        }
      }
    });
    const said = saidSoFar.get(key);
    return { known: await joined, said };
  }

  /**
   * Compares again if the host may reply to everyone in another way by now. If it does not say, what is known remains
   * without the replies, so that no later acceptance asks again.
   */
  async function broughtUpToDate(compared: ToCompare, known: Dated, deadline: Deadline): Promise<Dated> {
    const isOld = known.put === undefined && known.ageMs >= repeatedAfterMs;
    const real = acceptedReply(compared.answer);
    // 252 says nothing about the recipient (RFC 5321 section 3.5.3).
    if (!isOld || real === undefined || real.code === 252 || !differs(real, known)) {
      return known;
    }
    const { known: repeated } = await compareOnce(compared, known, deadline);
    if (repeated !== undefined && judgeComparison(repeated.madeUp) !== 'inconclusive') {
      return repeated;
    }
    const kept = { ...known, madeUp: withoutReplies(known) };
    if (!deadline.signal.aborted) {
      void remember(compared.question.domain, compared.host, kept);
    }
    return kept;
  }

  /** What the host says about a made-up recipient after the acceptance; undefined if it contradicts what is known. */
  async function covered(
    compared: ToCompare,
    known: Dated,
    visit: Visit,
    deadline: Deadline,
  ): Promise<Comparison | undefined> {
    const { host, question } = compared;
    const alike = stillMadeUp(compared, known);
    // A greylist must see the same made-up recipient that it will be asked about when the address is probed again.
    const isFormKnown = isAcceptance(compared.answer) && isFormRefused(alike, known);
    // If no reply says that a mailbox is missing, the position of the recipient in the session must not explain the
    // refusal.
    const fresh = restsOnRefusals(known.madeUp);
    const mayExist = known.madeUp.some(({ shape, finding }) => shape === 'alike' && denials.has(finding));
    const isRepeatable = isRepeatableAt(compared, known);
    const acceptance: Acceptance = {
      host,
      question: { ...question, fresh },
      answer: compared.answer,
      alike,
      isFormKnown,
      mayExist,
      // A list has too many acceptances to ask about each of them twice.
      repeats: isRepeatable ? (isPatient(deadline) ? 1 : timesInARow) : 0,
      sample: isRepeatable && !isProven(compared.answer),
      inOneSession: isSettledInOneSession(compared, known, deadline),
    };
    const cover = await covers.cover(acceptance, visit, deadline);
    if (cover === undefined) {
      return noComparison;
    }
    if (cover === 'out_of_time') {
      return unanswered(alike);
    }
    const said = madeUpAnswer(cover.recipient, cover.answer);
    const transcript = [
      ...known.transcript,
      ...[...cover.existing, cover].flatMap(({ answer }) => transcriptOf(answer)),
    ];
    if (said.finding === 'greylisted') {
      return { madeUp: [said], ageMs: 0, transcript };
    }
    const likewise = known.madeUp.filter(({ finding }) => finding === said.finding);
    if (judgeComparison([said, ...likewise]) !== 'knows_recipients') {
      await forget(host, question);
      return undefined;
    }
    const existing = cover.existing.map(({ recipient, answer }) => madeUpAnswer(recipient, answer));
    const news = [...existing, said];
    const madeUp = [
      ...known.madeUp.filter(({ localPart }) => news.every(one => one.localPart !== localPart)),
      ...news,
    ];
    // Not asked with the cover, because it would be asked again if no reply said that a mailbox is missing.
    const isRepeatDue = fresh && !restsOnRefusals(madeUp);
    const isNew = existing.length > 0 || isRepeatDue || !isFormRefused([said], known);
    if (isNew && madeUp.length <= rememberedMax) {
      void remember(question.domain, host, { madeUp, checkedAtMs: known.checkedAtMs });
    }
    // In a list, only a refusal counts: an acceptance may be due to the others of its transaction.
    const again =
      cover.again !== undefined && (!isPatient(deadline) || isRefusal(cover.again)) ? cover.again : undefined;
    const isProved = again === undefined && isBefore(known, compared) && !isRepeatDue;
    return {
      madeUp,
      ageMs: known.ageMs,
      transcript,
      ...(!isProved && { unproved: { ...(again !== undefined && { again }) } }),
    };
  }

  /** Whether the host refused made-up recipients before it was asked about the one to compare. */
  function isBefore({ checkedAtMs }: Dated, { askedAtMs }: ToCompare): boolean {
    return checkedAtMs <= nowMs() - (clock.nowMs() - askedAtMs);
  }

  return {
    visit: covers.visit,
    forget,
    async compare(compared, visit, deadline) {
      const { answer } = compared;
      for (let round = 0; round < roundsMax; round += 1) {
        const { known: found, said } = await compareOnce(compared, undefined, deadline);
        if (found === undefined) {
          return comparisonInTime(compared, said);
        }
        const known =
          judgeComparison(found.madeUp) === 'knows_recipients'
            ? found
            : await broughtUpToDate(compared, found, deadline);
        if (judgeComparison(known.madeUp) !== 'knows_recipients') {
          return known;
        }
        if (isAfter(known.put, compared) && isFormRefused(stillMadeUp(compared, known), known)) {
          const own = known.again?.compared === compared ? known.again : undefined;
          // Another machine of the host may have accepted the recipient than the one that was compared.
          const isApart =
            isSettledInOneSession(compared, known, deadline) &&
            (own === undefined || (isAcceptance(own.answer) && !own.isOneSession));
          if (!isApart) {
            return { ...known, unproved: { ...(own !== undefined && { again: own.answer }) } };
          }
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

/** Whether an acceptance is repeated with its cover: a slow host answers too few questions for that. */
function isRepeatableAt(compared: ToCompare, known: Comparison): boolean {
  return (
    !restsOnRefusals(known.madeUp) && isQuick(compared, repeatedUnderMs) && isAcceptance(compared.answer)
  );
}

/**
 * Whether one session must accept a recipient again and refuse a made-up one: the address of the host may have several
 * machines, and one of them may accept every recipient. A list would take too many sessions for that.
 */
function isSettledInOneSession(compared: ToCompare, known: Comparison, deadline: Deadline): boolean {
  const { answer } = compared;
  return (
    !isPatient(deadline) &&
    isRepeatableAt(compared, known) &&
    answer.kind === 'answered' &&
    answer.hasRoomForRepeats?.() === true &&
    !isProven(answer)
  );
}

function withoutReplies({ madeUp }: Comparison): MadeUpAnswer[] {
  return madeUp.map(({ reply, ...answer }) =>
    answer.finding === 'accepted' || reply === undefined ? answer : { ...answer, reply },
  );
}

function acceptedReply(answer: RecipientAnswer): Reply | undefined {
  return answer.kind === 'answered' && answer.finding === 'accepted' ? answer.reply : undefined;
}

/** Whether the codes of a reply differ from those to all accepted made-up recipients. */
function differs(real: Reply, { madeUp }: Comparison): boolean {
  const others = madeUp.flatMap(({ finding, reply }) => (finding === 'accepted' && reply ? [reply] : []));
  return (
    others.length > 0 &&
    (others.every(({ code }) => code !== real.code) ||
      others.every(({ enhanced }) => enhanced !== real.enhanced))
  );
}

/** The recipients made up in the form of the address, except those found to exist. */
function stillMadeUp({ madeUp }: ToCompare, known: Comparison): readonly MadeUpRecipient[] {
  const taken = new Set(
    known.madeUp.flatMap(({ localPart, finding }) => (finding === 'accepted' ? [localPart] : [])),
  );
  return madeUp.filter(({ shape, localPart }) => shape === 'alike' && !taken.has(localPart));
}

/** Whether questions were asked after the answer to compare, at the same address: another may be another machine. */
function isAfter(put: Put | undefined, { question, answeredAtMs }: ToCompare): boolean {
  return put !== undefined && put.address === question.address && put.putAtMs >= answeredAtMs;
}

/** Whether the host has refused a recipient of the same form. */
function isFormRefused([own]: readonly MadeUpRecipient[], known: Comparison): boolean {
  return (
    own !== undefined &&
    known.madeUp.some(one => one.shape === 'alike' && refusing.has(one.finding) && speaksFor(one, own))
  );
}

/**
 * When time is up, the answers that a slow host has given by then count, so that it need not answer about all
 * recipients. An acceptance needs a refusal of the same form that was requested after it.
 */
function comparisonInTime(compared: ToCompare, said: AnswersSoFar | undefined): Comparison {
  const answers = said === undefined ? [] : said.answers;
  if (answers === undefined) {
    return noComparison;
  }
  const comparison = { ...noComparison, madeUp: answers };
  const alike = stillMadeUp(compared, comparison);
  switch (judgeComparison(answers)) {
    case 'accepts_everybody':
      return comparison;
    case 'knows_recipients':
      return isAfter(said, compared) && isFormRefused(alike, comparison) ? comparison : unanswered(alike);
    case 'inconclusive': {
      // The others are asked about only once this one is accepted.
      const isOpen = answers.every(({ localPart }) => localPart !== alike[0]?.localPart);
      return { ...comparison, madeUp: [...answers, ...(isOpen ? unanswered(alike).madeUp : [])] };
    }
  }
}

/** A comparison for which the time was too short, so that another one may succeed. */
function unanswered([recipient]: readonly MadeUpRecipient[]): Comparison {
  return {
    ...noComparison,
    madeUp: recipient === undefined ? [] : [{ ...recipient, finding: 'timeout', first: true }],
  };
}

/** Whether the host has shown often enough that it repeats its acceptances. */
function isProven(answer: RecipientAnswer): boolean {
  return answer.kind === 'answered' && answer.steadiness?.() === 'proven';
}
