/** Polls until a condition holds; fails with the last value after the deadline. */
export async function until<Value>(
  what: string,
  look: () => Promise<Value>,
  isReached: (value: Value) => boolean,
  timeoutMs = 60_000,
): Promise<Value> {
  const givesUpAtMs = performance.now() + timeoutMs;
  for (;;) {
    const value = await look();
    if (isReached(value)) {
      return value;
    }
    if (performance.now() > givesUpAtMs) {
      throw new Error(`${what} did not happen; last seen: ${JSON.stringify(value)}`);
    }
    await new Promise(resolve => setTimeout(resolve, 25));
  }
}
