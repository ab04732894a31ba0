import { type CarryRunOptions, carryRun } from '@mailproof/paid-runs';
import type { deliverRunJob } from '@mailproof/shared-types';
import type { z } from 'zod';
import type { Run } from '../domain/discovery/run.ts';

/** Takes a run on, step by step, each in its account's turn, until it has ended. */
export function deliverRunHandler<Transaction>(options: CarryRunOptions<Run, Transaction>) {
  return async ({ runId }: z.output<typeof deliverRunJob.payload>): Promise<void> => {
    await carryRun(options, runId);
  };
}
