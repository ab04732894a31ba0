import type { JobType } from '@mailproof/shared-types';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { z } from 'zod';
import { queueTelemetry, traceMetadata } from './queue-telemetry.ts';

/** Name of the worker's backoff strategy, which sets the delay before a retry. */
const boundedBackoff = 'bounded';

/**
 * Returns the delay before the next attempt: it doubles each time, up to the job type's maximum. `attempts` counts
 * those already made.
 */
export function backoffMs(jobType: JobType, attempts: number): number {
  return Math.min(jobType.backoffMs * 2 ** (attempts - 1), jobType.backoffMsMax ?? Number.POSITIVE_INFINITY);
}

/** Puts jobs of one type on their queue. */
export interface Producer<Payload extends z.ZodType> {
  /**
   * Adds a job unless one with this id exists. Parses the payload first, so that the queue holds nothing that the
   * worker would refuse. The worker's spans join the trace of `traceParent`.
   */
  add(jobId: string, payload: z.input<Payload>, traceParent?: string | null): Promise<void>;
  /** Returns the number of jobs by state, and the age of the oldest waiting job, in milliseconds. */
  look(): Promise<QueueLook>;
  close(): Promise<void>;
}

export interface QueueLook {
  readonly jobs: Readonly<Record<(typeof jobStates)[number], number>>;
  readonly oldestWaitingMs: number;
}

/** States of jobs on a queue; only Postgres knows finished jobs. */
const jobStates = ['waiting', 'active', 'delayed'] as const;

export function createProducer<Payload extends z.ZodType>(
  jobType: JobType<Payload>,
  options: { connection: Redis; prefix?: string },
): Producer<Payload> {
  const queue = new Queue(jobType.name, {
    connection: options.connection,
    telemetry: queueTelemetry(),
    // The check runs only once, and a queue whose check failed would accept no jobs until the process restarts.
    skipVersionCheck: true,
    ...(options.prefix !== undefined && { prefix: options.prefix }),
    defaultJobOptions: {
      attempts: jobType.attemptsMax,
      backoff: { type: boundedBackoff, delay: jobType.backoffMs },
    },
  });
  queue.on('error', () => undefined);
  return {
    async add(jobId, payload, traceParent) {
      const telemetry = traceMetadata(traceParent);
      await queue.add(jobType.name, jobType.payload.parse(payload), {
        jobId,
        ...(telemetry && { telemetry }),
      });
    },
    async look() {
      const [counts, [oldest]] = await Promise.all([
        queue.getJobCounts(...jobStates),
        queue.getJobs(['waiting'], 0, 0, true),
      ]);
      const { waiting = 0, active = 0, delayed = 0 } = counts;
      return {
        jobs: { waiting, active, delayed },
        oldestWaitingMs: oldest ? Math.max(0, Date.now() - oldest.timestamp) : 0,
      };
    },
    close: () => queue.close(),
  };
}
