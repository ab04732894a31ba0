import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type CarryRunOptions, carryRun } from '@mailproof/paid-runs';
import type { runValidationJobJob } from '@mailproof/shared-types';
import type { z } from 'zod';
import type { JobRun } from '../domain/job-runs/job-run.ts';
import { createJobWork, type JobWorkPorts } from '../domain/job-runs/job-work.ts';
import { createProbing, type ProbingPorts } from '../domain/job-runs/probing.ts';

export interface RunJobOptions<Transaction> extends Omit<CarryRunOptions<JobRun, Transaction>, 'ports'> {
  readonly ports: Omit<CarryRunOptions<JobRun, Transaction>['ports'], 'work'> &
    JobWorkPorts<Transaction> &
    ProbingPorts<Transaction>;
}

/** Validates a job until it has ended or rests. Whoever did so before, in another process, stops within a second. */
export function runValidationJobHandler<Transaction>({ ports, ...options }: RunJobOptions<Transaction>) {
  return async ({ jobId }: z.output<typeof runValidationJobJob.payload>): Promise<void> => {
    // Tells an operator which process has the job; the rest tells apart whoever comes to it in the same process.
    const name = `${hostname()}/${process.pid}/${randomUUID()}`;
    if (!(await ports.runs.take(jobId, name))) {
      return;
    }
    const probing = createProbing(ports);
    const work = createJobWork(ports, { name, probing, stopping: options.stopping });
    try {
      if ((await carryRun({ ...options, ports: { ...ports, work } }, jobId)) === 'rests') {
        // Paused or taken over: what was asked already is worth its answer.
        await probing.finish();
      }
    } finally {
      await probing.breakOff();
    }
  };
}
