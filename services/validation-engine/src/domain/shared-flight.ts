import { type Clock, type Deadline, deadlineAfter, isOver } from './deadline.ts';

/** Work under way, and those who wait for it. */
interface Flight<Result> {
  readonly result: Promise<Result>;
  readonly cancellation: AbortController;
  waiting: number;
}

/**
 * Does once what several want at the same time. Each of them keeps their own deadline; the work itself ends early only
 * when nobody waits for it any more.
 */
export interface SharedFlights<Result> {
  /** The result, or undefined when the deadline came first. Rejects where the work does. */
  join(
    key: string,
    deadline: Deadline,
    begin: (deadline: Deadline) => Promise<Result>,
  ): Promise<Result | undefined>;
}

/** @param timeoutMs ends the work in any case */
export function createSharedFlights<Result>(clock: Clock, timeoutMs: number): SharedFlights<Result> {
  const underWay = new Map<string, Flight<Result>>();

  function forget(key: string, flight: Flight<Result>): void {
    if (underWay.get(key) === flight) {
      underWay.delete(key);
    }
  }

  return {
    async join(key, deadline, begin) {
      if (isOver(deadline)) {
        return undefined;
      }
      let flight = underWay.get(key);
      if (flight === undefined) {
        const cancellation = new AbortController();
        const result = begin(deadlineAfter(clock, timeoutMs, cancellation.signal));
        const begun = { result, cancellation, waiting: 0 };
        flight = begun;
        underWay.set(key, begun);
        const end = () => forget(key, begun);
        void result.then(end, end);
      }
      const joined = flight;
      return waitFor(joined, deadline, () => {
        // Whoever comes next must not join work that is being cancelled.
        forget(key, joined);
        joined.cancellation.abort();
      });
    },
  };
}

function waitFor<Result>(
  flight: Flight<Result>,
  deadline: Deadline,
  cancel: () => void,
): Promise<Result | undefined> {
  flight.waiting += 1;
  return new Promise((resolve, reject) => {
    let here = true;
    const leave = (settle: () => void) => {
      if (here) {
        here = false;
        clearTimeout(timer);
        deadline.signal.removeEventListener('abort', giveUp);
        settle();
        flight.waiting -= 1;
        if (flight.waiting === 0) {
          cancel();
        }
      }
    };
    const giveUp = () => leave(() => resolve(undefined));
    const timer = setTimeout(giveUp, deadline.remainingMs());
    deadline.signal.addEventListener('abort', giveUp, { once: true });
    flight.result.then(
      result => leave(() => resolve(result)),
      error => leave(() => reject(error)),
    );
  });
}
