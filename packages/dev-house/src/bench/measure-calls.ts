export interface Calls {
  readonly perSecond: number;
  readonly tookMs: readonly number[];
}

/** Calls a function repeatedly until the time is up: each client makes its next call when the previous one returns. */
export async function measureCalls(
  call: (client: number, turn: number) => Promise<unknown>,
  { clients, seconds }: { readonly clients: number; readonly seconds: number },
  signal: AbortSignal,
): Promise<Calls> {
  const tookMs: number[] = [];
  const startedMs = performance.now();
  const endMs = startedMs + seconds * 1_000;
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      let calledMs = startedMs;
      for (let turn = 0; calledMs < endMs; turn += 1) {
        signal.throwIfAborted();
        await call(client, turn);
        const returnedMs = performance.now();
        tookMs.push(returnedMs - calledMs);
        calledMs = returnedMs;
      }
    }),
  );
  return { perSecond: (tookMs.length * 1_000) / (performance.now() - startedMs), tookMs };
}
