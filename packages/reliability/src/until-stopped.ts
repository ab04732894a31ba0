const minuteMs = 60_000;

/** Does something that ends in order when it is interrupted or takes too long; answers the exit code. */
export async function untilStopped(
  timeLimitMinutes: number,
  work: (signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const interruption = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => interruption.abort(new Error(`Stopped by ${name}.`)));
  }
  const limit = AbortSignal.timeout(timeLimitMinutes * minuteMs);
  try {
    return await work(AbortSignal.any([interruption.signal, limit]));
  } catch (error) {
    const reason = limit.aborted ? `The time limit of ${timeLimitMinutes} minutes was over.` : error;
    process.stderr.write(`${reason instanceof Error ? (reason.stack ?? reason.message) : reason}\n`);
    return 1;
  }
}
