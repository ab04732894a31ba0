/**
 * Stops asking somebody's mail hosts while they refuse our address: every further question would only make our standing
 * worse, and gets no answer. This is the pure state machine; times are Unix milliseconds.
 */
export interface Breaker {
  /** Blocks of the last minutes while asking goes on, one for each subject. */
  readonly blocks: readonly { readonly subject: string; readonly atMs: number }[];
  /** Present while nobody is asked. */
  readonly pause?: Pause;
}

export interface Pause {
  /** When asking stopped; no answer has come since. */
  readonly sinceMs: number;
  /** From then on a single trial may be made. */
  readonly untilMs: number;
  /** Pauses in a row; each is twice as long as the one before. */
  readonly pauses: number;
  /** Present while a trial is under way: nobody else asks until then. */
  readonly trialUntilMs?: number;
}

/** Whether somebody's hosts may be asked now. */
export type Permission =
  | { readonly kind: 'ask'; readonly isTrial: boolean }
  | { readonly kind: 'paused'; readonly sinceMs: number; readonly untilMs: number };

export const closedBreaker: Breaker = { blocks: [] };

/** One recipient's own policy can look like a block of our address, so a single one proves nothing. */
export const blocksToPause = 3;
/** Blocks that lie further apart do not belong together. */
const blockWindowMs = 600_000;
const firstPauseMs = 900_000;
/** Block lists let an address go after hours, so a longer pause would only answer nothing for longer. */
const pauseMsMax = 8 * 3_600_000;
/** Longer than any validation: after it, a trial of which nothing was heard has been lost. */
const trialMs = 130_000;

/** Asks for permission; where that is for a trial, the next state keeps everybody else waiting. */
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

/** Our address was refused; `subject` stands for whoever may have had grounds of their own for it. */
export function afterBlock(breaker: Breaker, subject: string, isTrial: boolean, nowMs: number): Breaker {
  if (breaker.pause) {
    // A block that a session of earlier times brings is no news.
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

/** Somebody was told about a recipient, so our address is welcome. */
export function afterAnswer(breaker: Breaker, isTrial: boolean): Breaker {
  if (breaker.pause) {
    return isTrial ? closedBreaker : breaker;
  }
  return breaker.blocks.length === 0 ? breaker : closedBreaker;
}

/** How long a state means anything; one that is older may be forgotten. */
export function breakerLifetimeMs(breaker: Breaker, nowMs: number): number {
  return breaker.pause ? Math.max(0, breaker.pause.untilMs - nowMs) + pauseMsMax : blockWindowMs;
}

function pauseFor(pauses: number, sinceMs: number, nowMs: number): Pause {
  return { sinceMs, untilMs: nowMs + Math.min(pauseMsMax, firstPauseMs * 2 ** (pauses - 1)), pauses };
}
