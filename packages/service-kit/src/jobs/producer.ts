import type { JobType } from '@mailproof/shared-types';
import { Queue } from 'bullmq';
import { BullMQOtel } from 'bullmq-otel';
import type { Redis } from 'ioredis';
import type { z } from 'zod';

/** Puts jobs of one type on their queue. */
export interface Producer<Payload extends z.ZodType> {
  /**
   * Adds a job unless one with this id is there already. The payload is parsed first, so that nothing that the worker
   * would refuse gets into the queue.
   */
  add(jobId: string, payload: z.input<Payload>): Promise<void>;
  close(): Promise<void>;
}

export function createProducer<Payload extends z.ZodType>(
  jobType: JobType<Payload>,
  options: { connection: Redis; prefix?: string },
): Producer<Payload> {
  const queue = new Queue(jobType.name, {
    connection: options.connection,
    telemetry: new BullMQOtel({ tracerName: jobType.name }),
    ...(options.prefix !== undefined && { prefix: options.prefix }),
    defaultJobOptions: {
      attempts: jobType.attemptsMax,
      backoff: { type: 'exponential', delay: jobType.backoffMs },
    },
  });
  queue.on('error', () => undefined);
  return {
    async add(jobId, payload) {
      await queue.add(jobType.name, jobType.payload.parse(payload), { jobId });
    },
    close: () => queue.close(),
  };
}
