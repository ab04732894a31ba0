import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type OpenTestDatabase, openTestDatabase } from '@mailproof/dev-house';
import { inTransaction } from '@mailproof/service-kit';
import { type AccountId, companyPaidFields, limits, newId } from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import { createCompanyRows } from '../src/adapters/postgres/company-rows.ts';
import {
  createLookalikeResults,
  createLookalikeSearches,
} from '../src/adapters/postgres/lookalike-searches.ts';
import { openDatabase } from '../src/adapters/postgres/open.ts';
import type { DeliveredRun, RunDelivery } from '../src/domain/discovery/run.ts';
import { wordsOfText } from '../src/domain/lookalike/company-text.ts';
import type { LookalikeRanking } from '../src/domain/lookalike/lookalike-ranking.ts';
import { SeedsFault } from '../src/domain/lookalike-search/look.ts';
import { createLookalikeDelivery } from '../src/domain/lookalike-search/lookalike-delivery.ts';
import type { KeptSearch } from '../src/domain/lookalike-search/lookalike-searches.ts';
import { type SeedPage, writeQuestion } from '../src/domain/lookalike-search/question.ts';
import {
  beginSearch,
  changeSearch,
  getSearch,
  listCompanies,
  type SearchPorts,
} from '../src/domain/lookalike-search/search-operations.ts';
import type { ReadSeedPages } from '../src/domain/lookalike-search/seed-pages.ts';
import { UnknownFilterValues } from '../src/domain/people-search/people-index.ts';
import { syntheticCompany } from '../src/fixtures/synthetic-company.ts';
import { keepCompanies } from './keep-companies.ts';
import { rankingInProcess } from './ranking-in-process.ts';

const now = new Date('2026-03-02T09:30:00Z');
/** Only a few industries, so that a company has more matches than a preview shows. */
const invented = Array.from({ length: 12_000 }, (_, index) => syntheticCompany(7, index));
const industries = [...new Set(invented.map(({ industry }) => industry))].slice(0, 5);
const companies = invented.filter(({ industry }) => industries.includes(industry)).slice(0, 400);
const seed = companies[0]?.domain ?? '';
const seedOfOther = companies.find(({ industry }) => industry !== companies[0]?.industry)?.domain ?? '';

let database: OpenTestDatabase;
let pool: Pool;
let ranking: LookalikeRanking;
let account: AccountId;
const wordsOfSeed = () => wordsOfText({ ...(companies[0] as (typeof companies)[number]), name: '' });

/** The websites of the test, by domain, and which of them were read. */
const pages = new Map<string, SeedPage>();
let readDomains: string[] = [];
const readPages: ReadSeedPages = async (_account, domains) => {
  readDomains.push(...domains);
  return new Map(domains.map(domain => [domain, pages.get(domain) ?? { unused: 'page_unreachable' }]));
};

beforeAll(async () => {
  database = await openTestDatabase('enrichment', openDatabase);
  pool = database.pool;
  await keepCompanies(pool, companies);
  ranking = await rankingInProcess(pool);
});

afterAll(() => database?.close());

beforeEach(() => {
  account = newId('account');
  readDomains = [];
});

const ports = (): SearchPorts => ({
  rankingOf: () => ranking,
  companies: createCompanyRows(pool),
  searches: createLookalikeSearches(pool),
  readSeedPages: readPages,
  now: () => now,
});

const deliveryOf = (rankedBy: LookalikeRanking = ranking) =>
  createLookalikeDelivery<PoolClient>({
    ...ports(),
    rankingOf: () => rankedBy,
    results: createLookalikeResults(),
  });

const begin = (question = {}) =>
  beginSearch(
    ports(),
    { accountId: account, creatorId: newId('user'), name: 'Like ours', key: null },
    { seed_domains: [seed], unlike_domains: [], filters: {}, ...question },
  );

type View = Awaited<ReturnType<typeof begin>>;

async function newRun(search: View): Promise<DeliveredRun> {
  const runId = newId('discoveryRun');
  await pool.query(
    `INSERT INTO discovery_run (run_id, search_id, account_id, state, requested, price, hold_amount, created_by)
     VALUES ($1, $2, $3, 'succeeded', 10, 5, 50, 'user')`,
    [runId, search.search_id, account],
  );
  const kept = await createLookalikeSearches(pool).find(account, search.search_id);
  const query = writeQuestion((kept as KeptSearch).question);
  return { runId, searchId: search.search_id, accountId: account, query, listId: null };
}

