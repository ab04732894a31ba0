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
  /** As the role that the service itself connects as. */
  readonly databaseUrl: string;
  /** As the owner of the schema, who may also look at and change what the service may not. */
  readonly ownerUrl: string;
  drop(): Promise<void>;
}

/** A database of the test file's own, with the service's schema fully migrated and empty. */
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

/** Time for connections that are being closed to be gone, and between two looks, in milliseconds. */
const closingMsMax = 1_000;
const lookEveryMs = 10;

/**
 * Takes the database of a test away. A pool has ended before the server knows of it, and a connection that is ended from
 * there meanwhile would fail whatever test runs next in the process; so those get a moment, and what is left goes by force.
 */
export async function dropTestDatabase(adminUrl: string, database: string): Promise<void> {
  await withClient(adminUrl, async admin => {
    for (let waitedMs = 0; waitedMs < closingMsMax; waitedMs += lookEveryMs) {
      const { rows } = await admin.query('SELECT 1 FROM pg_stat_activity WHERE datname = $1 LIMIT 1', [
        database,
      ]);
      if (rows.length === 0) break;
      await wait(lookEveryMs);
    }
    await admin.query(`DROP DATABASE IF EXISTS ${pg.escapeIdentifier(database)} WITH (FORCE)`);
  });
}
