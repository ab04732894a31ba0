import { type Breaker, breakerLifetimeMs, closedBreaker } from './breaker.ts';

/** A step of the state machine: the next state, the same object where nothing changes, and what came of it. */
export type BreakerStep<Result> = (
  breaker: Breaker,
  nowMs: number,
) => { readonly breaker: Breaker; readonly result: Result };

/** Keeps breakers for everybody who asks from the same address. */
export interface BreakerStore {
  /** Takes a step that no other one comes in between. Rejects where the store is away. */
  step<Result>(name: string, step: BreakerStep<Result>): Promise<Result>;
}

/** Breakers beyond these give way, the oldest first. */
const breakersMax = 10_000;

/** Breakers of one process: for the command line, and while the shared store is away. */
export function createLocalBreakerStore(nowMs: () => number): BreakerStore {
  const kept = new Map<string, { breaker: Breaker; forgottenAtMs: number }>();
  return {
    async step(name, step) {
      const now = nowMs();
      const known = kept.get(name);
      const breaker = known && known.forgottenAtMs > now ? known.breaker : closedBreaker;
      const taken = step(breaker, now);
      if (taken.breaker !== breaker) {
        kept.delete(name);
        kept.set(name, {
          breaker: taken.breaker,
          forgottenAtMs: now + breakerLifetimeMs(taken.breaker, now),
        });
        const [oldest] = kept.keys();
        if (kept.size > breakersMax && oldest !== undefined) {
          kept.delete(oldest);
        }
      }
      return taken.result;
    },
  };
}
