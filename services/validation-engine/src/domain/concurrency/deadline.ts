/** A monotonic clock, so that an adjusted wall clock cannot prolong a wait. */
export interface Clock {
  nowMs(): number;
}

/** A list of addresses, which may wait for one another. */
export interface AddressList {
  /** Whether another address of the domain may be asked about soon. */
  mayHaveMore(domain: string): boolean;
}

/** The end of a wait: a time, and a signal that the answer is no longer wanted. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Set if the caller works through a list. */
  readonly list?: AddressList | undefined;
  /** Never negative, and 0 once the signal has been aborted. */
  remainingMs(): number;
}

export function deadlineAfter(
  clock: Clock,
  timeoutMs: number,
  signal: AbortSignal,
  list?: AddressList,
): Deadline {
  const endsAtMs = clock.nowMs() + timeoutMs;
  return {
    signal,
    list,
    remainingMs: () => (signal.aborted ? 0 : Math.max(0, endsAtMs - clock.nowMs())),
  };
}

/**
 * The reason for an aborted wait. It is shared: a new error for each, as `abort()` creates it, costs more than most
 * waits.
 */
export const notWanted = new DOMException('The result is no longer needed.', 'AbortError');

/** An earlier deadline within an outer one, which it can never outlast. */
export function within(clock: Clock, outer: Deadline, timeoutMs: number): Deadline {
  return deadlineAfter(clock, Math.min(timeoutMs, outer.remainingMs()), outer.signal, outer.list);
}

/**
 * Runs a function under its own signal, which the outer one aborts too. `AbortSignal.any` leaves weak references
 * behind, with everything that they retain, until V8 collects the whole heap (ADR 0050).
 */
export async function underOwnSignal<Result>(
  outer: AbortSignal,
  run: (own: AbortController) => Promise<Result>,
): Promise<Result> {
  const own = new AbortController();
  const forwardAbort = () => own.abort(outer.reason);
  if (outer.aborted) {
    forwardAbort();
  }
  outer.addEventListener('abort', forwardAbort, { once: true });
  try {
    return await run(own);
  } finally {
    outer.removeEventListener('abort', forwardAbort);
  }
}

export function isOver(deadline: Deadline): boolean {
  return deadline.remainingMs() === 0;
}
