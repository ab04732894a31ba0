import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type OpenTestDatabase, openTestDatabase } from '@mailproof/dev-house';
import { chargePreviewJob, newId } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { createFilterSearches } from '../src/adapters/postgres/filter-searches.ts';
import { openDatabase } from '../src/adapters/postgres/open.ts';
import { createRunStore } from '../src/adapters/postgres/run-store.ts';
import { hashOfFilters } from '../src/domain/discovery/search-preview.ts';

let database: OpenTestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await openTestDatabase('enrichment', openDatabase);
  pool = database.pool;
});

afterAll(() => database?.close());

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

describe('the hash of filters', () => {
  it('is the same for equal filters only, in any order', () => {
    const hash = hashOfFilters({ cities: ['a', 'b'], company_founded: { min: 1_999, max: 2_005 } });
    expect(hashOfFilters({ company_founded: { max: 2_005, min: 1_999 }, cities: ['b', 'a'] })).toEqual(hash);
    for (const company_founded of [{ min: 1_999 }, { max: 2_005 }, { min: 1_999, max: 2_006 }]) {
      expect(hashOfFilters({ cities: ['a', 'b'], company_founded })).not.toEqual(hash);
    }
    expect(hashOfFilters({ company_founded: { min: 1_999 } })).not.toEqual(
      hashOfFilters({ company_founded: { max: 1_999 } }),
    );
  });
});

describe('a people search in the store', () => {
  it('charges filters once that two requests preview at once, and knows which hold is for it', async () => {
    const searches = createFilterSearches(pool, 'people');
    const search = { searchId: newId('discoverySearch'), accountId: newId('account') };
    const named = { ...search, name: 'A search', createdBy: newId('user'), key: null };
    await searches.create({ ...named, ...filtersOf('FR') }, { kind: 'none' });
    const holdIds = [newId('hold'), newId('hold')];
    // Each has its own hold: the first hold was settled by the time the second request paid.
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

describe('searches of two kinds', () => {
  it('know nothing of each other’s previews and searches', async () => {
    const [people, companies] = (['people', 'companies'] as const).map(kind =>
      createFilterSearches(pool, kind),
    );
    const search = { searchId: newId('discoverySearch'), accountId: newId('account'), ...filtersOf('FR') };
    const { accountId, searchId, filtersHash } = search;
    await companies?.create(
      { ...search, name: 'A search', createdBy: newId('user'), key: null },
      { kind: 'none' },
    );
    const seen = async (each: typeof people) => [
      await each?.hasPreviewed(accountId, filtersHash),
      (await each?.find(accountId, searchId))?.searchId,
      (await each?.list(accountId, { cursor: undefined, limit: 10 }))?.searches.length,
    ];
    expect([await seen(people), await seen(companies)]).toEqual([
      [false, undefined, 0],
      [true, searchId, 1],
    ]);
    expect(await people?.change({ ...search, ...filtersOf('DE') }, { kind: 'none' })).toBe('gone');
    expect(await people?.rename(accountId, searchId, 'Other')).toBeUndefined();
    expect(await people?.delete(accountId, searchId)).toBe('gone');
    expect(await companies?.delete(accountId, searchId)).toBe('deleted');
  });
});

describe('runs', () => {
  it('are re-enqueued if they have no job and make no progress', async () => {
    const runs = createRunStore(pool);
    const run = async (state: string, secondsStill: number) => {
      // A search has at most one running run.
      const search = { searchId: newId('discoverySearch'), accountId: newId('account') };
      const named = { ...search, name: 'A search', createdBy: newId('user'), key: null };
      await createFilterSearches(pool, 'people').create({ ...named, ...filtersOf('FR') }, { kind: 'none' });
      const runId = newId('discoveryRun');
      await pool.query(
        `INSERT INTO discovery_run (run_id, search_id, account_id, requested, price, hold_amount, created_by, state, moved_at)
         VALUES ($1, $2, $3, 10, 1, 10, 'user', $4, now() - make_interval(secs => $5))`,
        [runId, search.searchId, search.accountId, state, secondsStill],
      );
      return runId;
    };
    const stuck = await run('queued', 120);
    await runs.enqueue(await run('running', 120));
    await Promise.all([run('running', 10), run('succeeded', 120)]);
    expect(await runs.sweep(new Date(Date.now() - 60_000))).toBe(1);
    expect(await runs.sweep(new Date(Date.now() - 60_000))).toBe(0);
    const { rows } = await pool.query('SELECT payload FROM outbox ORDER BY outbox_id DESC LIMIT 1');
    expect(rows).toEqual([{ payload: { runId: stuck } }]);
  });
});

describe('the end of a run', () => {
  type End = readonly ['succeeded' | 'failed' | 'cancelled', delivered: number, hasMore: boolean];

  /** Lets runs of one search end one after the other; returns the resulting state of the search. */
  async function afterRuns(...ends: readonly End[]) {
    const searches = createFilterSearches(pool, 'people');
    const runs = createRunStore(pool);
    const search = { searchId: newId('discoverySearch'), accountId: newId('account') };
    const named = { ...search, name: 'A search', createdBy: newId('user'), key: null };
    await searches.create({ ...named, ...filtersOf('FR') }, { kind: 'none' });
    for (const [state, delivered, hasMore] of ends) {
      const runId = newId('discoveryRun');
      await pool.query(
        `INSERT INTO discovery_run (run_id, search_id, account_id, requested, price, hold_amount, created_by)
         VALUES ($1, $2, $3, 10, 1, 10, 'user')`,
        [runId, search.searchId, search.accountId],
      );
      const run = await runs.find(runId);
      const endedAt = new Date();
      const change = { state, delivered, hasMore, endedAt };
      expect(run && (await runs.change(run, change))).toMatchObject(change);
    }
    const found = await searches.find(search.accountId, search.searchId);
    return [found?.hasMore, found?.lastAttemptFailedAt !== null];
  }

  it.each<[string, readonly End[], readonly [boolean | null, boolean]]>([
    ['says whether more is left', [['succeeded', 5, true]], [true, false]],
    [
      'says so again',
      [
        ['succeeded', 5, true],
        ['succeeded', 2, false],
      ],
      [false, false],
    ],
    [
      'says so after it was cancelled',
      [
        ['succeeded', 5, false],
        ['cancelled', 1, true],
      ],
      [true, false],
    ],
    [
      'as a failure says nothing of a search that is complete',
      [
        ['succeeded', 5, false],
        ['failed', 3, true],
      ],
      [false, true],
    ],
    ['as a failure with nothing says nothing', [['failed', 0, true]], [null, true]],
    ['as a first failure says that more is left', [['failed', 3, true]], [true, true]],
    [
      'as a failure after nothing was found says that more is left',
      [
        ['succeeded', 0, false],
        ['failed', 3, true],
      ],
      [true, true],
    ],
    [
      'forgets a failure when the next one does not fail',
      [
        ['failed', 3, true],
        ['succeeded', 4, false],
      ],
      [false, false],
    ],
  ])('%s', async (_name, ends, said) => {
    expect(await afterRuns(...ends)).toEqual(said);
  });
});
