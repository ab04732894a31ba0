import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@mailproof/dev-house';
import { chargePreviewJob, newId } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { openDatabase } from '../src/adapters/postgres/open.ts';
import { createPeopleSearches } from '../src/adapters/postgres/people-searches.ts';
import { hashOfFilters } from '../src/domain/discovery/pay-preview.ts';

let database: TestDatabase;
let opened: ReturnType<typeof openDatabase>;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase('enrichment');
  opened = openDatabase({
    url: database.databaseUrl,
    connectionsMax: 5,
    onIdleError: error => {
      throw error;
    },
  });
  pool = opened.pool;
});

afterAll(async () => {
  await opened?.close();
  await database?.drop();
});

async function chargedHolds(): Promise<string[]> {
  const { rows } = await pool.query<{ hold_id: string }>(
    "SELECT payload->>'holdId' AS hold_id FROM outbox WHERE job_type = $1 ORDER BY outbox_id",
    [chargePreviewJob.name],
  );
  return rows.map(({ hold_id }) => hold_id);
}

const filtersOf = (country: string) => {
  const filters = { countries: [country] };
  return { filters, filtersHash: hashOfFilters(filters) };
};

describe('a people search in the store', () => {
  it('charges filters once that two requests preview at once, and knows which hold is for it', async () => {
    const searches = createPeopleSearches(pool);
    const search = { searchId: newId('discoverySearch'), accountId: newId('account') };
    const named = { ...search, name: 'A search', createdBy: newId('user'), key: null };
    await searches.create({ ...named, ...filtersOf('FR') }, { kind: 'none' });
    const holdIds = [newId('hold'), newId('hold')];
    // Each holds credits of its own: the first hold was settled by the time at which the second request paid.
    const changed = await Promise.all(
      holdIds.map(holdId => searches.change({ ...search, ...filtersOf('DE') }, { kind: 'credits', holdId })),
    );
    const wasPreviewed = changed.map(each => typeof each === 'object' && each.wasPreviewed);
    expect(wasPreviewed.sort()).toEqual([false, true]);
    const [used] = await chargedHolds();
    expect(await chargedHolds()).toHaveLength(1);
    for (const holdId of holdIds) {
      expect(await searches.isCharging(holdId)).toBe(holdId === used);
    }
  });
});
