import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type OpenTestDatabase, openTestDatabase } from '@mailproof/dev-house';
import { inTransaction } from '@mailproof/service-kit';
import { type AccountId, type DiscoverySearchId, newId, type SavedListId } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { createCompanyRows } from '../src/adapters/postgres/company-rows.ts';
import {
  createLookalikeResults,
  createLookalikeSearches,
} from '../src/adapters/postgres/lookalike-searches.ts';
import { openDatabase } from '../src/adapters/postgres/open.ts';
import { createCompanySaving } from '../src/adapters/postgres/saved-companies.ts';
import type { DeliveredRun } from '../src/domain/discovery/run.ts';
import { keepCompanies } from './keep-companies.ts';

const now = new Date('2026-03-02T09:30:00Z');

let database: OpenTestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await openTestDatabase('enrichment', openDatabase);
  pool = database.pool;
});

afterAll(() => database?.close());

let domains = 0;
const newCompanies = (count: number, fields = {}) =>
  keepCompanies(
    pool,
    Array.from({ length: count }, () => {
      domains += 1;
      return { domain: `c${domains}.example`, ...fields };
    }),
  );

const noQuestion = { seedDomains: [], seedText: null, seedPages: {}, unlikeDomains: [], filters: {} };

async function newSearch(accountId: AccountId, createdAt = now): Promise<DiscoverySearchId> {
  const searchId = newId('discoverySearch');
  await createLookalikeSearches(pool).create({
    searchId,
    accountId,
    creatorId: newId('user'),
    name: 'Like ours',
    question: { ...noQuestion, seedDomains: ['seed.example'], filters: { countries: ['DE'] } },
    previewMatches: 7,
    now: createdAt,
    key: null,
  });
  return searchId;
}

async function newRun(
  accountId: AccountId,
  searchId: DiscoverySearchId,
  state = 'running',
): Promise<DeliveredRun> {
  const runId = newId('discoveryRun');
  await pool.query(
    `INSERT INTO discovery_run (run_id, search_id, account_id, state, requested, price, hold_amount, created_by)
     VALUES ($1, $2, $3, $4, 10, 5, 50, 'user')`,
    [runId, searchId, accountId, state],
  );
  return { runId, searchId, accountId, query: {}, listId: null };
}

const match = (companyNo: number, strength = 0.5) => ({
  companyNo,
  strength,
  reasons: {
    sharedTerms: ['pallets'],
    matchingFacets: [{ facet: 'industry' as const, value: 'banking' }],
  },
});

const results = createLookalikeResults();

const save = (run: DeliveredRun, companyNos: readonly number[]) =>
  inTransaction(pool, client =>
    results.save(
      client,
      run,
      companyNos.map((companyNo, index) => match(companyNo, 0.9 - index / 100)),
      now,
    ),
  );

const charged = (run: DeliveredRun) => inTransaction(pool, client => results.countCharged(client, run));

const delivered = async (run: DeliveredRun) =>
  (await createCompanyRows(pool).readDelivered(run.accountId, run.searchId, undefined, 1_000)).map(
    ({ companyNo, rank }) => [companyNo, rank],
  );

