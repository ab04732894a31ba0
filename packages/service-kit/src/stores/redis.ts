import { Redis } from 'ioredis';
import type { HealthCheck } from '../health.ts';

/*
 * A connection that a firewall has forgotten looks like one whose peer takes its time, for a quarter of an hour. So one
 * from which nothing comes while an answer is due is given up, and another is taken.
 */
const silenceMsMax = 3_000;
/** Workers wait for jobs in commands that Redis answers after ten seconds at the latest (`maximumBlockTimeout` of BullMQ). */
const workerSilenceMsMax = 11_000;

/** CLIENT SETINFO is not among the commands of our users, because Redis before 7.2 does not know it. */
const ofOurUser = { disableClientInfo: true } as const;

/**
 * Opens a connection for commands that a request waits for: it fails at once while Redis is away, instead of queueing
 * in memory what nobody will be there to receive.
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

/** Opens a connection for BullMQ workers, which wait for Redis to come back and so must not limit their retries. */
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

/** Resolves once the first connection stands, so that no start looks like an outage. */
export async function untilConnected(redis: Redis, deadlineMs: number): Promise<void> {
  if (redis.status === 'ready') {
    return;
  }
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      redis.off('ready', done);
      reject(new Error(`Redis did not answer within ${deadlineMs} ms.`));
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
