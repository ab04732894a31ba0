/**
 * Sweeps at an interval. Replicas may sweep at once: each hold or account is locked by one of them and skipped by the
 * others, so no queue is needed to share the work.
 */
export function startSweeper(
  sweep: () => Promise<void>,
  onFailed: (error: unknown) => void,
  intervalMs: number,
): { close(): Promise<void> } {
  let running: Promise<void> = Promise.resolve();
  let closed = false;
  let timer = setTimeout(run, intervalMs);

  function run(): void {
    running = sweep()
      .catch(onFailed)
      .finally(() => {
        if (!closed) {
          timer = setTimeout(run, intervalMs);
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
