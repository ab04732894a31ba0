import { type Clock, type Deadline, notWanted } from '../../concurrency/deadline.ts';
import { flightMs, type Session } from '../session.ts';
import { knownInTransaction, type Lessons, noLessons } from './lessons.ts';
import {
  flightMax,
  idleMsMax,
  idleMsMin,
  idleOpenings,
  idleSessionsMax,
  lessonsKeptMs,
  openingPatienceMs,
  patienceMs,
  recipientsPerSessionMax,
  repeatsMax,
  returningSessionsMax,
  slowReplyMs,
} from './limits.ts';
import type { RecipientAnswer } from './recipient-asker.ts';
import { type Pending, unansweredInFlight } from './recipient-asker.ts';

/** The queue and the sessions at one network address. */
export interface HostQueue {
  readonly address: string;
  /** In the order in which they will be asked. */
  waiting: Set<Pending>;
  readonly inFlight: Set<Pending>;
  /** Questions asked so far. */
  turns: number;
  lessons: Lessons;
  /** When gathering these lessons started. */
  lessonsSinceMs: number;
  /** Sessions that are being opened. */
  opening: number;
  /** When the last of them started to open. */
  openingSinceMs: number;
  /** Connections on which the host has not greeted yet. */
  ungreeted: number;
  /** Sessions that are open and not about to end. */
  open: number;
  /** When the last of them opened, and how long that took. */
  openedAtMs: number;
  openingTookMs: number;
  /** Sessions in a row without an answer to any question. */
  barrenInRow: number;
  /** When opening a session last failed while others were open: the host had no room for another. */
  refusedAtMs: number | undefined;
  /** Wakes sessions that have nothing to do: true for work, false to end them. */
  readonly idle: ((hasWork: boolean) => void)[];
  /** When a session last fell idle. */
  idleSinceMs: number | undefined;
  /** Whether a question arrived within the idle time after that. */
  isReturning: boolean;
  /** Aborted when no caller waits. */
  abandonment: AbortController;
  patience: NodeJS.Timeout | undefined;
  /**
   * Until this resolves, nothing else is asked: the host has said that we ask too much at a time, or a witness whose
   * refusal is doubted is being asked about.
   */
  rest: Promise<void> | undefined;
}

export function createQueue(address: string, nowMs: number): HostQueue {
  return {
    address,
    waiting: new Set(),
    inFlight: new Set(),
    turns: 0,
    lessons: noLessons(),
    lessonsSinceMs: nowMs,
    opening: 0,
    openingSinceMs: nowMs,
    ungreeted: 0,
    open: 0,
    openedAtMs: nowMs,
    openingTookMs: 0,
    barrenInRow: 0,
    refusedAtMs: undefined,
    idle: [],
    idleSinceMs: undefined,
    isReturning: false,
    abandonment: new AbortController(),
    patience: undefined,
    rest: undefined,
  };
}

/**
 * Forgets lessons after `lessonsKeptMs`: hosts recover, and one bad hour should not decide how we treat a host for the
 * life of the process.
 */
export function forgetOldLessons(queue: HostQueue, nowMs: number): void {
  if (nowMs - queue.lessonsSinceMs >= lessonsKeptMs) {
    queue.lessons = noLessons();
    queue.lessonsSinceMs = nowMs;
  }
}

/** How long a question waits for a busy session: a new one would not be ready sooner than it takes to open. */
export function patienceAt({ openingTookMs }: HostQueue): number {
  return Math.min(openingPatienceMs, Math.max(patienceMs, openingTookMs));
}

/** How long a session waits for further questions. */
export function idleMsAt({ openingTookMs }: Pick<HostQueue, 'openingTookMs'>): number {
  return Math.min(idleMsMax, Math.max(idleMsMin, idleOpenings * openingTookMs));
}

/** The most sessions that open at once before one is open: a silent host must not take those of others. */
const firstOpeningsMax = 2;

/** With less time than this, in milliseconds, no session would open: timers can end a wait just before its deadline. */
const openingMsMin = 10;

