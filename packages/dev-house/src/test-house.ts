import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { services } from '@mailproof/installation';
import { type House, type HouseOptions, startHouse } from './house.ts';
import { dropTestDatabase } from './test-database.ts';
import { testRedisUrl } from './test-redis.ts';
import { currentTestRun } from './test-run-facts.ts';

/** A whole house on a database and a Redis database of its own; `stop()` takes both away again. */
export async function startTestHouse(options: Partial<HouseOptions> = {}): Promise<House> {
  const run = currentTestRun();
  const stateDir = await mkdtemp(join(tmpdir(), 'mailproof-house-'));
  const database = `mailproof_test_${run.id}_house_${randomBytes(4).toString('hex')}`;
  async function clear(): Promise<void> {
    await dropTestDatabase(run.adminUrl, database);
    await rm(stateDir, { recursive: true, force: true });
  }
  try {
    const house = await startHouse({
      stateDir,
      databaseAdminUrl: run.adminUrl,
      database,
      redisUrl: await testRedisUrl(),
      lab: true,
      quiet: true,
      ...options,
      env: withQuickWork(options.env),
    });
    return {
      ...house,
      async stop() {
        await house.stop();
        await clear();
      },
    };
  } catch (error) {
    await clear();
    throw error;
  }
}

/** Whoever waits in a test for work that is done later has not to wait for most of a second each time. */
function withQuickWork(env: HouseOptions['env'] = {}): NonNullable<HouseOptions['env']> {
  return Object.fromEntries(services.map(({ name }) => [name, { OUTBOX_INTERVAL_MS: '100', ...env[name] }]));
}
