import {
  createOutboxRelay,
  createProducer,
  type Logger,
  openWorkerRedis,
  outboxHandlers,
  startWorker,
} from '@mailproof/service-kit';
import { retryProbeJob } from '@mailproof/shared-types';
import type { Redis } from 'ioredis';
import type { Pool } from 'pg';
import type { RetryPorts } from '../domain/retry-probe.ts';
import { retryProbeHandler } from './retry-probe.ts';

export interface BackgroundOptions {
  readonly pool: Pool;
  /** Adds jobs; fails at once while Redis is away. */
  readonly redis: Redis;
  readonly redisUrl: string;
  readonly logger: Logger;
  readonly onRedisError: (error: Error) => void;
  readonly retry: RetryPorts;
}

const retriesAtOnceMax = 5;

/** Starts the outbox relay and the worker that asks greylisting hosts again. */
export function startBackgroundWork(options: BackgroundOptions): { close(): Promise<void> } {
  const { pool, redis, logger } = options;
  const connection = openWorkerRedis(options.redisUrl, options.onRedisError);
  const retries = createProducer(retryProbeJob, { connection: redis });
  const relay = createOutboxRelay({ pool, logger, producers: { [retryProbeJob.name]: retries } });
  const worker = startWorker(retryProbeJob, {
    connection,
    concurrency: retriesAtOnceMax,
    logger,
    ...outboxHandlers(pool, retryProbeJob, logger, retryProbeHandler(options.retry)),
  });
  relay.start();
  return {
    async close() {
      await relay.close();
      await worker.close();
      await retries.close();
      connection.disconnect();
    },
  };
}
