import { setTimeout as wait } from 'node:timers/promises';

/** Deleted at once, so that nobody waits long for a lock. */
const rowsMax = 5_000;

/** Soon, because a process may never live for a whole interval, and not while it is starting. */
const firstAfterMs = 60_000;

/**
 * Deletes rows that are older than they are kept, at an interval. Replicas may do so at once: each
 * row is deleted by one of them.
 */
export function startPurge(
  purge: (rowsMax: number) => Promise<number>,
  onFailed: (error: unknown) => void,
  intervalMs: number,
): { close(): Promise<void> } {
  const closing = new AbortController();
  const pause = (ms: number) => wait(ms, undefined, { signal: closing.signal }).catch(() => undefined);
  async function run(): Promise<void> {
    await pause(firstAfterMs);
    while (!closing.signal.aborted) {
      const deleted = await purge(rowsMax).catch(error => {
        onFailed(error);
        return 0;
      });
      if (deleted < rowsMax) {
        await pause(intervalMs);
      }
    }
  }
  const running = run();
  return {
    async close() {
      closing.abort();
      await running;
    },
  };
}
