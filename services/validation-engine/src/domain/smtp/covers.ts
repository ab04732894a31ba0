import { type Clock, type Deadline, isOver, within } from '../concurrency/deadline.ts';
import { createSingleFlight } from '../concurrency/in-flight.ts';
import { askRepeatedly, isAcceptance, isRefusal } from './ask-made-up.ts';
import { type MadeUpRecipient, speaksFor } from './made-up-recipients.ts';
import {
  isSameSession,
  type RecipientAnswer,
  type RecipientAsker,
  type RecipientQuestion,
} from './pool/recipient-asker.ts';

/** An acceptance that counts only if the host still refuses made-up recipients. */
export interface Acceptance {
  readonly host: string;
  /** The question about the accepted recipient. */
  readonly question: RecipientQuestion;
  readonly answer: RecipientAnswer;
  /** Recipients made up in its form, the preferred one first. */
  readonly alike: readonly MadeUpRecipient[];
  /** Whether the host has refused a recipient of this form before, so that any form will do now. */
  readonly isFormKnown: boolean;
  /** Whether the host has denied a recipient in the form of an address, so that one that it accepts may exist. */
  readonly mayExist: boolean;
  /**
   * How often to ask about the accepted recipient again in the same flight: the acceptance may be an accident, or another
   * machine may have given it.
   */
  readonly repeats: number;
  /** Whether it may be asked about again on behalf of its round. */
  readonly sample: boolean;
  /** Whether one session must accept it again and refuse the cover, so that one machine did both. */
  readonly inOneSession: boolean;
}

interface Asked {
  readonly recipient: MadeUpRecipient;
  readonly answer: RecipientAnswer;
}

/** A made-up recipient that was asked about after an acceptance. */
export interface Cover extends Asked {
  /** Made-up recipients that were accepted before it was refused, twice: they exist by chance. */
  readonly existing: readonly Asked[];
}

/** A cover, and what the host said about the accepted recipient when asked again. */
type Covered = Cover & { readonly again?: RecipientAnswer };

/** A running probe. While others run at the same host, a cover waits for their acceptances. */
export interface Visit {
  /** Called when the probe needs no cover, or already waits for one. */
  end(): void;
}

export interface Covers {
  /** Must be called right after the question about the real recipient is asked. */
  visit(host: string, question: RecipientQuestion): Visit;
  /** Asks about one made-up recipient for all waiting acceptances; undefined if it cannot ask. */
  cover(
    acceptance: Acceptance,
    visit: Visit,
    deadline: Deadline,
  ): Promise<Covered | 'out_of_time' | undefined>;
}

/** An address of a list waits for others only with at least this much time left, in milliseconds. */
const patientFromMs = 8_000;

/** Whether the caller works through a list, and has time to wait for other acceptances. */
export function isPatient(deadline: Deadline): boolean {
  return deadline.list !== undefined && deadline.remainingMs() >= patientFromMs;
}

/** How often an accepted recipient is asked about again, in a row: a host that accepts every nth one refuses one of two. */
export const timesInARow = 2;

/** The most repetitions of one round that must share a flight with the cover: a flight has room for few. */
const inOneSessionMax = 8;

/** In how many rounds such an acceptance takes part before repetitions in another session will do. */
const roundsInOneSessionMax = 3;

/** How long the first acceptance of a list waits for others, in milliseconds, and how long for a flight to share. */
const gatherMs = 800;
const rideMs = 1_200;

/**
 * With so many acceptances, a round of a list waits only for answers in flight: they may be all that a chunk has in
 * progress, so that it starts no other.
 */
const enoughAcceptances = 8;

/** How long an acceptance waits for answers in flight, in milliseconds. */
const companyMs = 500;

/** The most made-up recipients of different forms in one round. */
const formsMax = 3;

const roundTimeoutMs = 60_000;

/** How long an acceptance of a list waits for what the host says of it the second time. */
const repeatMsMax = 15_000;

/** An acceptance, and until when its caller waits. */
type Waiting = Acceptance & { readonly deadline: Deadline };

/** Acceptances that wait for the same made-up recipients. */
interface Round {
  readonly id: string;
  readonly acceptances: Waiting[];
  /** What the host says about those that are asked about again. */
  readonly again: Map<Waiting, Promise<RecipientAnswer>>;
  readonly answered: PromiseWithResolvers<readonly Cover[]>;
  readonly sinceMs: number;
  isPatient: boolean;
  deadline: Deadline | undefined;
  timer: NodeJS.Timeout | undefined;
}

/** The running probes at one network address of a host, for one domain. */
interface HostProbes {
  /** Probes that may still bring an acceptance. */
  visits: number;
  /** The round that still takes acceptances. */
  gathering: Round | undefined;
  /** The round whose recipients are being asked about. */
  asking: Round | undefined;
  /** The covers from the last round. */
  last: readonly Cover[];
}

