import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import {
  allSchemas,
  databaseAccessSql,
  type ServiceDatabase,
  type StoringServiceName,
  schemaOf,
  serviceDatabase,
  withClient,
} from '@mailproof/installation';
import pg from 'pg';
import { currentTestRun, houseTemplateName, type TestRun, templateName } from './test-run-facts.ts';

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
  await cloneTemplate(run, templateName(run, schema), database, [schema]);
  const urls = serviceDatabase({ adminUrl: run.adminUrl, database }, schema);
  return {
    databaseUrl: urls.databaseUrl,
    ownerUrl: urls.migrationDatabaseUrl,
    drop: () => dropTestDatabase(run.adminUrl, database),
  };
}

/** Creates a database for a house, with the schemas of all services fully migrated and empty; returns its URLs. */
export async function createHouseDatabase(
  run: TestRun,
  database: string,
): Promise<Record<string, ServiceDatabase>> {
  const schemas = allSchemas();
  await cloneTemplate(run, houseTemplateName(run), database, schemas);
  return Object.fromEntries(
    schemas.map(schema => [schema, serviceDatabase({ adminUrl: run.adminUrl, database }, schema)]),
  );
}

/**
 * Copies the files of the template. Postgres would otherwise write each page to its log, which takes ten times as much
 * CPU time.
 */
async function cloneTemplate(
  { adminUrl }: TestRun,
  template: string,
  database: string,
  schemas: readonly string[],
): Promise<void> {
  await withClient(adminUrl, async admin => {
    await admin.query(
      `CREATE DATABASE ${pg.escapeIdentifier(database)} TEMPLATE ${pg.escapeIdentifier(template)} STRATEGY file_copy`,
    );
    await admin.query(databaseAccessSql(database, schemas).join(';'));
  });
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
