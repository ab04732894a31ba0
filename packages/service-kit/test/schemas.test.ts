import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createTestDatabase,
  prismaSchemaFaults,
  projectRoot,
  type StoringServiceName,
  sqlTypes,
  type TestDatabase,
} from '@mailproof/dev-house';
import { parseSql } from '../src/stores/sql-file.ts';

const services = globSync('services/*/prisma/schema.prisma', { cwd: projectRoot }).map(
  file => file.split('/')[1] as StoringServiceName,
);

describe.each(services)('the migrated tables of %s', service => {
  const folder = join(projectRoot, 'services', service);
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase(service);
  });

  afterAll(() => database.drop());

  it('are those of its Prisma schema', async () => {
    expect(await prismaSchemaFaults(database.ownerUrl, join(folder, 'prisma/schema.prisma'))).toEqual([]);
  });

  it.each(globSync('src/**/*.sql', { cwd: folder }))('give %s its types', async name => {
    const file = join(folder, name);
    const types = await sqlTypes(database.ownerUrl, file, parseSql(await readFile(file, 'utf8')));
    expect(await readFile(`${file}.ts`, 'utf8')).toBe(types);
  });
});
