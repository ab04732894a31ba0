import { type Clock, type Deadline, deadlineAfter, isOver, notWanted } from './deadline.ts';

/** Runs a limited number of jobs at once, and rejects the rest instead of queuing them. */
export type Admission = <Result>(job: () => Promise<Result>) => Promise<Admitted<Result>>;

export type Admitted<Result> =
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'turned_away' };

export function createAdmission(inFlightMax: number): Admission {
  let inFlight = 0;
  return async job => {
    if (inFlight >= inFlightMax) {
      return { kind: 'turned_away' };
    }
    inFlight += 1;
    try {
      return { kind: 'done', result: await job() };
    } finally {
      inFlight -= 1;
    }
  };
}

/** Spaces out the addresses of lists, or the pieces of uploads, while a client waits for a single answer. */
export interface YieldingStarts {
  /** Resolves when another address may start. */
  next(): Promise<void>;
  /** Notes that a client waits for a single answer from now on. */
  yieldTo(): void;
}

/** How long lists leave room after a request for a single answer, in milliseconds. */
const yieldMs = 1_000;
/** Milliseconds of idle time required for each millisecond of work since the previous address. */
const idleShare = 2;
/** The longest wait of an address, however busy the process is, so that lists make progress, in milliseconds. */
const longestMs = 50;

/**
 * While clients wait for single answers, an address of a list starts only once the process has been idle for twice as
 * long as it was busy since the previous one (ADR 0035). Hundreds that start at once would also return at once, from
 * name servers, stores and mail hosts, and a single answer would wait until all of them are handled. A process is idle
 * for most of the time that it waits for hosts, so lists lose little.
 */
export function createYieldingStarts(): YieldingStarts {
  const waiting: (() => void)[] = [];
  let isLooking = false;
  let yieldedAtMs = Number.NEGATIVE_INFINITY;
  let busyAtStart = performance.eventLoopUtilization();
  let startedAtMs = 0;

  const yields = (nowMs: number) => nowMs - yieldedAtMs < yieldMs;

  /** The minimum wait of the next address if there is no more work meanwhile; 0 or less if it may start. */
  function waitMs(nowMs: number): number {
    const { idle, active } = performance.eventLoopUtilization(busyAtStart);
    return Math.min(active * idleShare - idle, startedAtMs + longestMs - nowMs);
  }

  function look(): void {
    const nowMs = performance.now();
    if (!yields(nowMs)) {
      for (const begin of waiting.splice(0)) begin();
    } else if (waitMs(nowMs) <= 0) {
      busyAtStart = performance.eventLoopUtilization();
      startedAtMs = nowMs;
      waiting.shift()?.();
    }
    isLooking = waiting.length > 0;
    if (isLooking) {
      setTimeout(look, Math.max(1, waitMs(nowMs)));
    }
  }

  return {
    next: () =>
      new Promise(resolve => {
        waiting.push(resolve);
        if (!isLooking) {
          look();
        }
      }),
    yieldTo() {
      yieldedAtMs = performance.now();
    },
  };
}

/** Work in progress, and the callers that wait for it. */
interface Work<Result> {
  readonly result: Promise<Result>;
  readonly cancellation: AbortController;
  waiting: number;
}

/**
 * Runs work once for all concurrent callers. Each caller keeps its own deadline; the work itself is canceled only when
 * no caller waits for it. It is never that of a list, because many addresses may wait for it.
 */
interface SingleFlight<Result> {
  /** Returns the result, or undefined if the deadline comes first. Rejects if the work does. */
  join(
    key: string,
    deadline: Deadline,
    begin: (deadline: Deadline) => Promise<Result>,
  ): Promise<Result | undefined>;
}

/** @param timeoutMs the time limit of the work, regardless of the callers' deadlines */
export function createSingleFlight<Result>(clock: Clock, timeoutMs: number): SingleFlight<Result> {
  const inFlight = new Map<string, Work<Result>>();

  function forget(key: string, work: Work<Result>): void {
    if (inFlight.get(key) === work) {
      inFlight.delete(key);
    }
  }

  return {
    async join(key, deadline, begin) {
      if (isOver(deadline)) {
        return undefined;
      }
      let work = inFlight.get(key);
      if (work === undefined) {
        const cancellation = new AbortController();
        const result = begin(deadlineAfter(clock, timeoutMs, cancellation.signal));
        const started = { result, cancellation, waiting: 0 };
        work = started;
        inFlight.set(key, started);
        const end = () => forget(key, started);
        void result.then(end, end);
      }
      const joined = work;
      return waitFor(joined, deadline, () => {
        // The next caller must not join work that is being canceled.
        forget(key, joined);
        joined.cancellation.abort(notWanted);
      });
    },
  };
}

function waitFor<Result>(
  work: Work<Result>,
  deadline: Deadline,
  cancel: () => void,
): Promise<Result | undefined> {
  work.waiting += 1;
  return new Promise((resolve, reject) => {
    let here = true;
    const leave = (settle: () => void) => {
      if (here) {
        here = false;
        clearTimeout(timer);
        deadline.signal.removeEventListener('abort', giveUp);
        settle();
        work.waiting -= 1;
        if (work.waiting === 0) {
          cancel();
        }
      }
    };
    const giveUp = () => leave(() => resolve(undefined));
    const timer = setTimeout(giveUp, deadline.remainingMs());
    deadline.signal.addEventListener('abort', giveUp, { once: true });
    work.result.then(
      result => leave(() => resolve(result)),
      error => leave(() => reject(error)),
    );
  });
}
