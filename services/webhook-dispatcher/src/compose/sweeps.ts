import { isStoreAway, Problem, type Recurring, startRecurring } from '@mailproof/service-kit';

/** What one process works on without a job that has not moved for so long gets one again. In milliseconds. */
export const stillMs = 30_000;
/** How often that is looked for, and what has come of age. */
export const sweepEveryMs = 15_000;
export const deleteEveryMs = 3_600_000;
export const dayMs = 86_400_000;

/** Something that is looked through now and then. */
export interface Sweep {
  readonly everyMs: number;
  /** Answers how many it has dealt with. */
  readonly work: () => Promise<number>;
  /** Told of a number above 0. */
  readonly told: (count: number) => void;
  readonly onFailed: (error: unknown) => void;
}

/** Begins to look through everything; all ends with `close`. */
export function startSweeps(sweeps: readonly Sweep[]): Recurring {
  const recurring = sweeps.map(({ everyMs, work, told, onFailed }) =>
    startRecurring({
      everyMs,
      async work() {
        const count = await work();
        if (count > 0) {
          told(count);
        }
      },
      onFailed,
    }),
  );
  return {
    async close() {
      await Promise.all(recurring.map(each => each.close()));
    },
  };
}

/** Whether something that the work needs is away, so that waiting for it makes sense. */
export function isAway(error: unknown): boolean {
  return (error instanceof Problem && error.code === 'service_unavailable') || isStoreAway(error);
}
