import { Redis } from 'ioredis';
import type { HealthCheck } from '../health.ts';

/*
 * A connection that a firewall has forgotten looks like one with a slow peer for a quarter of an hour. So a connection
 * that receives no data while an answer is due is closed and replaced after this many milliseconds.
 */
const silenceMsMax = 3_000;
/** Workers wait for jobs in commands that Redis answers within ten seconds (`maximumBlockTimeout` of BullMQ). */
const workerSilenceMsMax = 11_000;

/** Our Redis users may not run CLIENT SETINFO, because Redis before 7.2 does not know it. */
const ofOurUser = { disableClientInfo: true } as const;

/**
 * Opens a connection for commands that a request waits for. While Redis is down they fail immediately, instead of
 * queueing in memory for clients that will have left.
 */
export function openRedis(url: string, onError: (error: Error) => void): Redis {
  const redis = new Redis(url, {
    ...ofOurUser,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 2_000,
    connectTimeout: 3_000,
    socketTimeout: silenceMsMax,
    retryStrategy: attempts => Math.min(attempts * 100, 1_000),
  });
  redis.on('error', onError);
  return redis;
}

/** Opens a connection for BullMQ workers, which wait until Redis is back, so retries are unlimited. */
export function openWorkerRedis(url: string, onError: (error: Error) => void): Redis {
  const redis = new Redis(url, {
    ...ofOurUser,
    maxRetriesPerRequest: null,
    connectTimeout: 3_000,
    socketTimeout: workerSilenceMsMax,
    retryStrategy: attempts => Math.min(attempts * 100, 1_000),
  });
  redis.on('error', onError);
  return redis;
}

/** Resolves when the first connection is open, for tests. A service waits for what it needs (`needs.ts`). */
export async function untilConnected(redis: Redis, deadlineMs: number): Promise<void> {
  if (redis.status === 'ready') {
    return;
  }
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      redis.off('ready', done);
      reject(new Error(`Redis did not respond within ${deadlineMs} ms.`));
    }, deadlineMs);
    function done() {
      clearTimeout(timer);
      resolve();
    }
    redis.once('ready', done);
  });
}

export function redisCheck(redis: Redis): HealthCheck {
  return async () => void (await redis.ping());
}
