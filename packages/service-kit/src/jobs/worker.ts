import type { JobType } from '@mailproof/shared-types';
import { type Job, UnrecoverableError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Logger } from '../log.ts';
import { createRareWarning } from '../rare-warning.ts';
import { withoutStoreSpans } from '../telemetry/quiet-stores.ts';
import { backoffMs } from './producer.ts';
import { queueTelemetry } from './queue-telemetry.ts';

export interface WorkerOptions<Payload extends z.ZodType> {
  readonly connection: Redis;
  readonly prefix?: string;
  readonly concurrency: number;
  readonly logger: Logger;
  /** Carries out the job; must be safe to run twice, since a killed worker's job runs again. */
  readonly handle: (payload: z.output<Payload>) => Promise<void>;
  /** Told once the job is done. One that another worker has taken over meanwhile is done when it is done there. */
  readonly onDone: (jobId: string) => Promise<void>;
  /** Told once a job has used up its attempts. */
  readonly onExhausted: (jobId: string, error: Error) => Promise<void>;
}

/** Time after which the job of a worker that was killed is free, in milliseconds. */
const lockDurationMs = 5_000;
/**
 * Workers look for such jobs at this interval, in milliseconds, and take them over at the second look: as long as the
 * lock stands in all, and not twice as long.
 */
const lookEveryMs = lockDurationMs / 2;

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
        // No later attempt could read it either.
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
      stalledInterval: lookEveryMs,
      maxStalledCount: 10,
      settings: { backoffStrategy: attempts => backoffMs(jobType, attempts) },
      // What a job did is in Postgres; Redis forgets it at once, a failed one too, so that it can be added again.
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
 * A worker that was cut off from Redis for too long has lost its job to another one, which may be in the middle of it: to
 * write down that it is done would leave that one without anybody who takes it on when it is killed.
 */
async function assertOurs(job: Job, token = ''): Promise<void> {
  if ((await job.extendLock(token, lockDurationMs)) !== 1) {
    throw new Error(`Job ${job.id} is another worker's by now, which sees it through.`);
  }
}
