import type { JobType } from '@mailproof/shared-types';
import type { Redis } from 'ioredis';
import type { Pool } from 'pg';
import type { z } from 'zod';
import type { Logger } from '../log.ts';
import { openWorkerRedis } from '../stores/redis.ts';
import { observeOutbox } from './observe-outbox.ts';
import { createOutboxRelay, outboxHandlers } from './outbox.ts';
import { createProducer, type Producer } from './producer.ts';
import { startWorker } from './worker.ts';

export interface OutboxWorkOptions {
  readonly pool: Pool;
  /** Connection for adding jobs; its commands fail immediately while Redis is down. */
  readonly redis: Redis;
  readonly redisUrl: string;
  readonly logger: Logger;
  readonly onRedisError: (error: Error) => void;
  /** Polling interval of the outbox while it has work, in milliseconds. */
  readonly intervalMs: number;
}

/** A type of job with its handler, ready to start; created by `outboxJob`. */
export interface OutboxJob {
  readonly name: string;
  start(
    options: OutboxWorkOptions,
    connection: Redis,
  ): { producer: Producer<z.ZodType>; worker: { close(): Promise<void> } };
}

/** Pairs a type of job with its handler, which runs up to `concurrencyMax` jobs at a time in each process. */
export function outboxJob<Payload extends z.ZodType>(
  jobType: JobType<Payload>,
  concurrencyMax: number,
  handle: (payload: z.output<Payload>) => Promise<void>,
): OutboxJob {
  return {
    name: jobType.name,
    start: ({ pool, redis, logger }, connection) => ({
      producer: createProducer(jobType, { connection: redis }) as Producer<z.ZodType>,
      worker: startWorker(jobType, {
        connection,
        concurrency: concurrencyMax,
        logger,
        ...outboxHandlers(pool, jobType, logger, handle),
      }),
    }),
  };
}

/** Starts the relay of a service's outbox and a worker for each type of job that comes through it. */
export function startOutboxWork(
  options: OutboxWorkOptions,
  jobs: readonly OutboxJob[],
): { close(): Promise<void> } {
  const connection = openWorkerRedis(options.redisUrl, options.onRedisError);
  const started = jobs.map(job => ({ name: job.name, ...job.start(options, connection) }));
  const relay = createOutboxRelay({
    pool: options.pool,
    logger: options.logger,
    intervalMs: options.intervalMs,
    producers: Object.fromEntries(started.map(({ name, producer }) => [name, producer])),
  });
  relay.start();
  const observed = observeOutbox(options.pool, started);
  return {
    async close() {
      observed.close();
      await relay.close();
      await Promise.all(started.map(({ worker }) => worker.close()));
      await Promise.all(started.map(({ producer }) => producer.close()));
      connection.disconnect();
    },
  };
}
