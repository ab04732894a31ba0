import type { Clock } from '../deliver-batch.ts';

/** Time that passes only when all tasks wait for it. */
export interface VirtualClock extends Clock {
  /** Lets time pass until the work is done. */
  run<Result>(work: Promise<Result>): Promise<Result>;
}

export function createVirtualClock(startMs = Date.UTC(2026, 0, 1)): VirtualClock {
  let nowMs = startMs;
  let timers: { readonly atMs: number; readonly ring: () => void }[] = [];
  return {
    nowMs: () => nowMs,
    wait: ms =>
      new Promise(resolve => {
        timers.push({ atMs: nowMs + Math.max(0, ms), ring: resolve });
      }),
    async run(work) {
      let isDone = false;
      const done = () => {
        isDone = true;
      };
      work.then(done, done);
      for (;;) {
        // First runs everything that does not need time to pass.
        await new Promise(resolve => setImmediate(resolve));
        if (isDone) {
          return work;
        }
        if (timers.length === 0) {
          throw new Error('Nobody waits for time to pass, and the work is not done.');
        }
        nowMs = Math.max(nowMs, Math.min(...timers.map(timer => timer.atMs)));
        const due = timers.filter(timer => timer.atMs <= nowMs);
        timers = timers.filter(timer => timer.atMs > nowMs);
        for (const timer of due) {
          timer.ring();
        }
      }
    },
  };
}
