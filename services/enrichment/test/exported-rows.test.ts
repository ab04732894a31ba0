import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type OpenTestDatabase, openTestDatabase } from '@mailproof/dev-house';
import {
  type AccountId,
  type DiscoveryRunId,
  type DiscoverySearchId,
  limits,
  newId,
  type SavedListId,
} from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { createExportedCompanies, createExportedPeople } from '../src/adapters/postgres/exported-rows.ts';
import { openDatabase } from '../src/adapters/postgres/open.ts';
import type { ExportedRows } from '../src/domain/exported/exported-rows.ts';

let opened: OpenTestDatabase;
let pool: Pool;
let sources: { main: number; other: number };

beforeAll(async () => {
  opened = await openTestDatabase('enrichment', openDatabase);
  pool = opened.pool;
  const { rows } = await pool.query<{ source_id: number }>(
    `INSERT INTO source (kind, name, licence, retrieved_on)
     VALUES ('import', 'Main', 'CC0-1.0', '2026-01-01'), ('import', 'Other', 'ODC-BY', '2026-02-02')
     RETURNING source_id`,
  );
  sources = { main: rows[0]?.source_id ?? 0, other: rows[1]?.source_id ?? 0 };
});

afterAll(async () => {
  await opened?.close();
});

/** Creates a search with a run. */
async function searchOf(accountId: AccountId, kind: 'people' | 'lookalikes') {
  const [searchId, runId] = [newId('discoverySearch'), newId('discoveryRun')];
  await pool.query(
    "INSERT INTO discovery_search (search_id, account_id, kind, name, query, created_by) VALUES ($1, $2, $3, 'S', '{}', 'u')",
    [searchId, accountId, kind],
  );
  await pool.query(
    `INSERT INTO discovery_run (run_id, search_id, account_id, requested, price, hold_amount, created_by, state)
     VALUES ($1, $2, $3, 1, 1, 1, 'u', 'succeeded')`,
    [runId, searchId, accountId],
  );
  return { searchId, runId };
}

async function listOf(accountId: AccountId, kind: 'people' | 'companies'): Promise<SavedListId> {
  const listId = newId('savedList');
  await pool.query(
    'INSERT INTO saved_list (list_id, account_id, kind, name, created_by) VALUES ($1, $2, $3, $1, $4)',
    [listId, accountId, kind, 'u'],
  );
  return listId;
}

/** Saves `count` people at the same time, like a chunk of a run. */
async function savePeople(accountId: AccountId, runId: DiscoveryRunId, count: number): Promise<number[]> {
  const { rows } = await pool.query<{ person_no: number }>(
    `WITH made AS (
       INSERT INTO person (person_id, profile_key, profile_url, full_name, source_id)
       SELECT 'pers_' || md5($2 || i), $2 || i, 'https://profiles.example/' || i, 'Person ' || i, $4
       FROM generate_series(1, $3::int) i RETURNING person_no)
     INSERT INTO saved_person (account_id, person_no, run_id)
     SELECT $1, person_no, $2 FROM made ORDER BY person_no RETURNING person_no`,
    [accountId, runId, count, sources.main],
  );
  return rows.map(({ person_no }) => person_no);
}

async function payCompanies(accountId: AccountId, runId: DiscoveryRunId, count: number): Promise<number[]> {
  const { rows } = await pool.query<{ company_no: number }>(
    `WITH made AS (
       INSERT INTO company (company_id, domain, name, keywords, funding_usd, source_id, field_sources)
       SELECT 'comp_' || md5($2 || i), md5($2 || i) || '.example', 'Company ' || i, '{one,two}', 5000000000, $4,
         jsonb_build_object('funding_usd', $5::int)
       FROM generate_series(1, $3::int) i RETURNING company_no)
     INSERT INTO paid_company (account_id, company_no, run_id)
     SELECT $1, company_no, $2 FROM made ORDER BY company_no RETURNING company_no`,
    [accountId, runId, count, sources.main, sources.other],
  );
  return rows.map(({ company_no }) => company_no);
}