/**
 * Asks about made-up recipients on behalf of acceptances that would otherwise rest on memory. One is enough for all
 * acceptances that arrived before it was asked about, so a list gathers acceptances for a moment.
 */
export function createCovers(asker: RecipientAsker, clock: Clock): Covers {
  const running = new Map<string, HostProbes>();
  const rounds = createSingleFlight<readonly Cover[]>(clock, roundTimeoutMs);
  let roundsSoFar = 0;

  function probesAt(key: string): HostProbes {
    const probes = running.get(key) ?? { visits: 0, gathering: undefined, asking: undefined, last: [] };
    running.set(key, probes);
    return probes;
  }

  function tidy(key: string, probes: HostProbes): void {
    const { visits, gathering, asking } = probes;
    if (visits === 0 && gathering === undefined && asking === undefined && running.get(key) === probes) {
      running.delete(key);
    }
  }

  function gather(key: string, probes: HostProbes, isPatient: boolean): Round {
    const { gathering } = probes;
    if (gathering !== undefined) {
      if (gathering.isPatient && !isPatient) {
        gathering.isPatient = false;
        clearTimeout(gathering.timer);
        gathering.timer = setTimeout(() => put(key, probes), companyMs);
      }
      return gathering;
    }
    roundsSoFar += 1;
    const round: Round = {
      id: `${key} ${roundsSoFar}`,
      acceptances: [],
      again: new Map(),
      answered: Promise.withResolvers(),
      sinceMs: clock.nowMs(),
      isPatient,
      deadline: undefined,
      timer: undefined,
    };
    round.timer = setTimeout(() => put(key, probes), isPatient ? rideMs : companyMs);
    probes.gathering = round;
    return round;
  }

  /** Starts the gathering round if there is nothing left to wait for. */
  function putWhereDue(key: string, probes: HostProbes): void {
    const { gathering, asking, visits } = probes;
    if (gathering !== undefined && asking === undefined && visits === 0 && !awaitsMore(gathering)) {
      put(key, probes);
    }
  }

  function put(key: string, probes: HostProbes): void {
    const round = probes.gathering;
    if (round === undefined) {
      return;
    }
    clearTimeout(round.timer);
    probes.gathering = undefined;
    probes.asking = round;
    const { deadline } = round;
    const hasTime = deadline !== undefined && !isOver(deadline);
    const together = round.acceptances.some(({ inOneSession }) => inOneSession) ? round.id : undefined;
    const asked = hasTime
      ? chooseForms(round.acceptances).map(chosen => askAbout(asker, chosen, together, deadline))
      : [];
    const sample = round.acceptances.findLast(({ sample }) => sample);
    for (const waiting of round.acceptances) {
      const { question, repeats } = waiting;
      if (hasTime && repeats > 0) {
        const times = waiting === sample ? timesInARow : repeats;
        // Until its own deadline, because that of the round ends with the answers about the covers; in a list, soon.
        const until = isPatient(waiting.deadline)
          ? within(clock, waiting.deadline, repeatMsMax)
          : waiting.deadline;
        const again =
          times === 1
            ? asker.ask({ ...question, repeated: true }, until)
            : askRepeatedly(
                asker,
                waiting.inOneSession ? { ...question, repeated: true, together } : question,
                times,
                until,
              );
        // Nothing waits for it if the covers fail.
        again.catch(() => undefined);
        round.again.set(waiting, again);
        if (round.isPatient && isPatient(waiting.deadline)) {
          // What the pool notes about one of them concerns all acceptances of the round.
          asked.push(again.then(() => undefined));
        }
      }
    }
    void Promise.all(asked).then(
      all => {
        const covers = all.filter(cover => cover !== undefined);
        probes.asking = probes.asking === round ? undefined : probes.asking;
        probes.last = covers;
        round.answered.resolve(covers);
        putWhereDue(key, probes);
        tidy(key, probes);
      },
      (error: unknown) => {
        probes.asking = probes.asking === round ? undefined : probes.asking;
        round.answered.reject(error);
        putWhereDue(key, probes);
        tidy(key, probes);
      },
    );
  }

  return {
    visit(host, question) {
      const key = keyOf(host, question);
      const probes = probesAt(key);
      const { gathering } = probes;
      if (gathering?.isPatient && clock.nowMs() - gathering.sinceMs >= gatherMs) {
        // Right after the question that was just asked, so that both share a flight.
        put(key, probes);
      }
      probes.visits += 1;
      let hasEnded = false;
      return {
        end() {
          if (!hasEnded) {
            hasEnded = true;
            probes.visits -= 1;
            putWhereDue(key, probes);
            tidy(key, probes);
          }
        },
      };
    },
    async cover(acceptance, visit, deadline) {
      const key = keyOf(acceptance.host, acceptance.question);
      const probes = probesAt(key);
      if (probes.asking !== undefined) {
        // Questions that shared a flight with this acceptance are answered at the same moment.
        await new Promise(resolve => setImmediate(resolve));
      }
      const already = probes.last.find(
        cover => isBehind(cover.answer, acceptance.answer) && serves(cover.recipient, acceptance),
      );
      if (already !== undefined || isOver(deadline)) {
        visit.end();
        tidy(key, probes);
        return already ?? 'out_of_time';
      }
      const waiting = { ...acceptance, deadline };
      let timesApart = 0;
      for (;;) {
        // The probes of the last round may have been deleted since.
        const current = probesAt(key);
        const round = gather(key, current, isPatient(deadline));
        round.acceptances.push(waiting);
        const inOneSession = round.acceptances.filter(one => one.inOneSession);
        const isFull = inOneSession.reduce((sum, { repeats }) => sum + repeats, 0) >= inOneSessionMax;
        const answered = rounds.join(round.id, deadline, shared => {
          round.deadline = shared;
          return round.answered.promise;
        });
        visit.end();
        if (isFull) {
          put(key, current);
        } else {
          putWhereDue(key, current);
        }
        const covers = await answered;
        const cover = covers?.find(({ recipient }) => serves(recipient, acceptance));
        // Where too many forms wait, the round serves some of them, and the next one others.
        if (cover !== undefined) {
          const again = await round.again.get(waiting);
          // Another machine may have accepted it than the one that refused the cover.
          const isApart =
            again !== undefined &&
            !isRefusal(again) &&
            waiting.inOneSession &&
            !isSameSession(cover.answer, again);
          timesApart += isApart ? 1 : 0;
          if (isApart && timesApart < roundsInOneSessionMax && !isOver(deadline)) {
            continue;
          }
          return { ...cover, ...(again !== undefined && { again }) };
        }
        if (covers === undefined) {
          return 'out_of_time';
        }
        if (covers.length === 0) {
          return undefined;
        }
      }
    },
  };
}