/** Delivers like a run: chunk by chunk, until enough was charged for or nothing is left. */
async function deliver(
  delivery: RunDelivery<PoolClient>,
  run: DeliveredRun,
  requested: number,
  chunk: number,
) {
  let charged = 0;
  for (;;) {
    const wanted = Math.min(chunk, requested - charged);
    const found = await delivery.findNext({ run, position: undefined, wanted });
    charged += await inTransaction(pool, client => found.save(client));
    if (found.isExhausted || charged >= requested) {
      return { charged, isExhausted: found.isExhausted };
    }
  }
}

const domainsOf = async (search: View) => {
  const page = await listCompanies(
    ports(),
    { accountId: account, searchId: search.search_id },
    undefined,
    10_000,
  );
  return page?.rows.map(({ company }) => company.domain) ?? [];
};

const measure = (run: DeliveredRun) => deliveryOf().measure(run);

/** A list with a company's own entry, and with domains; it belongs to `account` unless another one is given. */
async function newList(
  companyDomain: string | null,
  domains: readonly string[],
  { kind = 'companies', owner = account } = {},
) {
  const listId = newId('savedList');
  await pool.query(
    "INSERT INTO saved_list (list_id, account_id, kind, name, created_by) VALUES ($1, $2, $3, $1, 'user')",
    [listId, owner, kind],
  );
  await pool.query(
    'INSERT INTO saved_list_entry (list_id, company_no) SELECT $1, company_no FROM company WHERE domain = $2',
    [listId, companyDomain],
  );
  await pool.query('INSERT INTO saved_list_domain (list_id, domain) SELECT $1, unnest($2::text[])', [
    listId,
    domains,
  ]);
  return listId;
}

describe('a list that a lookalike search excludes', () => {
  it('leaves out its companies and domains, in the preview and in runs, also after a change of the list', async () => {
    const [first, second, third] = (await begin()).preview.map(({ company }) => company.domain);
    const listId = await newList(first ?? '', [second ?? '', 'unknown.example']);
    const before = (await begin()).expected?.matches ?? 0;
    const search = await begin({ filters: { excluded_saved_lists: [listId] } });
    expect(search.expected?.matches).toBe(before - 2);
    expect(search.preview[0]?.company.domain).toBe(third);
    await pool.query('INSERT INTO saved_list_domain (list_id, domain) VALUES ($1, $2)', [listId, third]);
    const run = await newRun(search);
    expect((await measure(run)).matching).toBe(before - 3);
    await deliver(deliveryOf(), run, 50, 20);
    const delivered = await domainsOf(search);
    expect(delivered).toHaveLength(before - 3);
    expect(delivered.filter(domain => [first, second, third].includes(domain ?? ''))).toEqual([]);
  });

  it('can have 50,000 domains', async () => {
    const preview = (await begin()).preview.map(({ company }) => company.domain ?? '');
    const many = Array.from({ length: limits.listDomainsMax - preview.length }, (_, at) => `d${at}.example`);
    const listId = await newList(null, [...many, ...preview]);
    const startedAt = performance.now();
    const { preview: others } = await begin({ filters: { excluded_saved_lists: [listId] } });
    process.stderr.write(`50,000 domains excluded in ${Math.round(performance.now() - startedAt)} ms\n`);
    expect(others.filter(({ company }) => preview.includes(company.domain ?? ''))).toEqual([]);
  });

  it('must be one of companies, of the account, and not deleted', async () => {
    for (const listId of [
      newId('savedList'),
      await newList(null, [seed], { owner: newId('account') }),
      await newList(null, [], { kind: 'people' }),
    ]) {
      const asked = begin({ filters: { excluded_saved_lists: [listId] } });
      await expect(asked).rejects.toMatchObject({
        values: [{ pointer: '/excluded_saved_lists/0', value: listId }],
      });
    }
    const listId = await newList(null, [seed]);
    const search = await begin({ filters: { excluded_saved_lists: [listId] } });
    await pool.query('DELETE FROM saved_list WHERE list_id = $1', [listId]);
    const run = await newRun(search);
    await expect(measure(run)).rejects.toThrow(UnknownFilterValues);
    const named = { accountId: account, searchId: search.search_id };
    expect(await getSearch(ports(), named)).toMatchObject({
      preview: [],
      expected: null,
      seeds: [{ use: 'used' }],
    });
    expect(await domainsOf(search)).toEqual([]);
  });
});

