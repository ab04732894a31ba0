/** Work that is done at intervals. */
export interface RecurringOptions {
  /** Time between the end of a round and the next, in milliseconds. */
  readonly everyMs: number;
  readonly work: () => Promise<void>;
  readonly onFailed: (error: unknown) => void;
}

/** Work that goes on until it is closed; closing waits for the round that runs. */
export interface Recurring {
  close(): Promise<void>;
}

/** Does the work at once and then at intervals. A round that fails is told of, and the next one comes all the same. */
export function startRecurring({ everyMs, work, onFailed }: RecurringOptions): Recurring {
  let closed = false;
  let running: Promise<void> = Promise.resolve();
  let timer = setTimeout(round, 0);

  function round(): void {
    running = work()
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
