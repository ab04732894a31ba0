import type { JobType } from '@mailproof/shared-types';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { z } from 'zod';
import { queueTelemetry, traceMetadata } from './queue-telemetry.ts';

/** The name by which a job asks its worker for how long to wait ahead of another attempt. */
const boundedBackoff = 'bounded';

/** Waits double, up to the longest that the type of job may have. `attempts` are those that were made. */
export function backoffMs(jobType: JobType, attempts: number): number {
  return Math.min(jobType.backoffMs * 2 ** (attempts - 1), jobType.backoffMsMax ?? Number.POSITIVE_INFINITY);
}

/** Puts jobs of one type on their queue. */
export interface Producer<Payload extends z.ZodType> {
  /**
   * Adds a job unless one with this id is there already. The payload is parsed first, so that nothing that the worker
   * would refuse gets into the queue. What the worker does becomes a part of the trace of `traceParent`.
   */
  add(jobId: string, payload: z.input<Payload>, traceParent?: string | null): Promise<void>;
  /** How many jobs are there, by state, and how old the one is that has waited longest, in milliseconds. */
  look(): Promise<QueueLook>;
  close(): Promise<void>;
}

export interface QueueLook {
  readonly jobs: Readonly<Record<(typeof jobStates)[number], number>>;
  readonly oldestWaitingMs: number;
}

/** Jobs that have ended are in Postgres alone. */
const jobStates = ['waiting', 'active', 'delayed'] as const;

export function createProducer<Payload extends z.ZodType>(
  jobType: JobType<Payload>,
  options: { connection: Redis; prefix?: string },
): Producer<Payload> {
  const queue = new Queue(jobType.name, {
    connection: options.connection,
    telemetry: queueTelemetry(),
    // It is asked once, and a queue for which it was not answered would take no job until the process starts again.
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
