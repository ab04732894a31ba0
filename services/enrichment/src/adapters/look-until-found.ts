import { setTimeout } from 'node:timers/promises';
import type { Pool } from 'pg';

interface Search {
  /** Closed at the end. */
  readonly pool: Pool;
  /** The pause between two looks. */
  readonly intervalMs: number;
  /** Returns whether there is something. */
  look(pool: Pool): Promise<boolean>;
  /** Called when a look failed; the next one may succeed. */
  failed(error: Error): void;
  /** Called once, after the look that found something. */
  found(): void;
}

/** Looks at the store until there is something for a thread to do. A thread takes 15 to 25 MiB, even without work. */
export function lookUntilFound({ pool, intervalMs, look, failed, found }: Search): {
  /** Looks without waiting for the end of the pause. */
  lookNow(): void;
  close(): Promise<void>;
} {
  const stopping = new AbortController();
  let pause = new AbortController();
  const looking = run();
  return {
    lookNow: () => pause.abort(),
    async close() {
      stopping.abort();
      pause.abort();
      await looking;
    },
  };

  async function run(): Promise<void> {
    let isFound = false;
    while (!isFound && !stopping.signal.aborted) {
      pause = new AbortController();
      try {
        isFound = await look(pool);
      } catch (error) {
        if (!stopping.signal.aborted) {
          failed(error as Error);
        }
      }
      if (!isFound) {
        await setTimeout(intervalMs, undefined, { signal: pause.signal }).catch(() => undefined);
      }
    }
    await pool.end();
    if (!stopping.signal.aborted) {
      found();
    }
  }
}
