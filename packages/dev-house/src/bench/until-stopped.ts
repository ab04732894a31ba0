const minuteMs = 60_000;
const exitCodes = { failed: 1, interrupted: 130 } as const;

/**
 * Runs a measurement that shuts down gracefully when it is interrupted or takes too long. Returns the exit code: the
 * result of `work`, 1 if it throws, 130 if it is interrupted.
 */
export async function untilStopped(
  timeLimitMinutes: number,
  work: (signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const interruption = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => interruption.abort(new Error(`Stopped by ${name}.`)));
  }
  const limit = new AbortController();
  const timer = setTimeout(
    () => limit.abort(new Error(`The time limit of ${timeLimitMinutes} minutes is over.`)),
    timeLimitMinutes * minuteMs,
  );
  const signal = AbortSignal.any([interruption.signal, limit.signal]);
  try {
    const exitCode = await work(signal);
    return interruption.signal.aborted ? exitCodes.interrupted : exitCode;
  } catch (error) {
    process.stderr.write(`${reasonOf(error, signal)}\n`);
    return interruption.signal.aborted ? exitCodes.interrupted : exitCodes.failed;
  } finally {
    clearTimeout(timer);
  }
}

/** Returns why a measurement failed: the signal's reason if it was stopped, otherwise the error. */
export function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return (signal.reason as Error).message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
