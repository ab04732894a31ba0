import { setTimeout as pause } from 'node:timers/promises';

/** Waits until no earlier caller is inside, and returns how to leave. */
export type Enter = (waiting: () => Promise<void>) => Promise<() => void>;

const waitingEveryMs = 10_000;

/** Lets callers in one after another; calls `waiting` now and then while one waits, and gives up if that throws. */
export function createOneAtATime(): Enter {
  let last = Promise.resolve();
  return async waiting => {
    const before = last;
    const { promise, resolve } = Promise.withResolvers<void>();
    last = promise;
    const stop = new AbortController();
    const entered = before.then(() => true);
    try {
      const ticks = () =>
        pause(waitingEveryMs, false, { signal: stop.signal, ref: false }).catch(() => false);
      while (!(await Promise.race([entered, ticks()]))) {
        await waiting();
      }
      return resolve;
    } catch (error) {
      void entered.then(() => resolve());
      throw error;
    } finally {
      stop.abort();
    }
  };
}
