/** Tells the time; monotonic, so that a corrected wall clock cannot stretch a wait. */
export interface Clock {
  nowMs(): number;
}

/** The end of a wait: a moment, and a signal for the case that nobody wants the answer any more. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Never negative, and 0 once the signal has been aborted. */
  remainingMs(): number;
}

export function deadlineAfter(clock: Clock, timeoutMs: number, signal: AbortSignal): Deadline {
  const endsAtMs = clock.nowMs() + timeoutMs;
  return { signal, remainingMs: () => (signal.aborted ? 0 : Math.max(0, endsAtMs - clock.nowMs())) };
}

/** A nearer end inside an outer one, which it can never outlive. */
export function within(clock: Clock, outer: Deadline, timeoutMs: number): Deadline {
  const inner = deadlineAfter(clock, timeoutMs, outer.signal);
  return { signal: outer.signal, remainingMs: () => Math.min(inner.remainingMs(), outer.remainingMs()) };
}

export function isOver(deadline: Deadline): boolean {
  return deadline.remainingMs() === 0;
}