describe('a new lookalike search', () => {
  it('shows the strongest, none of them the seed, and no field that is to be paid for', async () => {
    const view = await begin();
    expect(view.preview).toHaveLength(limits.lookalikePreviewMax);
    expect(view.preview.map(({ company }) => company.domain)).not.toContain(seed);
    const strengths = view.preview.map(({ match_strength }) => match_strength);
    expect(strengths).toEqual(strengths.toSorted((one, other) => other - one));
    for (const company of view.preview) {
      expect(Object.keys(company)).not.toEqual(expect.arrayContaining([...companyPaidFields]));
      expect(companyPaidFields.filter(name => name in company)).toEqual([]);
      expect(company.reasons.matching_facets.every(({ facet }) => facet === 'industry')).toBe(true);
    }
    expect(view.preview[0]?.reasons.shared_terms.length).toBeGreaterThan(0);
    expect(view.coverage).toMatchObject({ status: 'free_preview', label: 'Free Preview' });
    expect(view.seeds).toEqual([{ domain: seed, name: companies[0]?.name, use: 'used', detail: null }]);
  });

  it('counts exactly what a run over everything delivers, and how well it is filled', async () => {
    const view = await begin();
    const [all] = view.expected?.offers ?? [];
    const run = await newRun(view);
    expect(all).toMatchObject({ kind: 'all', companies: view.expected?.matches, already_paid: 0 });
    expect(await measure(run)).toEqual({
      matching: view.expected?.matches,
      deliverable: view.expected?.matches,
    });
    const { charged } = await deliver(deliveryOf(), run, 50_000, 1_000);
    expect(charged).toBe(all?.companies);
    const page = await listCompanies(
      ports(),
      { accountId: account, searchId: run.searchId },
      undefined,
      1_000,
    );
    const rows = page?.rows ?? [];
    for (const field of ['location', 'employee_count', 'revenue', 'funding'] as const) {
      const known = rows.filter(row => row.paid && row[field] !== null).length;
      expect(all?.fill_rate[field]).toBeCloseTo(known / rows.length, 2);
    }
    expect(rows.at(-1)?.match_strength).toBe(all?.weakest_match_strength);
  });

  it('returns fewer matches of an industry with an unwanted company, and no excluded company', async () => {
    const [first, second] = (await begin()).preview.map(({ company }) => company.domain ?? '');
    const view = await begin({ filters: { excluded_domains: [first] }, unlike_domains: [seedOfOther] });
    const seen = view.preview.map(({ company }) => company.domain);
    expect(seen).not.toContain(first);
    expect(seen).toContain(second);
    expect(view.unlike).toMatchObject([{ domain: seedOfOther, use: 'used' }]);
  });

  it('holds filters against every company, and has no matches where none passes', async () => {
    const germany = await begin({ filters: { countries: ['DE'] } });
    const run = await newRun(germany);
    await deliver(deliveryOf(), run, 50_000, 1_000);
    const search = { accountId: account, searchId: germany.search_id };
    const rows = (await listCompanies(ports(), search, undefined, 1_000))?.rows ?? [];
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.every(row => row.paid && row.location?.country === 'DE')).toBe(true);
    const none = await begin({ filters: { countries: ['AQ'] } });
    expect(none).toMatchObject({
      preview: [],
      expected: { matches: 0, offers: [] },
      coverage: { status: 'no_matches', label: 'No matches' },
    });
    const asked = { seed_domains: [seed], unlike_domains: [], filters: {} };
    const changed = await changeSearch(ports(), { accountId: account, searchId: none.search_id }, asked);
    expect(changed).toMatchObject({ kind: 'changed', view: { coverage: { status: 'free_preview' } } });
  });

  it('says which seeds it cannot use, and is not created if it can use none', async () => {
    await keepCompanies(pool, [{ domain: `silent${account.slice(-8)}.example` }]);
    const silent = `silent${account.slice(-8)}.example`;
    const view = await begin({ seed_domains: ['nobody-knows.example', seed, silent] });
    expect(view.seeds.map(({ use }) => use)).toEqual(['page_unreachable', 'used', 'too_little_text']);
    expect(view.seeds.map(({ detail }) => detail)).toEqual([
      'nobody-knows.example is not in the store, and its website does not respond with a page. Check the domain, or describe in a text what the company does.',
      null,
      `${silent} is described in too few words to compare it. Describe in a text what it does.`,
    ]);
    const refused = begin({ seed_domains: ['nobody-knows.example', silent] });
    await expect(refused).rejects.toThrow(SeedsFault);
    await expect(refused).rejects.toMatchObject({
      named: { seeds: [{ use: 'page_unreachable' }, { use: 'too_little_text' }] },
    });
    const { rows } = await pool.query('SELECT FROM discovery_search WHERE account_id = $1', [account]);
    expect(rows).toHaveLength(1);
  });

  it('reads the website of a seed that is not in the store once, and keeps its words', async () => {
    pages.set('outside.example', { words: wordsOfSeed() });
    const view = await begin({ seed_domains: ['outside.example'] });
    expect(view.seeds).toEqual([{ domain: 'outside.example', name: null, use: 'used', detail: null }]);
    const known = await begin();
    const shared = view.preview.filter(({ industry }) => industry === companies[0]?.industry);
    expect(shared.length).toBeGreaterThan(view.preview.length / 2);
    expect(view.expected?.matches).toBeGreaterThan((known.expected?.matches ?? 0) / 2);
    pages.delete('outside.example');
    const named = { accountId: account, searchId: view.search_id };
    expect((await getSearch(ports(), named))?.preview).toEqual(view.preview);
    const asked = { seed_domains: ['outside.example', 'gone.example'], unlike_domains: [], filters: {} };
    const changed = await changeSearch(ports(), named, asked);
    expect(changed).toMatchObject({ view: { seeds: [{ use: 'used' }, { use: 'page_unreachable' }] } });
    expect(readDomains).toEqual(['outside.example', 'gone.example']);
    const charged = await deliver(deliveryOf(), await newRun(view), 10, 5);
    expect(charged).toEqual({ charged: 10, isExhausted: false });
  });

  it('reads at most ten websites, and those of companies in the store never', async () => {
    const unknown = Array.from({ length: 12 }, (_, at) => `unknown${at}.example`);
    const view = await begin({ seed_domains: [seed, ...unknown] });
    expect(readDomains).toEqual(unknown.slice(0, limits.seedPagesMax));
    expect(view.seeds.map(({ use }) => use)).toEqual([
      'used',
      ...Array.from({ length: 10 }, () => 'page_unreachable'),
      'page_not_read',
      'page_not_read',
    ]);
  });

  it('finds companies like a text, and says if it has too few known words', async () => {
    const text = companies[0]?.description ?? '';
    const view = await begin({ seed_domains: [], seed_text: text });
    expect(view).toMatchObject({ seed_domains: [], seed_text: text, seeds: [], seed_text_fault: null });
    expect(view.preview.length).toBeGreaterThan(10);
    const strange = await begin({ seed_text: 'qwe rty uio' });
    expect(strange.seed_text_fault).toContain('Use other words');
    await expect(begin({ seed_domains: [], seed_text: 'qwe rty uio' })).rejects.toMatchObject({
      named: { seedTextFault: strange.seed_text_fault },
    });
  });
});

