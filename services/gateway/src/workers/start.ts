import {
  createOutboxRelay,
  createProducer,
  type Logger,
  openWorkerRedis,
  outboxHandlers,
  startWorker,
} from '@mailproof/service-kit';
import { grantCreditsJob, settleHoldJob } from '@mailproof/shared-types';
import type { Redis } from 'ioredis';
import type { Pool } from 'pg';
import type { CreditPort } from '../domain/credit-port.ts';
import { grantCreditsHandler } from './grant-credits.ts';
import { settleHoldHandler } from './settle-hold.ts';

export interface BackgroundOptions {
  readonly pool: Pool;
  /** Adds jobs; fails at once while Redis is away. */
  readonly redis: Redis;
  readonly redisUrl: string;
  readonly credits: CreditPort;
  readonly logger: Logger;
  readonly onRedisError: (error: Error) => void;
}

/** Starts the outbox relay and a worker for each type of job. */
export function startBackgroundWork(options: BackgroundOptions): { close(): Promise<void> } {
  const { pool, redis, credits, logger } = options;
  const connection = openWorkerRedis(options.redisUrl, options.onRedisError);
  const grants = createProducer(grantCreditsJob, { connection: redis });
  const settlements = createProducer(settleHoldJob, { connection: redis });
  const relay = createOutboxRelay({
    pool,
    logger,
    producers: { [grantCreditsJob.name]: grants, [settleHoldJob.name]: settlements },
  });
  const workers = [
    startWorker(grantCreditsJob, {
      connection,
      concurrency: 5,
      logger,
      ...outboxHandlers(pool, grantCreditsJob, logger, grantCreditsHandler(credits)),
    }),
    startWorker(settleHoldJob, {
      connection,
      concurrency: 5,
      logger,
      ...outboxHandlers(pool, settleHoldJob, logger, settleHoldHandler(credits)),
    }),
  ];
  relay.start();
  return {
    async close() {
      await relay.close();
      await Promise.all(workers.map(worker => worker.close()));
      await Promise.all([grants.close(), settlements.close()]);
      connection.disconnect();
    },
  };
}
