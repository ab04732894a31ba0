/**
 * How fast new sessions to one host begin. At ease, any minute sees at most so many; a host that throttles us gets half
 * as many, evenly spaced, then a quarter, down to one a minute, and for each while without complaint it is trusted with
 * twice as many again. `take-host-place.lua` does the same for all replicas together.
 */
export interface HostPace {
  /** Starts of the last minute, oldest first, in milliseconds. */
  readonly starts: readonly number[];
  /** How often the pace was halved, and when last. */
  readonly slowed?: Slowed;
}

export interface Slowed {
  readonly level: number;
  readonly atMs: number;
}

export const minuteMs = 60_000;
/** Time without complaint after which a host that throttled us gets twice as many again. */
export const recoveryMs = 120_000;

export const freshPace: HostPace = { starts: [] };

/** The time until the next session may begin; 0 for now. */
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

/** Counts a session that begins now. */
export function afterStart(pace: HostPace, nowMs: number): HostPace {
  return { ...pace, starts: [...pace.starts.filter(startMs => nowMs - startMs < minuteMs), nowMs] };
}

/**
 * Halves the pace, once for all sessions that had begun by the time of the last halving: they knew nothing of it, and
 * their complaints are the same one.
 */
export function afterThrottle(
  pace: HostPace,
  startsPerMinuteMax: number,
  begunAtMs: number,
  nowMs: number,
): HostPace {
  if (pace.slowed && begunAtMs <= pace.slowed.atMs && levelOf(pace.slowed, nowMs) > 0) {
    return pace;
  }
  const level = Math.min(levelMaxOf(startsPerMinuteMax), levelOf(pace.slowed, nowMs) + 1);
  return { ...pace, slowed: { level, atMs: nowMs } };
}

/** Halvings until one a minute is left; one at least, which spaces the starts out. */
export function levelMaxOf(startsPerMinuteMax: number): number {
  return Math.max(1, Math.ceil(Math.log2(startsPerMinuteMax)));
}

/** How many halvings are in force: each while without complaint has taken one back. */
export function levelOf(slowed: Slowed | undefined, nowMs: number): number {
  return slowed ? Math.max(0, slowed.level - Math.floor((nowMs - slowed.atMs) / recoveryMs)) : 0;
}

/** True where nothing is left that a fresh pace would not know. */
export function isAtRest({ starts, slowed }: HostPace, nowMs: number): boolean {
  return levelOf(slowed, nowMs) === 0 && starts.every(startMs => nowMs - startMs >= minuteMs);
}
