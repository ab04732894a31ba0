import type { Clock, Deadline } from '../../deadline.ts';
import type { Session } from '../session.ts';
import { type Lessons, noLessons } from './lessons.ts';
import { flightMax, lessonsKeptMs, openingPatienceMs, patienceMs } from './limits.ts';
import { type Pending, unansweredInFlight } from './pending.ts';
import type { RecipientAnswer } from './recipient-asker.ts';

/** Everything that is under way at one network address. */
export interface HostQueue {
  readonly address: string;
  /** In the order in which they are to be asked. */
  waiting: Set<Pending>;
  readonly inFlight: Set<Pending>;
  /** Questions put so far. */
  turns: number;
  lessons: Lessons;
  /** Since when they have been gathered. */
  lessonsSinceMs: number;
  /** Sessions that are being opened. */
  opening: number;
  /** When the last of them was begun. */
  openingSinceMs: number;
  /** Sessions that are open and not about to end. */
  open: number;
  /** Sessions in a row in which nobody got an answer. */
  barrenInRow: number;
  /** When a session could not be opened while others were open; nothing else was to be had then. */
  refusedAtMs: number | undefined;
  /** Wakes sessions that have nothing to do: true for work, false to end them. */
  readonly idle: ((hasWork: boolean) => void)[];
  /** When a session last fell idle. */
  idleSinceMs: number | undefined;
  /** Whether a question arrived within `idleMs` after that. */
  isReturning: boolean;
  /** Aborted when nobody waits any more. */
  abandonment: AbortController;
  patience: NodeJS.Timeout | undefined;
  /** Until it resolves nothing is asked, because the host has said that we ask too much at a time. */
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
    open: 0,
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

/** Hosts mend, and a single bad hour should not decide how a host is treated for as long as we run. */
export function forgetOldLessons(queue: HostQueue, nowMs: number): void {
  if (nowMs - queue.lessonsSinceMs >= lessonsKeptMs) {
    queue.lessons = noLessons();
    queue.lessonsSinceMs = nowMs;
  }
}

/** How many more sessions the waiting questions need. */
export function sessionsMissing(queue: HostQueue, clock: Clock, sessionsMax: number): number {
  const nowMs = clock.nowMs();
  if (queue.rest !== undefined) {
    return 0;
  }
  const sessions = queue.open + queue.opening;
  // One that does not come about may be the fault of a single machine among those that share the address.
  const isOpening = queue.opening > 0 && nowMs - queue.openingSinceMs < openingPatienceMs;
  // The first one shows whether the host lets us in at all.
  if (queue.open === 0) {
    return isOpening || sessions >= sessionsMax ? 0 : 1;
  }
  if (queue.refusedAtMs !== undefined && nowMs - queue.refusedAtMs < patienceMs) {
    return 0;
  }
  const unserved = queue.waiting.size - sessions * flightMax;
  const isStuck =
    queue.opening === 0 &&
    [...queue.waiting].some(({ fresh, sinceMs }) => fresh || nowMs - sinceMs >= patienceMs);
  const wanted = Math.max(Math.ceil(unserved / flightMax), isStuck ? 1 : 0);
  return Math.max(0, Math.min(sessionsMax - sessions, wanted));
}

/** What is asked in a session of a host that is believed of the first recipient alone. */
const oneRecipient = { recipientsMax: 1, transactionsMax: 1 };

/**
 * Takes the questions that a session can put next, in the order in which they came, as transactions: each of one
 * domain, and none longer than the host likes.
 */
export function takeFlight(
  queue: HostQueue,
  session: Pick<Session, 'asked'>,
  recipientsPerFlightMax: number,
): Pending[][] {
  const { firstOnly } = queue.lessons;
  const { recipientsMax, transactionsMax } = firstOnly ? oneRecipient : queue.lessons;
  const waiting = [...queue.waiting];
  const others = waiting.filter(({ fresh }) => !fresh);
  // After a session that came to nothing, somebody who is not suspected of that goes first.
  const takesSuspect = session.asked() === 0 && (queue.barrenInRow === 0 || others.length === 0);
  const first = takesSuspect ? waiting.find(({ fresh }) => fresh) : undefined;
  const candidates = (first === undefined ? others : [first, ...others]).slice(0, recipientsPerFlightMax);
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

/** Some hosts take one destination at a time: 451-4.3.0 Multiple destination domains per transaction is unsupported. */
function fits({ question }: Pending): (other: Pending) => boolean {
  return other =>
    !other.alone &&
    other.question.domain === question.domain &&
    other.question.international === question.international;
}

/** Takes an answered question out, and ends the work at a host for which nobody waits any more. */
export function dismiss(queue: HostQueue, pending: Pending): void {
  queue.waiting.delete(pending);
  if (queue.waiting.size > 0) {
    return;
  }
  clearTimeout(queue.patience);
  const isWorking = queue.opening > 0 || queue.inFlight.size > 0;
  if (isWorking && [...queue.inFlight].every(({ isSettled }) => isSettled)) {
    queue.abandonment.abort();
    queue.abandonment = new AbortController();
  }
}

/** The answer of a question whose time has run out. */
export function outOfTime(queue: HostQueue, pending: Pending): RecipientAnswer {
  // Also where it waits to be asked again: the host had been reached.
  if (queue.inFlight.has(pending) || pending.opening.length > 0) {
    return unansweredInFlight(pending);
  }
  // Where no session is being opened, ours are busy here or elsewhere.
  const isCrowded = queue.open > 0 || queue.opening === 0;
  return { kind: 'not_connected', failure: isCrowded ? 'crowded_out' : 'unreachable' };
}

/** As long as any of those who wait has time; where nobody waits just now, as long as the other deadline has. */
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
      const all = [...pendings()];
      return all.length === 0
        ? (otherwise?.remainingMs() ?? 0)
        : all.reduce((latestMs, { deadline }) => Math.max(latestMs, deadline.remainingMs()), 0);
    },
  };
}