describe('the results of lookalike runs', () => {
  it('are stored in order, charged once, and unchanged if delivered again', async () => {
    const account = newId('account');
    const [a = 0, b = 0, c = 0] = await newCompanies(3);
    const run = await newRun(account, await newSearch(account));
    expect(await save(run, [b, a])).toBe(2);
    expect(await save(run, [a, c, b])).toBe(1);
    expect(await charged(run)).toBe(3);
    expect((await delivered(run)).map(([companyNo]) => companyNo)).toEqual([b, a, c]);
    const [first] = await createCompanyRows(pool).readDelivered(account, run.searchId, undefined, 1);
    expect(first).toMatchObject({ companyNo: b, strength: 0.9, isPaid: true, reasons: match(b).reasons });
  });

  it('are free if the account has paid for them in another search', async () => {
    const account = newId('account');
    const [a = 0, b = 0, c = 0] = await newCompanies(3);
    const one = await newRun(account, await newSearch(account));
    await save(one, [a, b]);
    const other = await newRun(account, await newSearch(account));
    expect(await save(other, [b, c])).toBe(1);
    expect(await delivered(other)).toEqual([
      [b, 1],
      [c, 2],
    ]);
    expect([await charged(one), await charged(other)]).toEqual([2, 1]);
    const stranger = newId('account');
    const theirs = await newRun(stranger, await newSearch(stranger));
    expect(await save(theirs, [a, b, c])).toBe(3);
  });

  it('omit records removed from the store, which are not charged', async () => {
    const account = newId('account');
    const [a = 0, b = 0] = await newCompanies(2);
    const run = await newRun(account, await newSearch(account));
    await pool.query('DELETE FROM company WHERE company_no = $1', [a]);
    expect(await save(run, [a, b])).toBe(1);
    expect(await delivered(run)).toEqual([[b, 1]]);
  });

  it('are charged once when two runs of an account save them at the same time, in any order', async () => {
    const account = newId('account');
    const companies = await newCompanies(60);
    const runs = await Promise.all([0, 1, 2, 3].map(async () => newRun(account, await newSearch(account))));
    const saved = await Promise.all(
      runs.map((run, index) => save(run, index % 2 === 0 ? companies : companies.toReversed())),
    );
    expect(saved.reduce((sum, count) => sum + count, 0)).toBe(60);
    for (const run of runs) {
      expect(await delivered(run)).toHaveLength(60);
    }
  });

  it('are charged once when runs of both kinds of company search save them into one list at the same time', async () => {
    const account = newId('account');
    const companies = await newCompanies(80);
    const listId = `list_${account}` as SavedListId;
    await pool.query(
      `INSERT INTO saved_list (list_id, account_id, kind, name, created_by) VALUES ($1, $2, 'companies', 'x', 'user')`,
      [listId, account],
    );
    const runs = await Promise.all(
      [0, 1, 2, 3].map(async () => ({ ...(await newRun(account, await newSearch(account))), listId })),
    );
    const saving = createCompanySaving(pool);
    const saved = await Promise.all(
      runs.map((run, index) =>
        index % 2 === 0
          ? save(run, companies.toReversed())
          : inTransaction(pool, client => saving.save(client, run, companies)),
      ),
    );
    expect(saved.reduce((sum, count) => sum + count, 0)).toBe(80);
    const counted = await inTransaction(pool, client =>
      Promise.all(runs.map(run => saving.countSaved(client, run))),
    );
    expect(counted).toEqual(saved);
    const { rows } = await pool.query('SELECT count(*)::integer FROM saved_list_entry WHERE list_id = $1', [
      listId,
    ]);
    expect(rows).toEqual([{ count: 80 }]);
  });

  it('go into the list of the run, if it is one of the account’s', async () => {
    const account = newId('account');
    const companies = await newCompanies(2);
    const lists = ['list_a', 'list_b'].map(name => `${name}${account}`);
    const owners = [account, newId('account')];
    for (const [index, listId] of lists.entries()) {
      await pool.query(
        `INSERT INTO saved_list (list_id, account_id, kind, name, created_by) VALUES ($1, $2, 'companies', 'x', 'user')`,
        [listId, owners[index]],
      );
      const run = await newRun(account, await newSearch(account));
      await save({ ...run, listId } as DeliveredRun, companies);
    }
    const { rows } = await pool.query(
      'SELECT list_id, count(*)::integer FROM saved_list_entry WHERE list_id = ANY ($1) GROUP BY list_id',
      [lists],
    );
    expect(rows).toEqual([{ list_id: lists[0], count: 2 }]);
  });
});

describe('the offer of a run', () => {
  it('is counted up to the last company that would be charged for', async () => {
    const account = newId('account');
    const known = await newCompanies(2, {
      country: 'DE',
      employeeCount: 12,
      categories: ['x'],
      website: 'w',
    });
    const bare = await newCompanies(3);
    const order = [bare[0] ?? 0, known[0] ?? 0, bare[1] ?? 0, known[1] ?? 0, bare[2] ?? 0];
    const run = await newRun(account, await newSearch(account));
    await save(run, [known[0] ?? 0, bare[2] ?? 0]);
    const rows = createCompanyRows(pool);
    const gone = 2_000_000_000;
    expect(await rows.count(account, [gone, ...order], [1, 2, 3, 50_000])).toMatchObject([
      { companies: 1, alreadyPaid: 0, filled: { location: 0, links: 0 } },
      { companies: 2, alreadyPaid: 1, filled: { location: 1, employeeCount: 1, categories: 1, links: 1 } },
      { companies: 3, alreadyPaid: 1, filled: { location: 2, employeeCount: 2, revenue: 0, funding: 0 } },
      { companies: 3, alreadyPaid: 2, filled: { location: 2, employeeCount: 2, revenue: 0, funding: 0 } },
    ]);
    expect(await rows.count(account, [], [10])).toMatchObject([{ companies: 0, alreadyPaid: 0 }]);
  });
});