describe('a lookalike run', () => {
  it('delivers in the order of the ranking, and the next one continues after it', async () => {
    const view = await begin();
    const preview = view.preview.map(({ company }) => company.domain);
    const first = await newRun(view);
    expect(await deliver(deliveryOf(), first, 10, 3)).toEqual({ charged: 10, isExhausted: false });
    expect(await domainsOf(view)).toEqual(preview.slice(0, 10));
    const search = { accountId: account, searchId: view.search_id };
    const after = await getSearch(ports(), search);
    expect(after?.preview.map(({ company }) => company.domain).slice(0, 15)).toEqual(preview.slice(10));
    expect(after?.expected?.matches).toBe((view.expected?.matches ?? 0) - 10);
    await deliver(deliveryOf(), await newRun(view), 15, 4);
    expect(await domainsOf(view)).toEqual(preview);
  });

  it('is exhausted exactly when the last match was delivered', async () => {
    const view = await begin();
    const matches = view.expected?.matches ?? 0;
    const run = await newRun(view);
    expect(await deliver(deliveryOf(), run, matches, 7)).toEqual({ charged: matches, isExhausted: true });
    expect(await measure(run)).toEqual({ matching: 0, deliverable: 0 });
    const further = await deliver(deliveryOf(), await newRun(view), 5, 5);
    expect(further).toEqual({ charged: 0, isExhausted: true });
    expect(new Set(await domainsOf(view)).size).toBe(matches);
  });

  it('neither repeats nor loses a company when the ranking is another one in its middle', async () => {
    const view = await begin();
    const matches = view.expected?.matches ?? 0;
    const run = await newRun(view);
    const before = deliveryOf();
    const found = await before.findNext({ run, position: undefined, wanted: 20 });
    await inTransaction(pool, client => found.save(client));
    // Companies found but not saved, because the service was killed, are found again.
    await before.findNext({ run, position: undefined, wanted: 20 });
    const backwards: LookalikeRanking = {
      ...ranking,
      rank: async question => {
        const answer = await ranking.rank({ ...question, limit: 50_000, explain: 0 });
        return { ...answer, matches: answer.matches.toReversed().slice(0, question.limit), modelNo: 2 };
      },
    };
    await deliver(deliveryOf(backwards), run, 30, 10);
    await deliver(deliveryOf(), run, 50_000, 13);
    const domains = await domainsOf(view);
    expect(new Set(domains).size).toBe(domains.length);
    expect(domains).toHaveLength(matches);
    const charged = await inTransaction(pool, client => deliveryOf().countDelivered(client, run));
    expect(charged).toBe(matches);
  });

  it('delivers companies paid for in another search for free, and marks them as paid before the run', async () => {
    const one = await begin();
    await deliver(deliveryOf(), await newRun(one), 12, 12);
    const other = await begin();
    expect(other.preview.map(({ paid }) => paid)).toEqual([
      ...Array(12).fill(true),
      ...Array(limits.lookalikePreviewMax - 12).fill(false),
    ]);
    const [all] = other.expected?.offers ?? [];
    expect(all).toMatchObject({ already_paid: 12, companies: (other.expected?.matches ?? 0) - 12 });
    const run = await newRun(other);
    expect(await deliver(deliveryOf(), run, 3, 2)).toMatchObject({ charged: 3 });
    expect(await domainsOf(other)).toHaveLength(15);
    expect(await inTransaction(pool, client => deliveryOf().countDelivered(client, run))).toBe(3);
  });

  it('fetches the remaining free companies in a run that charges nothing', async () => {
    const one = await begin();
    await deliver(deliveryOf(), await newRun(one), 50_000, 1_000);
    const other = await begin();
    const matches = other.expected?.matches ?? 0;
    expect(other.expected?.offers).toMatchObject([
      { kind: 'all', companies: 0, already_paid: matches, credits_max: 0 },
    ]);
    const run = await newRun(other);
    expect(await measure(run)).toEqual({ matching: matches, deliverable: 1 });
    expect(await deliver(deliveryOf(), run, 1, 1)).toEqual({ charged: 0, isExhausted: true });
    expect(await domainsOf(other)).toHaveLength(matches);
  });

  it('skips removed companies that the ranking still returns', async () => {
    const extra = Array.from({ length: 120 }, (_, index) => syntheticCompany(8, index));
    const numbers = await keepCompanies(
      pool,
      extra.map(company => ({
        ...company,
        domain: `gone-${company.domain}`,
        profileKey: null,
      })),
    );
    const stale = await rankingInProcess(pool, 3);
    const view = await begin();
    await pool.query('DELETE FROM company WHERE company_no = ANY ($1)', [numbers]);
    const run = await newRun(view);
    const { isExhausted } = await deliver(deliveryOf(stale), run, 50_000, 5);
    expect(isExhausted).toBe(true);
    const domains = await domainsOf(view);
    expect(domains.length).toBeGreaterThan(0);
    expect(domains.filter(domain => domain?.startsWith('gone-'))).toEqual([]);
  });

  it('finds nothing, and charges nothing, when its seeds have left the store', async () => {
    const lonely = `lonely${account.slice(-8)}.example`;
    const numbers = await keepCompanies(pool, [
      { ...companies[1], domain: lonely, profileKey: null } as (typeof companies)[number],
    ]);
    const fresh = await rankingInProcess(pool, 4);
    const view = await beginSearch(
      { ...ports(), rankingOf: () => fresh },
      { accountId: account, creatorId: newId('user'), name: 'Like one', key: null },
      { seed_domains: [lonely], unlike_domains: [], filters: {} },
    );
    const run = await newRun(view);
    await pool.query('DELETE FROM company WHERE company_no = ANY ($1)', [numbers]);
    expect(await deliver(deliveryOf(fresh), run, 5, 5)).toEqual({ charged: 0, isExhausted: true });
    const seen = await getSearch(ports(), { accountId: account, searchId: view.search_id });
    expect(seen).toMatchObject({ expected: null, seeds: [{ domain: lonely, use: 'not_found', name: null }] });
  });
});
