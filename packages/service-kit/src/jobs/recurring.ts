/** Work to repeat at intervals. */
export interface RecurringOptions {
  /** Time between the end of a round and the start of the next, in milliseconds. */
  readonly everyMs: number;
  /** May return the number of items it found. */
  readonly work: () => Promise<unknown>;
  /** Called with that number if it is above 0. */
  readonly told?: (count: number) => void;
  readonly onFailed: (error: unknown) => void;
}

/** Work that repeats until it is closed; closing waits for the current round. */
export interface Recurring {
  close(): Promise<void>;
}

/** Runs the work immediately and then at intervals. A failed round is reported and does not stop later ones. */
export function startRecurring({ everyMs, work, told, onFailed }: RecurringOptions): Recurring {
  let closed = false;
  let running: Promise<void> = Promise.resolve();
  let timer = setTimeout(round, 0);

  function round(): void {
    running = work()
      .then(count => (typeof count === 'number' && count > 0 ? told?.(count) : undefined))
      .catch(onFailed)
      .finally(() => {
        if (!closed) {
          timer = setTimeout(round, everyMs);
        }
      });
  }

  return {
    async close() {
      closed = true;
      clearTimeout(timer);
      await running;
    },
  };
}
