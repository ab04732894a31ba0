import { describe, expect, it } from '@jest/globals';
import { createTestDatabase, prismaSchemaFaults } from '@mailproof/dev-house';

describe('the Prisma schema', () => {
  it('describes the migrated tables', async () => {
    const database = await createTestDatabase('validation-engine');
    try {
      const schemaFile = new URL('../prisma/schema.prisma', import.meta.url);
      expect(await prismaSchemaFaults(database.ownerUrl, schemaFile)).toEqual([]);
    } finally {
      await database.drop();
    }
  });
});