/** How many more sessions the waiting questions need. */
export function sessionsMissing(queue: HostQueue, clock: Clock, sessionsMax: number): number {
  const nowMs = clock.nowMs();
  if (queue.rest !== undefined) {
    return 0;
  }
  const sessions = queue.open + queue.opening;
  // A session that does not open may be the fault of a single machine among several that share the address.
  const isOpening = queue.opening > 0 && nowMs - queue.openingSinceMs < openingPatienceMs;
  // The first session shows whether the host lets us in at all.
  if (queue.open === 0) {
    const isTooLate = [...queue.waiting].every(({ deadline }) => deadline.remainingMs() < openingMsMin);
    return isOpening || isTooLate || sessions >= Math.min(sessionsMax, firstOpeningsMax) ? 0 : 1;
  }
  if (queue.refusedAtMs !== undefined && nowMs - queue.refusedAtMs < patienceMs) {
    return 0;
  }
  let unserved = -sessions * flightMax;
  let isStuck = false;
  for (const pending of queue.waiting) {
    unserved += takesRoom(pending) ? 1 : 0;
    // A question that arrived while the session was opening waits for a busy session only from then on.
    const waitedMs = nowMs - Math.max(pending.sinceMs, queue.openedAtMs);
    isStuck ||= pending.fresh || waitedMs >= patienceAt(queue);
  }
  const wanted = Math.max(Math.ceil(unserved / flightMax), isStuck && queue.opening === 0 ? 1 : 0);
  return Math.max(0, Math.min(sessionsMax - sessions, wanted));
}

/** The limits for a host that is believed only about the first recipient of a session. */
const oneRecipient = { recipientsMax: 1, transactionsMax: 1 };

/** Recipients of a first comparison, which share a transaction and show how late in one the host accepts recipients. */
const comparedMax = 5;

/**
 * The limits for the next flight. A host that has accepted recipients gets none later in a transaction than it has
 * accepted one, because a refusal would be doubted there. Further recipients get further transactions of the flight.
 */
function limitsAt({ lessons, waiting }: HostQueue): Pick<Lessons, 'recipientsMax' | 'transactionsMax'> {
  const { firstOnly, recipientsMax, transactionsMax, witnesses } = lessons;
  if (firstOnly) {
    return oneRecipient;
  }
  const known = knownInTransaction(lessons);
  return witnesses.length === 0 || (known === 0 && waiting.size <= comparedMax)
    ? { recipientsMax, transactionsMax }
    : { recipientsMax: Math.min(recipientsMax, known + 1), transactionsMax };
}

/**
 * In order of arrival, but the addresses of lists last: they have time, and can take a slow host for minutes. Single
 * validations go first, and what several acceptances of a list wait for.
 */
function singlesFirst(pendings: Iterable<Pending>): Pending[] {
  const singles: Pending[] = [];
  const ofLists: Pending[] = [];
  for (const pending of pendings) {
    (pending.deadline.list === undefined ? singles : ofLists).push(pending);
  }
  return singles.length === 0 ? ofLists : singles.concat(ofLists);
}

/**
 * Takes the next questions for a session: the addresses of lists last, otherwise in order of arrival. They are grouped
 * into transactions, each for one domain, and none with more recipients than the host accepts.
 */
export function takeFlight(
  queue: HostQueue,
  session: Pick<Session, 'asked' | 'pipelining' | 'replyMs'>,
  recipientsPerFlightMax: number,
): Pending[][] {
  const { recipientsMax, transactionsMax } = limitsAt(queue);
  const waiting = singlesFirst(queue.waiting);
  const others = waiting.filter(({ fresh }) => !fresh);
  // After a session without an answer, a question that is not suspected as the cause goes first.
  const takesSuspect = session.asked() === 0 && (queue.barrenInRow === 0 || others.length === 0);
  const first = takesSuspect ? waiting.find(({ fresh }) => fresh) : undefined;
  const isRoomy = hasRoomForRepeats(queue.lessons, session);
  const taking = isRoomy ? ofOneRound(others.filter(takesRoom)) : others;
  const inRoom = withoutSplit(first === undefined ? taking : [first, ...taking], recipientsPerFlightMax);
  const repeatsLeft = Math.min(
    repeatsMax,
    recipientsPerSessionMax - session.asked() - inRoom.length,
    // A host that starts to refuse everyone refuses these too.
    queue.lessons.refusalsMax,
    Math.floor(flightMs / Math.max(1, session.replyMs())) - inRoom.length,
  );
  const candidates = isRoomy
    ? [...inRoom, ...repeatsWith(inRoom, others).slice(0, Math.max(0, repeatsLeft))]
    : inRoom;
  const transactions: Pending[][] = [];
  for (const pending of candidates) {
    const shared = pending.alone
      ? undefined
      : transactions.find(open => open.length < recipientsMax && open.every(fits(pending)));
    if (shared !== undefined) {
      shared.push(pending);
    } else if (transactions.length < transactionsMax) {
      transactions.push([pending]);
    }
  }
  for (const pending of transactions.flat()) {
    queue.waiting.delete(pending);
  }
  return transactions;
}

