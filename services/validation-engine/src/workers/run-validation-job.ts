import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type DriveRunOptions, driveRun } from '@mailproof/durable-work';
import type { runValidationJobJob } from '@mailproof/shared-types';
import type { z } from 'zod';
import type { JobRun } from '../domain/job-runs/job-run.ts';
import { createJobWork, type JobWorkPorts } from '../domain/job-runs/job-work.ts';
import { createProbing, type ProbingPorts } from '../domain/job-runs/probing.ts';

export interface RunJobOptions<Transaction> extends Omit<DriveRunOptions<JobRun, Transaction>, 'ports'> {
  readonly ports: Omit<DriveRunOptions<JobRun, Transaction>['ports'], 'work'> &
    JobWorkPorts<Transaction> &
    ProbingPorts<Transaction>;
}

/** Validates a job until it ends or waits. Another process that has been running the job stops within a second. */
export function runValidationJobHandler<Transaction>({ ports, ...options }: RunJobOptions<Transaction>) {
  return async ({ jobId }: z.output<typeof runValidationJobJob.payload>): Promise<void> => {
    // Shows an operator which process has the job; the rest distinguishes runs in the same process.
    const name = `${hostname()}/${process.pid}/${randomUUID()}`;
    if (!(await ports.runs.take(jobId, name))) {
      return;
    }
    const probing = createProbing(ports);
    const work = createJobWork(ports, { name, probing, stopping: options.stopping });
    try {
      if ((await driveRun({ ...options, ports: { ...ports, work } }, jobId)) === 'waits') {
        // Paused or taken over: questions already asked still deserve their answers.
        await probing.finish();
      }
    } finally {
      await probing.interrupt();
    }
  };
}
