import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import {
  databaseAccessSql,
  type StoringServiceName,
  schemaOf,
  serviceDatabase,
  withClient,
} from '@mailproof/installation';
import pg from 'pg';
import { currentTestRun, templateName } from './test-run-facts.ts';

export interface TestDatabase {
  /** Connects as the service's own role. */
  readonly databaseUrl: string;
  /** Connects as the owner of the schema, which may also read and change data that the service may not. */
  readonly ownerUrl: string;
  drop(): Promise<void>;
}

/** Creates a database for one test file, with the service's schema fully migrated and empty. */
export async function createTestDatabase(service: StoringServiceName): Promise<TestDatabase> {
  const run = currentTestRun();
  const schema = schemaOf(service);
  const database = `mailproof_test_${run.id}_${schema}_${randomBytes(4).toString('hex')}`;
  const name = pg.escapeIdentifier(database);
  await withClient(run.adminUrl, async admin => {
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${pg.escapeIdentifier(templateName(run, schema))}`);
    for (const statement of databaseAccessSql(database, [schema])) await admin.query(statement);
  });
  const urls = serviceDatabase({ adminUrl: run.adminUrl, database }, schema);
  return {
    databaseUrl: urls.databaseUrl,
    ownerUrl: urls.migrationDatabaseUrl,
    drop: () => dropTestDatabase(run.adminUrl, database),
  };
}

export interface OpenTestDatabase extends Pick<TestDatabase, 'databaseUrl' | 'ownerUrl'> {
  readonly pool: pg.Pool;
  /** Closes the pool and drops the database. */
  close(): Promise<void>;
}

/** Creates a database for one test file and opens it as its service does. */
export async function openTestDatabase(
  service: StoringServiceName,
  openDatabase: (options: {
    readonly url: string;
    readonly connectionsMax: number;
    readonly onIdleError: (error: Error) => void;
  }) => Pick<OpenTestDatabase, 'pool' | 'close'>,
  connectionsMax = 8,
): Promise<OpenTestDatabase> {
  const { databaseUrl, ownerUrl, drop } = await createTestDatabase(service);
  const { pool, close } = openDatabase({ url: databaseUrl, connectionsMax, onIdleError: fail });
  return {
    pool,
    databaseUrl,
    ownerUrl,
    async close() {
      await close();
      await drop();
    },
  };
}

function fail(error: Error): never {
  throw error;
}

/** The longest wait for connections to close, and the polling interval, in milliseconds. */
const closingMsMax = 1_000;
const pollMs = 10;

/**
 * Drops the database of a test. A pool's `end` resolves before the server has closed its connections, and a connection
 * that the server terminates during that time would fail the next test in the process. So this waits a moment before it
 * terminates the remaining connections.
 */
export async function dropTestDatabase(adminUrl: string, database: string): Promise<void> {
  await withClient(adminUrl, async admin => {
    for (let waitedMs = 0; waitedMs < closingMsMax; waitedMs += pollMs) {
      const { rows } = await admin.query('SELECT 1 FROM pg_stat_activity WHERE datname = $1 LIMIT 1', [
        database,
      ]);
      if (rows.length === 0) break;
      await wait(pollMs);
    }
    await admin.query(`DROP DATABASE IF EXISTS ${pg.escapeIdentifier(database)} WITH (FORCE)`);
  });
}
