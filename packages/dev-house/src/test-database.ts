import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { databaseAccessSql } from './role-sql.ts';
import { serviceDatabase, withClient } from './roles.ts';
import { type StoringServiceName, schemaOf } from './services.ts';
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
    async drop() {
      // By force: a pool that is still closing must not fail the test file.
      await withClient(run.adminUrl, admin => admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
    },
  };
}
