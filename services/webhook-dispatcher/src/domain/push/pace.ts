/** How fast rows are sent to one receiver. Times are in milliseconds, paces in rows a second. */
export interface Pace {
  readonly perSecond: number;
  /** The moment from which on the next row may be sent. */
  nextAtMs(): number;
  /** A row is sent now. */
  sent(nowMs: number): void;
  /** A receiver has taken a row. */
  taken(nowMs: number): void;
  /**
   * A receiver has asked us to wait. False where the row was sent before the last time that it asked: it asks for what we
   * do already.
   */
  throttled(nowMs: number, sentAtMs: number): boolean;
}

export interface PaceOptions {
  readonly startPerSecond: number;
  readonly perSecondMax: number;
  /** The pace at which the push went on before this process took it up; null where it begins. */
  readonly known: number | null;
  readonly nowMs: number;
}

const perSecondMin = 0.1;
/** Rows may be sent so much ahead of their moment, since timers are not exact: a burst of so many milliseconds. */
const aheadMs = 20;
/** The pace changes once in so long at most, and only grows if so much of it was used. */
const stepMs = 1_000;
const usedMin = 0.7;
/** Until the receiver has asked us to wait for the first time, nothing is known of its limit. */
const openingGrowth = 1.25;
/** Goes on a bit below the pace at which the receiver asked us to wait, after so many steps from the half of it. */
const belowLimit = 0.9;
const stepsToSettle = 5;
/** Tries more after so long, longer each time that it was too much, and so much more at each step. */
const holdMsMin = 60_000;
const holdMsMax = 600_000;
const trialGrowth = 0.02;
/** Beyond so much of the limit it is none any more. */
const forgottenAt = 1.25;

/**
 * Finds the pace that a receiver takes: grows until it asks us to wait, halves, comes back to a bit below, stays there,
 * and rarely tries more. A limit that stays where it is costs one or two refused requests in ten minutes (ADR 0037).
 */
export function createPace({ startPerSecond, perSecondMax, known, nowMs }: PaceOptions): Pace {
  const within = (value: number) => Math.min(perSecondMax, Math.max(perSecondMin, value));
  let perSecond = within(known ?? startPerSecond);
  // What was settled before is where it goes on, with the same care.
  let limit = known === null || known >= perSecondMax ? undefined : perSecond / belowLimit;
  let dueMs = nowMs;
  let step = { fromMs: nowMs, sent: 0 };
  let settledAtMs = nowMs;
  let holdMs = holdMsMin;
  let throttledAtMs = Number.NEGATIVE_INFINITY;

  function grow(now: number): void {
    if (limit === undefined) {
      perSecond = within(perSecond * openingGrowth);
      return;
    }
    const settled = within(limit * belowLimit);
    if (perSecond < settled) {
      perSecond = Math.min(settled, within(perSecond + settled / (2 * stepsToSettle)));
      settledAtMs = now;
    } else if (now - settledAtMs >= holdMs) {
      perSecond = within(perSecond + limit * trialGrowth);
      if (perSecond > limit * forgottenAt) {
        limit = undefined;
        holdMs = holdMsMin;
      }
    }
  }

  return {
    get perSecond() {
      return perSecond;
    },
    nextAtMs: () => dueMs - aheadMs,
    sent(now) {
      dueMs = Math.max(dueMs, now) + 1_000 / perSecond;
      step.sent += 1;
    },
    taken(now) {
      const elapsedMs = now - step.fromMs;
      if (elapsedMs < stepMs) {
        return;
      }
      // A slow pace sends less than a row in a step, which is all of it.
      if (step.sent >= Math.floor((usedMin * perSecond * elapsedMs) / 1_000)) {
        grow(now);
      }
      step = { fromMs: now, sent: 0 };
    },
    throttled(now, sentAtMs) {
      if (sentAtMs < throttledAtMs) {
        return false;
      }
      const wasTrial = limit !== undefined && perSecond > limit * belowLimit;
      holdMs = wasTrial ? Math.min(holdMsMax, holdMs * 2) : holdMs;
      limit = perSecond;
      perSecond = within(perSecond / 2);
      throttledAtMs = now;
      step = { fromMs: now, sent: 0 };
      return true;
    },
  };
}
