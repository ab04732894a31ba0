/** Asks again and again, as many at once as there are clients, until the time is over. */
export async function measure(
  ask: () => Promise<unknown>,
  { clients, seconds }: { readonly clients: number; readonly seconds: number },
  signal: AbortSignal,
): Promise<{ perSecond: number; p50Ms: number; p99Ms: number }> {
  const tookMs: number[] = [];
  const startedMs = performance.now();
  const endMs = startedMs + seconds * 1_000;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (let beganMs = performance.now(); beganMs < endMs; ) {
        signal.throwIfAborted();
        await ask();
        const doneMs = performance.now();
        tookMs.push(doneMs - beganMs);
        beganMs = doneMs;
      }
    }),
  );
  const elapsedMs = performance.now() - startedMs;
  tookMs.sort((one, other) => one - other);
  const at = (share: number) => tookMs[Math.min(tookMs.length - 1, Math.floor(tookMs.length * share))] ?? 0;
  return { perSecond: (tookMs.length * 1_000) / elapsedMs, p50Ms: at(0.5), p99Ms: at(0.99) };
}
