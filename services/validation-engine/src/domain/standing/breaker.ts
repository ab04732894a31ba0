/**
 * Stops probing a party's mail hosts while they refuse our address: every further probe would get no answer and only
 * make our standing worse. This is the pure state machine; times are Unix milliseconds.
 */
export interface Breaker {
  /** Blocks in the last minutes while probing is allowed, one for each subject. */
  readonly blocks: readonly { readonly subject: string; readonly atMs: number }[];
  /** Present while probing is paused. */
  readonly pause?: Pause;
}

export interface Pause {
  /** When probing stopped; no answer has come since. */
  readonly sinceMs: number;
  /** From this time on, a single trial may be made. */
  readonly untilMs: number;
  /** Pauses in a row; each is twice as long as the one before. */
  readonly pauses: number;
  /** Present while a trial is running: no other probe starts until then. */
  readonly trialUntilMs?: number;
}

/** Whether a party's hosts may be probed now. */
export type Permission =
  | { readonly kind: 'ask'; readonly isTrial: boolean }
  | { readonly kind: 'paused'; readonly sinceMs: number; readonly untilMs: number };

export const closedBreaker: Breaker = { blocks: [] };

/** One recipient's own policy can look like a block of our address, so a single block proves nothing. */
export const blocksToPause = 3;
/** Blocks that are further apart are unrelated. */
const blockWindowMs = 600_000;
const firstPauseMs = 900_000;
/** Block lists release an address after hours, so a longer pause would only withhold answers for longer. */
const pauseMsMax = 8 * 3_600_000;
/** Longer than any validation: after this time, a trial without a result is considered lost. */
const trialMs = 130_000;

/** Asks for permission; if it is for a trial, the next state keeps all other probes waiting. */
export function askPermission(
  breaker: Breaker,
  nowMs: number,
): { readonly breaker: Breaker; readonly result: Permission } {
  const { pause } = breaker;
  if (!pause) {
    return { breaker, result: { kind: 'ask', isTrial: false } };
  }
  const waitsUntilMs = Math.max(pause.untilMs, pause.trialUntilMs ?? 0);
  if (nowMs < waitsUntilMs) {
    return { breaker, result: { kind: 'paused', sinceMs: pause.sinceMs, untilMs: waitsUntilMs } };
  }
  return {
    breaker: { ...breaker, pause: { ...pause, trialUntilMs: nowMs + trialMs } },
    result: { kind: 'ask', isTrial: true },
  };
}

/** Records that our address was refused; `subject` names a source of refusals that may have its own reasons. */
export function afterBlock(breaker: Breaker, subject: string, isTrial: boolean, nowMs: number): Breaker {
  if (breaker.pause) {
    // A block that comes from a session opened before the pause is not new.
    return isTrial
      ? { blocks: [], pause: pauseFor(breaker.pause.pauses + 1, breaker.pause.sinceMs, nowMs) }
      : breaker;
  }
  const blocks = [
    ...breaker.blocks.filter(block => block.subject !== subject && nowMs - block.atMs < blockWindowMs),
    { subject, atMs: nowMs },
  ];
  return blocks.length < blocksToPause ? { blocks } : { blocks: [], pause: pauseFor(1, nowMs, nowMs) };
}

/** Records that a host answered about a recipient, so our address is welcome. */
export function afterAnswer(breaker: Breaker, isTrial: boolean): Breaker {
  if (breaker.pause) {
    return isTrial ? closedBreaker : breaker;
  }
  return breaker.blocks.length === 0 ? breaker : closedBreaker;
}

/** How long a state is meaningful; an older one may be forgotten. */
export function breakerLifetimeMs(breaker: Breaker, nowMs: number): number {
  return breaker.pause ? Math.max(0, breaker.pause.untilMs - nowMs) + pauseMsMax : blockWindowMs;
}

function pauseFor(pauses: number, sinceMs: number, nowMs: number): Pause {
  return { sinceMs, untilMs: nowMs + Math.min(pauseMsMax, firstPauseMs * 2 ** (pauses - 1)), pauses };
}

/** A step of the state machine. Returns the next state, which is the same object if nothing changes, and a result. */
export type BreakerStep<Result> = (
  breaker: Breaker,
  nowMs: number,
) => { readonly breaker: Breaker; readonly result: Result };

/** Stores breakers for all processes that probe from the same address. */
export interface BreakerStore {
  /** Takes a step atomically. Rejects if the store is unavailable. */
  step<Result>(name: string, step: BreakerStep<Result>): Promise<Result>;
}

/** The most breakers kept. Beyond this number, the oldest are dropped. */
const breakersMax = 10_000;

/** Keeps the breakers of one process: for the command line, and while the shared store is unavailable. */
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
