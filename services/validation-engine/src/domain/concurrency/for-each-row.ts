/**
 * Processes a limited number of rows at once. It reads a row only when there is room for it, so a long list is never
 * held in memory. The first failure ends the work, and so does the signal; rows in progress are awaited.
 */
export async function forEachRow<Row>(
  rows: Iterable<Row> | AsyncIterable<Row>,
  concurrencyMax: number,
  signal: AbortSignal,
  work: (row: Row) => Promise<void>,
): Promise<void> {
  const iterator = Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]();
  const failures: unknown[] = [];
  const worker = async () => {
    while (failures.length === 0 && !signal.aborted) {
      try {
        const next = await iterator.next();
        // A row that arrives together with the signal is not started.
        if (next.done || signal.aborted) {
          return;
        }
        await work(next.value);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: concurrencyMax }, worker));
  await iterator.return?.();
  if (failures.length > 0) {
    throw failures[0];
  }
}