async function rank(searchId: DiscoverySearchId, runId: DiscoveryRunId, companyNos: readonly number[]) {
  await pool.query(
    `INSERT INTO lookalike_result (search_id, company_no, run_id, rank, strength, reasons)
     SELECT $1, company_no, $2, rank, 0.9, '{"shared_terms":["loans"],"matching_facets":[]}'
     FROM unnest($3::int[]) WITH ORDINALITY AS r(company_no, rank)`,
    [searchId, runId, companyNos],
  );
}

async function allKeys<Source>(rows: ExportedRows<Source>, accountId: AccountId, source: Source) {
  const keys: string[] = [];
  for (;;) {
    const page = await rows.list(accountId, source, keys.at(-1));
    keys.push(...(page?.keys ?? []));
    if (!page || page.is_last) {
      return { keys, total: page?.total, columns: page?.columns };
    }
  }
}

describe('rows of saved people', () => {
  it('are listed page by page in the order of their saving, each once', async () => {
    const accountId = newId('account');
    const { runId } = await searchOf(accountId, 'people');
    const people = createExportedPeople(pool);
    const saved = await savePeople(accountId, runId, limits.exportKeysPerPageMax + 3);
    const { keys, total } = await allKeys(people, accountId, { kind: 'saved_people' });
    expect(total).toBe(saved.length);
    expect(keys.map(key => Number(key.split('.')[1]))).toEqual(saved);
  });

  it('continue after a key whose person is gone', async () => {
    const accountId = newId('account');
    const { runId } = await searchOf(accountId, 'people');
    const people = createExportedPeople(pool);
    const [, second = 0] = await savePeople(accountId, runId, 3);
    const source = { kind: 'saved_people' } as const;
    const [, key, last = ''] = (await allKeys(people, accountId, source)).keys;
    await pool.query('DELETE FROM person WHERE person_no = $1', [second]);
    expect((await people.list(accountId, source, key))?.keys).toEqual([last]);
    expect((await people.read(accountId, source, [key ?? '', last]))?.rows.map(row => row.key)).toEqual([
      last,
    ]);
  });

  it('are those of a list or a run, and of no other account', async () => {
    const [accountId, other] = [newId('account'), newId('account')];
    const [one, two] = [await searchOf(accountId, 'people'), await searchOf(accountId, 'people')];
    const people = createExportedPeople(pool);
    const ofOne = await savePeople(accountId, one.runId, 2);
    const ofTwo = await savePeople(accountId, two.runId, 2);
    const listId = await listOf(accountId, 'people');
    await pool.query('INSERT INTO saved_list_entry (list_id, person_no) VALUES ($1, $2)', [listId, ofOne[1]]);
    const numbers = async (source: Parameters<typeof people.list>[1]) =>
      (await allKeys(people, accountId, source)).keys.map(key => Number(key.split('.')[1]));
    expect(await numbers({ kind: 'saved_people', run_id: two.runId })).toEqual(ofTwo);
    expect(await numbers({ kind: 'saved_people', list_id: listId })).toEqual([ofOne[1]]);
    expect(await numbers({ kind: 'saved_people', list_id: listId, run_id: two.runId })).toEqual([]);
    for (const source of [{ list_id: listId }, { run_id: one.runId }]) {
      expect(await people.list(other, { kind: 'saved_people', ...source }, undefined)).toBeUndefined();
    }
    const keys = (await allKeys(people, accountId, { kind: 'saved_people' })).keys;
    expect((await people.read(other, { kind: 'saved_people' }, keys))?.rows).toEqual([]);
  });

  it('refuse a key that no row has', async () => {
    const people = createExportedPeople(pool);
    for (const key of ['x', '1', '1.2.3', '-1.2', '99999999999999999.1', "1.1' OR 1=1"]) {
      const asked = people.read(newId('account'), { kind: 'saved_people' }, [key]);
      await expect(asked).rejects.toMatchObject({ code: 'invalid_request' });
    }
  });

  it('name the fields with a different source than the rest', async () => {
    const accountId = newId('account');
    const { runId } = await searchOf(accountId, 'people');
    const people = createExportedPeople(pool);
    const [personNo] = await savePeople(accountId, runId, 1);
    await pool.query(
      "UPDATE person SET job_title = 'Head', field_sources = jsonb_build_object('job_title', $2::int) WHERE person_no = $1",
      [personNo, sources.other],
    );
    const { keys } = await allKeys(people, accountId, { kind: 'saved_people' });
    const page = await people.read(accountId, { kind: 'saved_people' }, keys);
    const row = Object.fromEntries(page?.columns.map((name, at) => [name, page.rows[0]?.values[at]]) ?? []);
    expect(row).toMatchObject({
      name: 'Person 1',
      job_title: 'Head',
      keywords: null,
      annual_revenue_usd: null,
      source: 'Main',
      source_licence: 'CC0-1.0',
      source_date: '2026-01-01',
      other_sources: 'job_title: Other (ODC-BY, 2026-02-02)',
    });
    expect(page?.columns.filter(name => /mail/.test(name))).toEqual([]);
  });
});

