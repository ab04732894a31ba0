/** Work that is done now and then, in the background. */
export interface Sweep {
  start(): void;
  close(): Promise<void>;
}

/** Does the work at the start and then at intervals; a run that fails is told of, and the next one comes all the same. */
export function createSweep(options: {
  readonly everyMs: number;
  readonly work: () => Promise<void>;
  readonly onFailed: (error: unknown) => void;
}): Sweep {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  const run = () => {
    running ??= options
      .work()
      .catch(options.onFailed)
      .finally(() => {
        running = undefined;
      });
  };
  return {
    start() {
      timer = setInterval(run, options.everyMs);
      run();
    },
    async close() {
      clearInterval(timer);
      await running;
    },
  };
}