/** Whether a list may soon bring further acceptances for a round. */
function awaitsMore({ isPatient, acceptances }: Round): boolean {
  return (
    isPatient &&
    acceptances.length < enoughAcceptances &&
    acceptances.some(({ deadline, question }) => deadline.list?.mayHaveMore(question.domain))
  );
}

function keyOf(host: string, { domain, address }: RecipientQuestion): string {
  return `${domain} ${host} ${address}`;
}

function serves(recipient: MadeUpRecipient, { isFormKnown, alike: [own] }: Acceptance): boolean {
  return isFormKnown || (own !== undefined && speaksFor(recipient, own));
}

/**
 * Chooses the fewest acceptances whose made-up recipients speak for all of them: a short one also speaks for longer
 * ones.
 */
function chooseForms(acceptances: readonly Acceptance[]): readonly Acceptance[] {
  const lengthOf = ({ alike: [own] }: Acceptance) => own?.localPart.length ?? 0;
  const candidates = acceptances
    .filter(({ alike }) => alike.length > 0)
    .sort((one, other) => lengthOf(one) - lengthOf(other));
  const chosen: Acceptance[] = [];
  for (const candidate of candidates) {
    const isServed = chosen.some(({ alike: [own] }) => own !== undefined && serves(own, candidate));
    if (!isServed && !candidate.isFormKnown && chosen.length < formsMax) {
      chosen.push(candidate);
    }
  }
  return chosen.length > 0 ? chosen : candidates.slice(0, 1);
}

/**
 * Asks about recipients made up in the form of the acceptance until one is not accepted. Those before it exist by chance
 * if the host accepts them again; a host that takes an acceptance back answers at random.
 */
async function askAbout(
  asker: RecipientAsker,
  { question, alike, mayExist }: Acceptance,
  together: string | undefined,
  deadline: Deadline,
): Promise<Cover | undefined> {
  // Asked alone, so that neither a limit nor the company of another recipient explains the answer.
  const ask = ({ localPart }: MadeUpRecipient) =>
    asker.ask(
      {
        ...question,
        localPart,
        international: false,
        cover: true,
        alone: true,
        together,
      },
      deadline,
    );
  const asked: Asked[] = [];
  for (const recipient of mayExist ? alike : alike.slice(0, 1)) {
    const one = { recipient, answer: await ask(recipient) };
    if (!isAcceptance(one.answer)) {
      const again = await Promise.all(asked.map(existing => ask(existing.recipient)));
      const unsteady = asked.find((_, index) => !isAcceptance(again[index] as RecipientAnswer));
      return unsteady === undefined ? { ...one, existing: asked } : { ...unsteady, existing: [] };
    }
    asked.push(one);
  }
  const last = asked.at(-1);
  return last && { ...last, existing: [] };
}

/** Whether the host was asked one question after the other in the same session. */
function isBehind(later: RecipientAnswer, earlier: RecipientAnswer): boolean {
  return (
    later.kind === 'answered' &&
    earlier.kind === 'answered' &&
    isSameSession(later, earlier) &&
    (later.turn ?? 0) > (earlier.turn ?? 0)
  );
}
