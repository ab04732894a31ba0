import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  migrateService,
  provisionDatabase,
  type ServiceDatabase,
  withClient,
  withDatabase,
} from '@mailproof/installation';
import { currentTestRun } from '../src/test-run-facts.ts';

const schemas = ['fake_orders', 'fake_stock'] as const;
const permissionDenied = { code: '42501' };

describe('two services in one database', () => {
  const { adminUrl, id } = currentTestRun();
  const database = `mailproof_test_${id}_roles`;
  let directory = '';
  let urls: Record<string, ServiceDatabase> = {};
  const of = (schema: string): ServiceDatabase => urls[schema] as ServiceDatabase;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mailproof-migrations-'));
    for (const schema of schemas) {
      await mkdir(join(directory, schema));
      const sql = `-- Up Migration
CREATE TABLE things (id int PRIMARY KEY);
INSERT INTO things VALUES (1);
GRANT SELECT ON things TO mailproof_${schema};
-- Down Migration
DROP TABLE things;
`;
      await writeFile(join(directory, schema, '0001_things.sql'), sql);
    }
    // Concurrently, as Jest's workers do.
    const provisioned = await Promise.all(
      Array.from({ length: 4 }, () => provisionDatabase({ adminUrl, database, schemas })),
    );
    urls = provisioned[0] ?? {};
    expect(new Set(provisioned.map(each => JSON.stringify(each))).size).toBe(1);
    await Promise.all(
      [...schemas, ...schemas].map(schema =>
        migrateService({ ...of(schema), schema, directory: join(directory, schema) }),
      ),
    );
  });
  afterAll(async () => {
    await rm(directory, { recursive: true, force: true });
    await withClient(adminUrl, async admin => {
      await admin.query(`DROP DATABASE ${database} WITH (FORCE)`);
      for (const schema of schemas)
        await admin.query(`DROP ROLE mailproof_${schema}, mailproof_${schema}_owner`);
    });
  });

  function query(url: string, sql: string): Promise<unknown[]> {
    return withClient(url, async client => (await client.query(sql)).rows);
  }

  test('each reads its own tables without naming the schema', async () => {
    for (const schema of schemas) {
      await expect(query(of(schema).databaseUrl, 'SELECT id FROM things')).resolves.toEqual([{ id: 1 }]);
    }
  });

  test.each(['databaseUrl', 'migrationDatabaseUrl'] as const)(
    'neither reads the other’s tables with its %s',
    async url => {
      await expect(query(of('fake_orders')[url], 'SELECT id FROM fake_stock.things')).rejects.toMatchObject(
        permissionDenied,
      );
      await expect(query(of('fake_stock')[url], 'SELECT id FROM fake_orders.things')).rejects.toMatchObject(
        permissionDenied,
      );
    },
  );

  test.each([
    'INSERT INTO things VALUES (2)',
    'CREATE TABLE mine (id int)',
    'CREATE TABLE public.mine (id int)',
    'CREATE TEMP TABLE mine (id int)',
    'CREATE SCHEMA mine',
    'DROP TABLE things',
    'SELECT * FROM schema_migrations',
    'SET ROLE mailproof_fake_orders_owner',
  ])('the running service may not do what no migration has granted: %s', async sql => {
    await expect(query(of('fake_orders').databaseUrl, sql)).rejects.toMatchObject(permissionDenied);
  });

  test('a role of another database is not let in', async () => {
    const [otherRun] = Object.values(
      await provisionDatabase({ adminUrl, database: `${database}_b`, schemas: ['fake_stock'] }),
    );
    try {
      const orders = withDatabase(of('fake_orders').databaseUrl, `${database}_b`);
      await expect(query(orders, 'SELECT 1')).rejects.toMatchObject(permissionDenied);
      await expect(query(otherRun?.databaseUrl ?? '', 'SELECT 1 AS one')).resolves.toEqual([{ one: 1 }]);
    } finally {
      await query(adminUrl, `DROP DATABASE ${database}_b WITH (FORCE)`);
    }
  });

  test('a migration that has been applied is not applied again, and a new one is', async () => {
    const folder = join(directory, 'fake_orders');
    const request = { ...of('fake_orders'), schema: 'fake_orders', directory: folder };
    await expect(migrateService(request)).resolves.toEqual([]);
    await writeFile(join(folder, '0002_more.sql'), 'CREATE TABLE more (id int);');
    await expect(migrateService(request)).resolves.toEqual(['0002_more']);
  });

  test('a failed migration reports its name and the reason, and is rolled back with those before it', async () => {
    const folder = join(directory, 'fake_stock');
    await writeFile(join(folder, '0002_whole.sql'), 'CREATE TABLE half (id int);');
    await writeFile(join(folder, '0003_half.sql'), 'CREATE TABLE other (id int); SELECT nonsense;');
    const request = { ...of('fake_stock'), schema: 'fake_stock', directory: folder };
    await expect(migrateService(request)).rejects.toThrow(/fake_stock.*[\s\S]*nonsense/);
    await expect(query(of('fake_stock').migrationDatabaseUrl, 'SELECT FROM half')).rejects.toMatchObject({
      code: '42P01',
    });
  });
});
