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

/**
 * Lets something run under a signal of its own, which the outer one breaks off too. `AbortSignal.any` leaves weak
 * references behind, with all that hangs on them, until V8 looks through the whole heap (ADR 0050).
 */
export async function underOwnSignal<Result>(
  outer: AbortSignal,
  run: (own: AbortController) => Promise<Result>,
): Promise<Result> {
  const own = new AbortController();
  const breakOff = () => own.abort();
  if (outer.aborted) {
    breakOff();
  }
  outer.addEventListener('abort', breakOff, { once: true });
  try {
    return await run(own);
  } finally {
    outer.removeEventListener('abort', breakOff);
  }
}

export function isOver(deadline: Deadline): boolean {
  return deadline.remainingMs() === 0;
}
