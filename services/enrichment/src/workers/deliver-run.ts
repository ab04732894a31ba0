import type { deliverRunJob } from '@mailproof/shared-types';
import type { z } from 'zod';
import { advanceRun } from '../domain/discovery/advance-run.ts';
import { noteRunFault } from '../domain/discovery/fail-run.ts';
import type { FairTurns } from '../domain/discovery/fair-turns.ts';
import type { RunPorts } from '../domain/discovery/run-ports.ts';

export interface DeliverRunOptions<Transaction> {
  readonly ports: RunPorts<Transaction>;
  readonly turns: FairTurns;
  /** Whether an error says that something is away, rather than wrong. */
  readonly isAway: (error: unknown) => boolean;
  /** Aborted when the service stops: a run then waits for another process between two of its steps. */
  readonly stopping: AbortSignal;
}

/** Takes a run on, step by step, each in its account's turn, until it has ended. */
export function deliverRunHandler<Transaction>(options: DeliverRunOptions<Transaction>) {
  const { ports, turns, isAway, stopping } = options;
  return async ({ runId }: z.output<typeof deliverRunJob.payload>): Promise<void> => {
    const run = await ports.runs.find(runId);
    if (!run) {
      return;
    }
    for (;;) {
      if (stopping.aborted) {
        throw new Error('The service is stopping; the run goes on elsewhere.');
      }
      try {
        if ((await turns.take(run.accountId, () => advanceRun(ports, runId))) === 'ended') {
          return;
        }
      } catch (error) {
        await noteRunFault(ports, runId, isAway(error));
        throw error;
      }
    }
  };
}
