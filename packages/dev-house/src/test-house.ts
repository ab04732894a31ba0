import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { services } from '@mailproof/installation';
import { type House, type HouseOptions, startHouse } from './house.ts';
import { keptBetweenFiles } from './jest/kept-between-files.ts';
import { createHouseDatabase, dropTestDatabase } from './test-database.ts';
import { testRedisUrl } from './test-redis.ts';
import { currentTestRun } from './test-run-facts.ts';

/**
 * Services run with little garbage collection, because in tests they start often and end soon. Their own options keep
 * memory low, at a sixth of the CPU time of a start. Pass no options to test how much memory a service takes.
 */
const quickStart = [
  '--no-expose-gc',
  '--min-semi-space-size=64',
  '--max-semi-space-size=64',
  '--heap-growing-percent=200',
];

/**
 * Starts a whole house with its own Postgres and Redis databases; `stop()` removes both. Its services run in one process
 * unless `inOneProcess` is false.
 */
export async function startTestHouse(options: Partial<HouseOptions> = {}): Promise<House> {
  const run = currentTestRun();
  const stateDir = await mkdtemp(join(tmpdir(), 'mailproof-house-'));
  const database = `mailproof_test_${run.id}_house_${randomBytes(4).toString('hex')}`;
  async function clear(): Promise<void> {
    await dropTestDatabase(run.adminUrl, database);
    await rm(stateDir, { recursive: true, force: true });
  }
  // Its own checkout, database or server needs its own migrations.
  const isUsual = !options.projectRoot && !options.database && !options.databaseAdminUrl;
  try {
    const house = await startHouse({
      ...(isUsual && { migratedDatabases: await createHouseDatabase(run, database) }),
      stateDir,
      // A shared house would otherwise leave its state directory behind.
      removeStateDirAfterward: options.stateDir === undefined,
      databaseAdminUrl: run.adminUrl,
      database,
      redisUrl: await testRedisUrl(),
      lab: true,
      quiet: true,
      nodeOptions: quickStart,
      inOneProcess: true,
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

/** Polls the outboxes four times a second while they have work, so that tests which wait for them are fast. */
function withQuickWork(env: HouseOptions['env'] = {}): NonNullable<HouseOptions['env']> {
  return Object.fromEntries(services.map(({ name }) => [name, { OUTBOX_INTERVAL_MS: '250', ...env[name] }]));
}

let shared: Promise<SharedHouse> | undefined;

interface SharedHouse {
  readonly house: House;
  /** Notes that the test file that runs now uses the house. */
  use(): void;
}

/**
 * Returns the house that the test files of a worker share: every service, two gateways, webhooks to loopback, and
 * limits that no test reaches. It runs until a few files in a row have not used it, or the worker ends. Test files are
 * isolated by account. A file that changes settings, stops a service or counts the actions of all accounts must start
 * its own house.
 */
export async function sharedTestHouse(): Promise<House> {
  shared ??= startSharedHouse();
  try {
    const { house, use } = await shared;
    use();
    return { ...house, services: outOfReach(house.services), stop: async () => undefined };
  } catch (error) {
    shared = undefined;
    throw error;
  }
}

async function startSharedHouse(): Promise<SharedHouse> {
  const house = await startTestHouse({
    replicas: { gateway: 2 },
    env: {
      gateway: {
        AUTH_FAILURES_PER_MINUTE_MAX: '10000',
        SESSION_REQUESTS_PER_SECOND_MAX: '1000',
        // All tests come from one address.
        SIGN_IN_FAILURES_PER_NETWORK_MAX: '10000',
        VISITOR_REQUESTS_PER_MINUTE_MAX: '10000',
      },
      'mcp-server': {
        AUTH_FAILURES_PER_MINUTE_MAX: '10000',
        OAUTH_REQUESTS_PER_MINUTE_MAX: '10000',
        OAUTH_REGISTRATIONS_PER_HOUR_MAX: '10000',
      },
      'webhook-dispatcher': { OUTBOUND_ALLOWED_PRIVATE_RANGES: '127.0.0.1/32' },
    },
  });
  const { use } = keptBetweenFiles.keep(() => {
    shared = undefined;
    return house.stop();
  });
  return { house, use };
}

/** Returns services that a test can see but not stop. */
function outOfReach(running: House['services']): House['services'] {
  const refuse = async () => {
    throw new Error('Other test files share this house: use your own house to stop services.');
  };
  return Object.fromEntries(
    Object.entries(running).map(([name, service]) => [
      name,
      Object.assign(Object.create(service), { kill: refuse, restart: refuse, stop: refuse }),
    ]),
  );
}
