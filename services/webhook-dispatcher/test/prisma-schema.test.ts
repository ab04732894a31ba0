import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, prismaSchemaFaults, sqlTypes, type TestDatabase } from '@mailproof/dev-house';
import { parseSql } from '@mailproof/service-kit';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase('webhook-dispatcher');
});

afterAll(() => database.drop());

describe('the Prisma schema', () => {
  it('describes the migrated tables', async () => {
    const schemaFile = new URL('../prisma/schema.prisma', import.meta.url);
    expect(await prismaSchemaFaults(database.ownerUrl, schemaFile)).toEqual([]);
  });
});

describe('the types of the SQL files', () => {
  const source = join(import.meta.dirname, '../src');

  it.each(globSync('**/*.sql', { cwd: source }))('are those of the migrated tables: %s', async name => {
    const file = join(source, name);
    const types = await sqlTypes(database.ownerUrl, file, parseSql(await readFile(file, 'utf8')));
    expect(await readFile(`${file}.ts`, 'utf8')).toBe(types);
  });
});
