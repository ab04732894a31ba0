/**
 * How fast new sessions to one host start. Normally, only the starts per minute are limited. A host that throttles us
 * gets half as many, evenly spaced, then a quarter, down to one per minute. Each period without complaint doubles the
 * number again. `take-host-slot.lua` does the same for all replicas together.
 */
export interface HostPace {
  /** Times of the starts in the last minute, oldest first, in milliseconds. */
  readonly starts: readonly number[];
  /** How often the pace was halved, and when it last was. */
  readonly slowed?: Slowed;
}

export interface Slowed {
  readonly level: number;
  readonly atMs: number;
}

export const minuteMs = 60_000;
/** Period without complaint after which the pace of a host that throttled us doubles again. */
export const recoveryMs = 120_000;

export const freshPace: HostPace = { starts: [] };

/** The time until the next session may start; 0 means now. */
export function waitMsOf({ starts, slowed }: HostPace, startsPerMinuteMax: number, nowMs: number): number {
  const recent = starts.filter(startMs => nowMs - startMs < minuteMs);
  const level = levelOf(slowed, nowMs);
  if (level > 0) {
    const spacingMs = Math.min(minuteMs, (minuteMs / startsPerMinuteMax) * 2 ** level);
    return Math.max(0, (recent.at(-1) ?? Number.NEGATIVE_INFINITY) + spacingMs - nowMs);
  }
  const oldest = recent.at(-startsPerMinuteMax);
  return oldest === undefined ? 0 : oldest + minuteMs - nowMs;
}

/** Counts a session that starts now. */
export function afterStart(pace: HostPace, nowMs: number): HostPace {
  return { ...pace, starts: [...pace.starts.filter(startMs => nowMs - startMs < minuteMs), nowMs] };
}

/**
 * Halves the pace. Complaints of sessions that had started before the last halving count as part of it: those sessions
 * did not know of it.
 */
export function afterThrottle(
  pace: HostPace,
  startsPerMinuteMax: number,
  startedAtMs: number,
  nowMs: number,
): HostPace {
  if (pace.slowed && startedAtMs <= pace.slowed.atMs && levelOf(pace.slowed, nowMs) > 0) {
    return pace;
  }
  const level = Math.min(levelMaxOf(startsPerMinuteMax), levelOf(pace.slowed, nowMs) + 1);
  return { ...pace, slowed: { level, atMs: nowMs } };
}

/** The number of halvings down to one session per minute; at least one, which spaces out the starts. */
export function levelMaxOf(startsPerMinuteMax: number): number {
  return Math.max(1, Math.ceil(Math.log2(startsPerMinuteMax)));
}

/** How many halvings are in force: each period without complaint has undone one. */
export function levelOf(slowed: Slowed | undefined, nowMs: number): number {
  return slowed ? Math.max(0, slowed.level - Math.floor((nowMs - slowed.atMs) / recoveryMs)) : 0;
}

/** True if the pace has the same effect as a fresh one. */
export function isAtRest({ starts, slowed }: HostPace, nowMs: number): boolean {
  return levelOf(slowed, nowMs) === 0 && starts.every(startMs => nowMs - startMs >= minuteMs);
}
