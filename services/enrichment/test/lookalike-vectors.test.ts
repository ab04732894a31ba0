import { describe, expect, it } from '@jest/globals';
import { createTestDatabase, waitFor } from '@mailproof/dev-house';
import { PostgresVectors } from '../src/adapters/lookalike-worker/postgres-vectors.ts';
import { openDatabase } from '../src/adapters/postgres/open.ts';
import { lookalikeOperator } from '../src/compose/lookalikes.ts';
import { createLookalikeReplicas, isReady, load, soon, synthetic } from './lookalike-replicas.ts';

const replicas = createLookalikeReplicas();

describe('a database without the extension', () => {
  it('keeps vectors in memory, and says what is missing to a replica that asks for Postgres', async () => {
    const database = await createTestDatabase('enrichment');
    const open = openDatabase({
      url: database.databaseUrl,
      connectionsMax: 4,
      onIdleError: () => undefined,
    });
    try {
      expect(await PostgresVectors.open(open.pool)).toBeNull();
      await load(open.pool, synthetic(60));
      await lookalikeOperator(open.pool, database.databaseUrl).build(
        () => undefined,
        AbortSignal.timeout(soon.deadlineMs),
      );
      await waitFor('memory', isReady(replicas.start(database.databaseUrl, 'auto')), soon);
      expect(replicas.failures).toEqual([]);
      const ranking = replicas.start(database.databaseUrl, 'postgres');
      await waitFor('the complaint', async () => replicas.failures.length > 0, soon);
      expect(replicas.failures[0]?.message).toContain('LOOKALIKE_VECTORS');
      expect(ranking.status().state).not.toBe('ready');
    } finally {
      await replicas.close();
      await open.close();
      await database.drop();
    }
  });
});
