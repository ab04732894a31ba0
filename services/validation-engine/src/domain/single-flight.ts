import { type Clock, type Deadline, deadlineAfter, isOver } from './deadline.ts';

/** Work under way, and those who wait for it. */
interface Work<Result> {
  readonly result: Promise<Result>;
  readonly cancellation: AbortController;
  waiting: number;
}

/**
 * Does once what several want at the same time. Each of them keeps their own deadline; the work itself ends early only
 * when nobody waits for it any more.
 */
export interface SingleFlight<Result> {
  /** The result, or undefined when the deadline came first. Rejects where the work does. */
  join(
    key: string,
    deadline: Deadline,
    begin: (deadline: Deadline) => Promise<Result>,
  ): Promise<Result | undefined>;
}

/** @param timeoutMs ends the work in any case */
export function createSingleFlight<Result>(clock: Clock, timeoutMs: number): SingleFlight<Result> {
  const underWay = new Map<string, Work<Result>>();

  function forget(key: string, work: Work<Result>): void {
    if (underWay.get(key) === work) {
      underWay.delete(key);
    }
  }

  return {
    async join(key, deadline, begin) {
      if (isOver(deadline)) {
        return undefined;
      }
      let work = underWay.get(key);
      if (work === undefined) {
        const cancellation = new AbortController();
        const result = begin(deadlineAfter(clock, timeoutMs, cancellation.signal));
        const begun = { result, cancellation, waiting: 0 };
        work = begun;
        underWay.set(key, begun);
        const end = () => forget(key, begun);
        void result.then(end, end);
      }
      const joined = work;
      return waitFor(joined, deadline, () => {
        // Whoever comes next must not join work that is being cancelled.
        forget(key, joined);
        joined.cancellation.abort();
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