/** Leaves covers of other rounds to other flights: one has room for the repeated questions of one round. */
function ofOneRound(pendings: readonly Pending[]): readonly Pending[] {
  const { together } = pendings.find(({ question }) => question.together !== undefined)?.question ?? {};
  const isOfRound = ({ question }: Pending) =>
    question.together === undefined || question.together === together;
  return together === undefined ? pendings : pendings.filter(isOfRound);
}

/**
 * The first questions, as many as there is room for. Questions in a row about one recipient go together, so that no other
 * recipient comes between them: those that do not all have room wait for the next flight, unless they come first.
 */
function withoutSplit(pendings: readonly Pending[], max: number): readonly Pending[] {
  const taken: Pending[] = [];
  let from = 0;
  while (from < pendings.length && taken.length < max) {
    let to = from + 1;
    while (to < pendings.length && isSameRecipient(pendings[from], pendings[to])) {
      to += 1;
    }
    if (from === 0 || taken.length + to - from <= max) {
      taken.push(...pendings.slice(from, to));
    }
    from = to;
  }
  return taken.slice(0, max);
}

function isSameRecipient(one: Pending | undefined, other: Pending | undefined): boolean {
  return (
    one?.question.localPart === other?.question.localPart && one?.question.domain === other?.question.domain
  );
}

/** False where each recipient takes time, or where the host limits the recipients of a session. */
export function hasRoomForRepeats(
  lessons: Lessons,
  session: Pick<Session, 'pipelining' | 'replyMs'>,
): boolean {
  return (
    session.pipelining &&
    session.replyMs() < slowReplyMs &&
    !lessons.firstOnly &&
    lessons.recipientsPerSessionMax === recipientsPerSessionMax
  );
}

function takesRoom({ question }: Pending): boolean {
  return question.repeated !== true;
}

/**
 * The repeated questions for a flight. They go with their cover, or with a cover of their domain, so that the same machine
 * of the host answers both; or at once if that cover has been asked about.
 */
function repeatsWith(inRoom: readonly Pending[], others: readonly Pending[]): readonly Pending[] {
  const coveredIn = (pendings: readonly Pending[]) =>
    new Set(
      pendings
        .filter(({ question }) => question.cover)
        .flatMap(({ question: { domain, together } }) =>
          together === undefined ? [domain] : [domain, together],
        ),
    );
  const repeated = others.filter(pending => !takesRoom(pending));
  if (repeated.length === 0) {
    return repeated;
  }
  const here = coveredIn(inRoom);
  const later = coveredIn(others);
  const isTogether = ({ question: { together = '' } }: Pending) => here.has(together);
  return repeated
    .filter(({ question: { domain, together = domain } }) => here.has(together) || !later.has(together))
    .sort((one, other) => Number(isTogether(other)) - Number(isTogether(one)));
}

/** Some hosts take one destination at a time: 451-4.3.0 Multiple destination domains per transaction is unsupported. */
function fits({ question }: Pending): (other: Pending) => boolean {
  return other =>
    !other.alone &&
    other.question.domain === question.domain &&
    other.question.international === question.international;
}

/** Removes an answered question, and ends the work at a host for which no caller waits. */
export function dismiss(queue: HostQueue, pending: Pending): void {
  queue.waiting.delete(pending);
  if (queue.waiting.size > 0) {
    return;
  }
  clearTimeout(queue.patience);
  const isWorking = queue.opening > 0 || queue.inFlight.size > 0;
  if (isWorking && [...queue.inFlight].every(({ isSettled }) => isSettled)) {
    queue.abandonment.abort(notWanted);
    queue.abandonment = new AbortController();
  }
}

const silentAtGreeting: RecipientAnswer = {
  ...{ kind: 'ended', stage: 'greeting', finding: 'timeout', transcript: [] },
  opening: [{ stage: 'greeting', command: '', outcome: { kind: 'failure', failure: 'timeout' } }],
};

/** The answer to a question whose time has run out. */
export function outOfTime(queue: HostQueue, pending: Pending): RecipientAnswer {
  // This includes a question that waits to be asked again: the host had been reached.
  if (queue.inFlight.has(pending) || pending.opening.length > 0) {
    return unansweredInFlight(pending);
  }
  if (queue.open === 0 && queue.ungreeted > 0) {
    return silentAtGreeting;
  }
  // If no session is being opened, our sessions are busy here or elsewhere.
  const isCrowded = queue.open > 0 || queue.opening === 0;
  return { kind: 'not_connected', failure: isCrowded ? 'crowded_out' : 'unreachable' };
}