describe('rows of companies', () => {
  it('of a search are the most alike first, with how alike they are', async () => {
    const accountId = newId('account');
    const { searchId, runId } = await searchOf(accountId, 'lookalikes');
    const companies = createExportedCompanies(pool);
    const paid = await payCompanies(accountId, runId, 3);
    await rank(searchId, runId, paid.toReversed());
    const source = { kind: 'saved_companies', search_id: searchId } as const;
    const { keys, total, columns } = await allKeys(companies, accountId, source);
    expect([total, keys]).toEqual([3, paid.toReversed().map((number, at) => `${at + 1}.${number}`)]);
    const page = await companies.read(accountId, source, keys);
    const row = Object.fromEntries(columns?.map((name, at) => [name, page?.rows[0]?.values[at]]) ?? []);
    expect(row).toMatchObject({
      name: 'Company 3',
      keywords: 'one; two',
      funding_usd: 5_000_000_000,
      match_strength: 0.9,
      shared_terms: 'loans',
      source: 'Main',
      other_sources: 'funding_usd: Other (ODC-BY, 2026-02-02)',
    });
    const ofRun = await allKeys(companies, accountId, { kind: 'saved_companies', run_id: runId });
    expect(ofRun.keys).toEqual(keys);
  });

  it('of all searches are in the order of their payment, each once', async () => {
    const accountId = newId('account');
    const [one, two] = [await searchOf(accountId, 'lookalikes'), await searchOf(accountId, 'lookalikes')];
    const companies = createExportedCompanies(pool);
    const paid = await payCompanies(accountId, one.runId, 3);
    await rank(one.searchId, one.runId, paid);
    await rank(two.searchId, two.runId, paid);
    const { keys, columns } = await allKeys(companies, accountId, { kind: 'saved_companies' });
    expect(keys.map(key => Number(key.split('.')[1]))).toEqual(paid);
    expect(columns).not.toContain('match_strength');
    const page = await companies.read(accountId, { kind: 'saved_companies' }, keys);
    expect(page?.rows.map(({ values }) => values.length)).toEqual(paid.map(() => columns?.length));
  });

  it('are not there for another account, nor of a search for people', async () => {
    const [accountId, other] = [newId('account'), newId('account')];
    const { searchId, runId } = await searchOf(accountId, 'lookalikes');
    const people = await searchOf(accountId, 'people');
    const companies = createExportedCompanies(pool);
    const list = (account: AccountId, source: object) =>
      companies.list(account, { kind: 'saved_companies', ...source }, undefined);
    for (const source of [{ search_id: searchId }, { run_id: runId }]) {
      expect(await list(accountId, source)).toMatchObject({ total: 0 });
      expect(await list(other, source)).toBeUndefined();
    }
    expect(await list(accountId, { search_id: people.searchId })).toBeUndefined();
    expect(await list(accountId, { search_id: searchId, run_id: people.runId })).toBeUndefined();
  });
});
