import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  migrateService,
  newPassword,
  ownerRole,
  provisionDatabase,
  runtimeRole,
  serviceDefinitions,
  withClient,
} from '@mailproof/installation';
import { Redis } from 'ioredis';
import pg from 'pg';
import { compileCacheDirectory, projectRoot } from './project-root.ts';
import { findRedisProgram, makeRedisUsers } from './redis-users.ts';
import { type Keeper, startKeeper } from './start-keeper.ts';
import { makeStateDirectory } from './state-files.ts';
import { claimedDatabasesKey, nextDatabaseKey } from './test-redis.ts';
import { houseTemplateName, type TestRun, templateName, testRunVariable } from './test-run-facts.ts';

/** The databases of one run of Jest. */
export interface RunningTestRun {
  end(): Promise<void>;
}

/** Starts the servers that the tests share and describes them to the workers in the environment, which they inherit. */
export async function beginTestRun(): Promise<RunningTestRun> {
  const stateDir = await mkdtemp(join(await folderInMemory(), 'mailproof-test-'));
  let keeper: Keeper | undefined;
  try {
    keeper = await startServers(stateDir);
    const redisUrl = process.env['REDIS_URL'] || (keeper?.redisUrl ?? '');
    const redis = await makeRedisUsers(redisUrl, line => process.stderr.write(`${line}\n`));
    const run: TestRun = {
      id: randomBytes(4).toString('hex'),
      adminUrl: process.env['DATABASE_URL'] || (keeper?.databaseAdminUrl ?? ''),
      redisUrl,
      redisHasUsers: redis.hasUsers,
    };
    process.env[testRunVariable] = JSON.stringify(run);
    // The tests' houses inherit it, and each then starts with a third less work. `npm test` has already set it.
    process.env['NODE_COMPILE_CACHE'] ??= compileCacheDirectory;
    await makeTemplates(run);
    return { end: () => end(run, stateDir, keeper) };
  } catch (error) {
    await keeper?.stop();
    await rm(stateDir, { recursive: true, force: true });
    throw error;
  }
}

const inMemory = '/dev/shm';
/** The type of a file system in memory (statfs(2)). */
const tmpfsType = 0x01021994;
const bytesMin = 4 * 1024 ** 3;

/**
 * Returns a folder in memory if there is enough of it, otherwise the one for temporary files. Each test
 * database creates and deletes hundreds of files, which takes an eighth of the run's CPU time on ext4.
 */
async function folderInMemory(): Promise<string> {
  const found = await statfs(inMemory).catch(() => undefined);
  const hasRoom =
    found?.type === tmpfsType && found.bavail * found.bsize >= bytesMin && freemem() >= bytesMin;
  return hasRoom ? inMemory : tmpdir();
}

async function startServers(stateDir: string): Promise<Keeper | undefined> {
  const { DATABASE_URL, REDIS_URL } = process.env;
  if (DATABASE_URL && REDIS_URL) return undefined;
  await makeStateDirectory(stateDir, { isNew: true });
  return startKeeper({
    projectRoot,
    stateDir,
    installationId: 'tests',
    isDurable: false,
    removeStateDirAfterward: true,
    ...(!DATABASE_URL && { postgresPassword: newPassword() }),
    ...(!REDIS_URL && {
      redis: {
        program: await findRedisProgram({ report: line => process.stderr.write(`${line}\n`) }),
        password: newPassword(),
      },
    }),
  });
}

/**
 * Creates one template per service with tables, and one with the tables of all for houses: cloning it is much faster
 * than migrating for each test file.
 */
async function makeTemplates(run: TestRun): Promise<void> {
  const storing = serviceDefinitions.flatMap(({ name, schema }) => (schema ? [{ name, schema }] : []));
  for (const service of storing) await makeTemplate(run, templateName(run, service.schema), [service]);
  await makeTemplate(run, houseTemplateName(run), storing);
}

async function makeTemplate(
  { adminUrl }: TestRun,
  database: string,
  storing: readonly { readonly name: string; readonly schema: string }[],
): Promise<void> {
  const schemas = storing.map(({ schema }) => schema);
  const provisioned = await provisionDatabase({ adminUrl, database, schemas });
  for (const { name, schema } of storing) {
    const directory = join(projectRoot, 'services', name, 'migrations');
    const urls = provisioned[schema];
    if (urls) await migrateService({ ...urls, schema, directory });
  }
  // Postgres clones only a database that has no connections.
  await withClient(adminUrl, admin =>
    admin.query(`ALTER DATABASE ${pg.escapeIdentifier(database)} ALLOW_CONNECTIONS false`),
  );
}

/** Our own servers disappear with their data; on given servers, the run removes what it created. */
async function end(run: TestRun, stateDir: string, keeper: Keeper | undefined): Promise<void> {
  if (process.env['DATABASE_URL']) await clearPostgres(run);
  if (process.env['REDIS_URL']) await clearRedis(run);
  await keeper?.stop();
  await rm(stateDir, { recursive: true, force: true });
}

async function clearPostgres(run: TestRun): Promise<void> {
  await withClient(run.adminUrl, async admin => {
    const { rows } = await admin.query<{ datname: string }>(
      'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
      [`mailproof_test_${run.id}_`],
    );
    for (const { datname } of rows) {
      await admin.query(`DROP DATABASE IF EXISTS ${pg.escapeIdentifier(datname)} WITH (FORCE)`);
    }
    for (const schema of serviceDefinitions.flatMap(service => service.schema ?? [])) {
      for (const role of [runtimeRole(schema), ownerRole(schema)]) await dropUnusedRole(admin, role);
    }
  });
}

/** Drops a role, unless (2BP01) another database of the cluster, such as a developer's own house, needs it too. */
async function dropUnusedRole(admin: pg.Client, role: string): Promise<void> {
  await admin.query(`DROP ROLE IF EXISTS ${pg.escapeIdentifier(role)}`).catch((error: { code?: string }) => {
    if (error.code !== '2BP01') throw error;
  });
}

/** Keeps the services' users: another run or a developer's own house may be using them. */
async function clearRedis(run: TestRun): Promise<void> {
  const redis = new Redis(run.redisUrl, { db: 0, maxRetriesPerRequest: 1 });
  try {
    const claimed = await redis.smembers(claimedDatabasesKey(run));
    for (const database of claimed) {
      await redis.select(Number(database));
      await redis.flushdb();
    }
    await redis.select(0);
    await redis.del(claimedDatabasesKey(run), nextDatabaseKey(run));
  } finally {
    redis.disconnect();
  }
}