describe('lookalike searches', () => {
  const searches = () => createLookalikeSearches(pool);

  it('are visible only to their account, and listed newest first', async () => {
    const account = newId('account');
    const ids: DiscoverySearchId[] = [];
    for (const second of [1, 2, 3]) {
      ids.push(await newSearch(account, new Date(now.getTime() + second * 1_000)));
    }
    const [first, second] = await searches().list(account, undefined, 2);
    expect([first?.searchId, second?.searchId]).toEqual([ids[2], ids[1]]);
    const position = {
      createdAt: second?.createdAt ?? now,
      searchId: second?.searchId ?? newId('discoverySearch'),
    };
    expect((await searches().list(account, position, 2)).map(({ searchId }) => searchId)).toEqual([ids[0]]);
    expect(await searches().find(newId('account'), ids[0] ?? newId('discoverySearch'))).toBeUndefined();
    expect(first).toMatchObject({
      isLocked: false,
      facts: { isFetching: false, delivered: 0, hasEndedRun: false, hasMore: null, previewMatches: 7 },
      question: { ...noQuestion, seedDomains: ['seed.example'], filters: { countries: ['DE'] } },
    });
  });

  it('cannot be changed once they are locked', async () => {
    const account = newId('account');
    const searchId = await newSearch(account);
    const question = { ...noQuestion, seedDomains: ['other.example'] };
    const change = { question, previewMatches: 3, now };
    expect(await searches().change(account, searchId, change)).toBe('changed');
    expect(await searches().change(newId('account'), searchId, change)).toBe('notFound');
    await pool.query(`UPDATE discovery_search SET state = 'locked' WHERE search_id = $1`, [searchId]);
    expect(await searches().change(account, searchId, change)).toBe('locked');
    await searches().notePreview(searchId, 99);
    expect((await searches().find(account, searchId))?.facts.previewMatches).toBe(3);
  });

  it('are deleted with their results, unless a run is active; paid companies stay paid', async () => {
    const account = newId('account');
    const companies = await newCompanies(2);
    const searchId = await newSearch(account);
    const run = await newRun(account, searchId);
    await save(run, companies);
    expect(await searches().find(account, searchId)).toMatchObject({
      activeRunId: run.runId,
      facts: { isFetching: true, delivered: 2 },
    });
    expect(await searches().delete(account, searchId)).toBe('runActive');
    expect(await searches().delete(newId('account'), searchId)).toBe('notFound');
    await pool.query(`UPDATE discovery_run SET state = 'cancelled' WHERE run_id = $1`, [run.runId]);
    expect(await searches().delete(account, searchId)).toBe('deleted');
    expect(await searches().delete(account, searchId)).toBe('notFound');
    const next = await newRun(account, await newSearch(account));
    expect(await save(next, companies)).toBe(0);
  });
});

describe('companies to try a search with', () => {
  it('are those that the ranking knows words of, of the most frequent industry', async () => {
    const { rows } = await pool.query<{ model_no: number }>(
      `INSERT INTO lookalike_model (format, change_no, companies, terms, dimensions, mean_length, calibration)
       VALUES (1, 0, 5, 1, 1, 1, '{}') RETURNING model_no`,
    );
    const place = (companyNo: number | undefined, wordColumns: string) =>
      pool.query(
        `INSERT INTO lookalike_place (model_no, company_no, change_no, place, word_columns, word_weights)
         VALUES ($1, $2, 1, '', $3, '')`,
        [rows[0]?.model_no, companyNo, Buffer.from(wordColumns)],
      );
    expect(await createCompanyRows(pool).examples(3)).toEqual([]);
    const [unread, wordless, ...usable] = await newCompanies(5, { industry: 'banking', name: 'Bank' });
    const [other] = await newCompanies(1, { industry: 'machinery' });
    const [nameless] = await keepCompanies(pool, [
      { domain: null, profileKey: 'linkedin.com/company/bank', industry: 'banking' },
    ]);
    await place(wordless, '');
    for (const companyNo of [...usable, other, nameless]) await place(companyNo, 'word');
    const examples = await createCompanyRows(pool).examples(3);
    const kept = await pool.query<{ domain: string; name: string }>(
      'SELECT domain, name FROM company WHERE company_no = ANY($1) ORDER BY company_no',
      [usable],
    );
    expect(unread).toBeDefined();
    expect(examples).toEqual(kept.rows);
  });
});