/** The latest deadline of the waiting questions; the other deadline if none waits now. */
export function latestOf(
  pendings: () => Iterable<Pending>,
  signal: AbortSignal,
  otherwise?: Deadline,
): Deadline {
  return {
    signal,
    remainingMs() {
      if (signal.aborted) {
        return 0;
      }
      let latestMs: number | undefined;
      for (const { deadline } of pendings()) {
        latestMs = Math.max(latestMs ?? 0, deadline.remainingMs());
      }
      return latestMs ?? otherwise?.remainingMs() ?? 0;
    },
  };
}

/** What is known about a host between two of its questions. */
export type IdleHost = Pick<HostQueue, 'idle' | 'idleSinceMs' | 'isReturning' | 'openingTookMs'>;

/** Ends the wait of a session: true if it has work. */
type Wake = (hasWork: boolean) => void;

/** The idle sessions of all hosts. */
export interface IdleSessions {
  /** Waits for questions to a host. Resolves to false if none comes in time, or if the session has to make room. */
  wait(host: IdleHost): Promise<boolean>;
  /** Records that questions to a host have arrived, before its sessions wake. */
  noteQuestion(host: IdleHost): void;
  /** Ends the session that is least likely to be needed, if any is idle. */
  endOne(): void;
}

/**
 * Limits the idle sessions. Each takes about 75 KB outside of the heap and a slot at its host. A list of many
 * hosts with few addresses leaves a hundred sessions a second behind, none of which is needed again. A list of many
 * addresses comes back to its hosts, and each session that ended too early costs a connection with its six round trips.
 * So a host that gets a question within the idle time of its last session keeps its next one, even if that last one had
 * to end: while there is memory, sessions of such hosts have a higher limit.
 *
 * @param hasRoom - whether the process has memory for more than `idleSessionsMax` sessions
 */
export function createIdleSessions(clock: Clock, hasRoom: () => boolean): IdleSessions {
  /** The hosts of the sessions, each in the order in which these began to wait. */
  const newcomers = new Map<Wake, IdleHost>();
  const returning = new Map<Wake, IdleHost>();

  function keepNewest(sessions: ReadonlyMap<Wake, IdleHost>, countMax: number): void {
    for (const wake of sessions.keys()) {
      if (sessions.size <= countMax) {
        return;
      }
      // This removes it from the set.
      wake(false);
    }
  }

  function bound(): void {
    if (newcomers.size + returning.size <= idleSessionsMax) {
      return;
    }
    keepNewest(returning, returningSessionsMax);
    keepNewest(newcomers, Math.min(idleSessionsMax, returningSessionsMax - returning.size));
    if (!hasRoom()) {
      // Two for each that comes: a short lack of memory must not cost a whole list its sessions.
      for (let left = 2; left > 0 && newcomers.size + returning.size > idleSessionsMax; left -= 1) {
        endOne();
      }
    }
  }

  function endOne(): void {
    // A host that has another idle session loses least: up to ten recipients share a flight.
    const [spare] = [...returning].find(([, { idle }]) => idle.length > 1) ?? [];
    if (newcomers.size === 0 && spare !== undefined) {
      spare(false);
      return;
    }
    const sessions = newcomers.size > 0 ? newcomers : returning;
    keepNewest(sessions, sessions.size - 1);
  }

  return {
    wait: host =>
      new Promise(resolve => {
        const { idle, isReturning } = host;
        const own = isReturning ? returning : newcomers;
        const wake: Wake = hasWork => {
          clearTimeout(timer);
          own.delete(wake);
          const position = idle.indexOf(wake);
          if (position >= 0) {
            idle.splice(position, 1);
          }
          resolve(hasWork);
        };
        // An idle session must not keep the process running.
        const timer = setTimeout(() => {
          host.isReturning = false;
          wake(false);
        }, idleMsAt(host)).unref();
        host.idleSinceMs = clock.nowMs();
        idle.push(wake);
        own.set(wake, host);
        bound();
      }),
    noteQuestion(host) {
      host.isReturning ||=
        host.idleSinceMs !== undefined && clock.nowMs() - host.idleSinceMs < idleMsAt(host);
    },
    endOne,
  };
}
