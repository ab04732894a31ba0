import type { RedisServiceName } from '@mailproof/installation';
import { Redis } from 'ioredis';
import { redisUrlOf } from './redis-users.ts';
import { currentTestRun, type TestRun } from './test-run-facts.ts';

/**
 * Returns the URL of an empty logical database for this test file only. It connects as a service's own user, or as the
 * administrator, which may also read data that the service may not.
 */
export async function testRedisUrl(service?: RedisServiceName): Promise<string> {
  const run = currentTestRun();
  const redis = new Redis(run.redisUrl, { db: 0, maxRetriesPerRequest: 1, retryStrategy: () => null });
  redis.on('error', () => undefined);
  try {
    const database = await claimDatabase(redis, run);
    const url = new URL(run.redisUrl);
    url.pathname = `/${database}`;
    return service ? asRedisUser(service, url.href) : url.href;
  } finally {
    redis.disconnect();
  }
}

/** Returns the URL of the same logical database for the user of a service. */
export function asRedisUser(service: RedisServiceName, adminUrl: string): string {
  return redisUrlOf(service, { adminUrl, hasUsers: currentTestRun().redisHasUsers });
}

/** Counts up through the logical databases. The first one holds the counter; databases in use are skipped. */
async function claimDatabase(redis: Redis, run: TestRun): Promise<number> {
  for (;;) {
    const database = await redis.incr(nextDatabaseKey(run));
    try {
      await redis.select(database);
    } catch (cause) {
      throw new Error(`Redis has only ${database} logical databases, and all are in use.`, { cause });
    }
    const isEmpty = (await redis.dbsize()) === 0;
    await redis.select(0);
    if (!isEmpty) continue;
    await redis.sadd(claimedDatabasesKey(run), database);
    return database;
  }
}

export function nextDatabaseKey({ id }: TestRun): string {
  return `mailproof:test:${id}:last-database`;
}

export function claimedDatabasesKey({ id }: TestRun): string {
  return `mailproof:test:${id}:claimed-databases`;
}

/** Returns Redis's answer to a ping, or why it refuses the user and password in this URL. */
export async function answerOfRedis(url: string): Promise<string> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, enableReadyCheck: false });
  const complaints: string[] = [];
  client.on('error', error => complaints.push(error.message));
  try {
    await client.connect();
    return await client.ping();
  } catch (error) {
    return complaints[0] ?? String(error);
  } finally {
    if (client.status !== 'end') client.disconnect();
  }
}
