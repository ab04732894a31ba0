import type { JobType } from '@mailproof/shared-types';
import { type Job, UnrecoverableError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Logger } from '../log.ts';
import { createRareWarning } from '../rare-warning.ts';
import { withoutStoreSpans } from '../telemetry/quiet.ts';
import { backoffMs } from './producer.ts';
import { queueTelemetry } from './queue-telemetry.ts';

export interface WorkerOptions<Payload extends z.ZodType> {
  readonly connection: Redis;
  readonly prefix?: string;
  readonly concurrency: number;
  readonly logger: Logger;
  /** Runs the job. It must be idempotent, because the job of a killed worker runs again. */
  readonly handle: (payload: z.output<Payload>) => Promise<void>;
  /** Called when the job is done. A job that another worker took over is done when that worker finishes it. */
  readonly onDone: (jobId: string) => Promise<void>;
  /** Called when a job has used up its attempts. */
  readonly onExhausted: (jobId: string, error: Error) => Promise<void>;
}

/** Time after which another worker may take the job of a killed worker, in milliseconds. */
const lockDurationMs = 5_000;
/**
 * How often workers look for jobs of killed workers, in milliseconds. They take over a job at the second look: after
 * one lock duration, not two.
 */
const pollMs = lockDurationMs / 2;

/** Consumes one type of job. */
export function startWorker<Payload extends z.ZodType>(
  jobType: JobType<Payload>,
  options: WorkerOptions<Payload>,
): { close(): Promise<void> } {
  const worker = new Worker(
    jobType.name,
    async (job, token) => {
      const payload = jobType.payload.safeParse(job.data);
      if (!payload.success) {
        // Later attempts could not read it either.
        throw new UnrecoverableError(
          `The payload of job ${job.id} is not of type ${jobType.name}: ${z.prettifyError(payload.error)}`,
        );
      }
      await withoutStoreSpans(() => options.handle(payload.data));
      await assertOurs(job, token);
      await withoutStoreSpans(() => options.onDone(String(job.id)));
    },
    {
      connection: options.connection,
      telemetry: queueTelemetry(),
      ...(options.prefix !== undefined && { prefix: options.prefix }),
      concurrency: options.concurrency,
      lockDuration: lockDurationMs,
      stalledInterval: pollMs,
      maxStalledCount: 10,
      settings: { backoffStrategy: attempts => backoffMs(jobType, attempts) },
      // The result of a job is in Postgres. Redis drops the job immediately, even a failed one, so that it can be added
      // again.
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    },
  );
  const connectionFailed = createRareWarning(options.logger, 'worker connection failed');
  worker.on('error', error => connectionFailed(error, { jobType: jobType.name }));
  worker.on('failed', (job, error) => {
    options.logger.warn(
      { err: error, jobType: jobType.name, jobId: job?.id, attempt: job?.attemptsMade },
      'job attempt failed',
    );
    if (job?.id && job.finishedOn !== undefined) {
      options.onExhausted(job.id, error).catch((err: unknown) => {
        options.logger.error(
          { err, jobType: jobType.name, jobId: job.id },
          'failed job could not be recorded',
        );
      });
    }
  });
  return { close: () => worker.close() };
}

/**
 * A worker that was cut off from Redis for too long has lost its job to another worker, which may still be running it.
 * If the first worker marked the job done and the second were killed, no worker would take the job over.
 */
async function assertOurs(job: Job, token = ''): Promise<void> {
  if ((await job.extendLock(token, lockDurationMs)) !== 1) {
    throw new Error(`Job ${job.id} is another worker's by now, which sees it through.`);
  }
}
