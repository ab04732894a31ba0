/** How fast rows are sent to one receiver. Times are in milliseconds, paces in rows per second. */
export interface Pace {
  readonly perSecond: number;
  /** The earliest time at which the next row may be sent. */
  nextAtMs(): number;
  /** Call when a row is sent. */
  sent(nowMs: number): void;
  /** Call when the receiver has accepted a row that was sent at `sentAtMs`. */
  taken(nowMs: number, sentAtMs: number): void;
  /**
   * Call when the receiver has asked us to wait. Returns false if the row was sent before its previous request to wait,
   * since the pace is already reduced.
   */
  throttled(nowMs: number, sentAtMs: number): boolean;
}

interface PaceOptions {
  readonly startPerSecond: number;
  readonly perSecondMax: number;
  /** The pace of the push before this process took it over; null when it starts. */
  readonly known: number | null;
  readonly nowMs: number;
}

const perSecondMin = 0.1;
/** How early rows may be sent, since timers are not exact; a burst of this many milliseconds. */
const earlyMs = 20;
/** The pace changes at most once per step, and grows only if at least `usedMin` of it was used. */
const stepMs = 1_000;
const usedMin = 0.7;
/**
 * Until the receiver first asks us to wait, its limit is unknown, and the pace grows by this factor in each step. Such a
 * step takes ten times as long as an answer, within bounds: a quick receiver asks before many rows are in flight.
 */
const openingGrowth = 1.5;
const openingTrips = 10;
const [openingStepMsMin, openingStepMsMax] = [150, 600] as const;
/**
 * The settled pace, as a fraction of the pace at which the receiver asked us to wait; reached from half of that in
 * `stepsToSettle` steps.
 */
const belowLimit = 0.9;
const stepsToSettle = 5;
/**
 * How long the pace is held before a higher one is tried, longer after each failed trial; `trialGrowth` is the growth
 * per step of a trial.
 */
const holdMsMin = 60_000;
const holdMsMax = 600_000;
const trialGrowth = 0.02;
/** The time over which accepted rows are counted to learn a limit, as the time constant of an exponential decay. */
const acceptedMs = 1_000;
/** A pace above this multiple of the learned limit discards the limit. */
const forgottenAt = 1.25;

/**
 * Finds the pace that a receiver accepts: grows until the receiver asks us to wait, halves, returns to slightly below
 * the limit, stays there, and rarely tries more. A constant limit costs one or two refused requests in ten minutes (ADR
 * 0037).
 */
export function createPace({ startPerSecond, perSecondMax, known, nowMs }: PaceOptions): Pace {
  const within = (value: number) => Math.min(perSecondMax, Math.max(perSecondMin, value));
  let perSecond = within(known ?? startPerSecond);
  // Resumes from the settled pace, with the same care.
  let limit = known === null || known >= perSecondMax ? undefined : perSecond / belowLimit;
  let dueMs = nowMs;
  let step = { fromMs: nowMs, sent: 0 };
  let settledAtMs = nowMs;
  let holdMs = holdMsMin;
  let throttledAtMs = Number.NEGATIVE_INFINITY;
  let accepted = { rows: 0, atMs: nowMs };

  /** How many rows per second the receiver accepts at present. */
  function acceptedPerSecond(now: number): number {
    const rows = accepted.rows * Math.exp((accepted.atMs - now) / acceptedMs);
    return (rows * 1_000) / acceptedMs;
  }

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
    nextAtMs: () => dueMs - earlyMs,
    sent(now) {
      dueMs = Math.max(dueMs, now) + 1_000 / perSecond;
      step.sent += 1;
    },
    taken(now, sentAtMs) {
      accepted = { rows: (acceptedPerSecond(now) * acceptedMs) / 1_000 + 1, atMs: now };
      // A row from before the last change says nothing about the present pace.
      if (sentAtMs < step.fromMs) {
        return;
      }
      const elapsedMs = now - step.fromMs;
      const openingStepMs = Math.max(openingStepMsMin, openingTrips * (now - sentAtMs));
      if (elapsedMs < (limit === undefined ? Math.min(openingStepMsMax, openingStepMs) : stepMs)) {
        return;
      }
      // A slow pace sends less than one row per step, and that counts as full use.
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
      // What it accepted is closer to its limit than a pace that was growing; other senders may have used up the rest.
      limit = Math.min(perSecond, Math.max(perSecond / openingGrowth, acceptedPerSecond(now)));
      perSecond = within(perSecond / 2);
      throttledAtMs = now;
      step = { fromMs: now, sent: 0 };
      return true;
    },
  };
}

/** Limits concurrent requests to one host across all pushes. */
export interface HostSlots {
  /** Does the work once there is a free slot at the host; waiters get slots in order of request. */
  take<Result>(host: string, work: () => Promise<Result>): Promise<Result>;
}

export function createHostSlots(perHostMax: number): HostSlots {
  const hosts = new Map<string, { taken: number; readonly waiting: (() => void)[] }>();

  async function enter(name: string): Promise<void> {
    const host = hosts.get(name) ?? { taken: 0, waiting: [] };
    hosts.set(name, host);
    if (host.taken < perHostMax) {
      host.taken += 1;
      return;
    }
    await new Promise<void>(resolve => host.waiting.push(resolve));
  }

  function leave(name: string): void {
    const host = hosts.get(name);
    const next = host?.waiting.shift();
    if (next) {
      // The slot passes directly to the next waiter and is never free in between.
      next();
    } else if (host && --host.taken === 0) {
      hosts.delete(name);
    }
  }

  return {
    async take(host, work) {
      await enter(host);
      try {
        return await work();
      } finally {
        leave(host);
      }
    },
  };
}
