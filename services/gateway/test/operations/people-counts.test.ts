import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@mailproof/dev-house';
import {
  countPeople,
  departments,
  getSearchVocabulary,
  limits,
  newId,
  seniorities,
} from '@mailproof/shared-types';
import pg from 'pg';
import { findingPeople, openTestHouse, type Person, type TestHouse } from '../house.ts';
import { describeOperation } from '../operation-suite.ts';

let test: TestHouse;
/** Several browsers of one owner, because the request rate of each is limited. */
const browsers: Person[] = [];
let turn = 0;
const person = () => browsers[turn++ % browsers.length] as Person;
let store: pg.Pool;

beforeAll(async () => {
  test = await openTestHouse({ only: findingPeople });
  store = new pg.Pool({ connectionString: test.house.databaseUrls['enrichment']?.databaseUrl ?? '' });
  await fillStore();
  const { accountId } = await test.accounts.create({
    ...{ name: 'Counts', plan: 'custom', credits: 0, requestsPerSecond: 1_000 },
  });
  const owner = await test.owner({ accountId });
  for (let each = 0; each < 5; each += 1) {
    browsers.push(await owner.elsewhere().signIn());
  }
  await waitFor('the people', async () => (await counts({})).body['total'] === 3, { deadlineMs: 60_000 });
});

afterAll(async () => {
  await store?.end();
  await test?.stop();
});

async function fillStore(): Promise<void> {
  const { rows: sources } = await store.query(
    "INSERT INTO source (kind, name, licence, retrieved_on) VALUES ('synthetic', 'counts', 'none', '2026-01-01') RETURNING source_id",
  );
  const sourceId = sources[0].source_id;
  const { rows: companies } = await store.query(
    `INSERT INTO company (company_id, domain, name, industry, company_size, revenue, company_type, source_id)
     VALUES ($1, 'pumps.example', 'Pumps Inc.', 'machinery', '11-50', '$1-10M', 'private', $2) RETURNING company_no`,
    [newId('company'), sourceId],
  );
  const people = [
    ['ann', 'Chief Executive Officer', 'cxo', 'operations', 'DE', 'Berlin', '{pumps,valves}'],
    ['bob', 'VP Sales', 'vp', 'sales', 'DE', 'Bremen', '{pumps}'],
    ['cle', 'Software Developer', null, 'engineering', 'FR', 'Paris', '{}'],
  ];
  for (const [slug, title, seniority, department, country, city, keywords] of people) {
    await store.query(
      `INSERT INTO person (person_id, profile_key, profile_url, full_name, job_title, seniority, department, company_no,
         country, city, keywords, source_id)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      [
        ...[newId('person'), `people.example/in/${slug}`, `https://people.example/in/${slug}`, slug],
        ...[title, seniority, department, companies[0].company_no, country, city, keywords, sourceId],
      ],
    );
  }
}

const counts = (filters: unknown, who = person()) => who.post('/people-counts', { filters });
const counted = async (filters: unknown) => {
  const { status, body } = await counts(filters);
  expect(status).toBe(200);
  return countPeople.success.schema.parse(body);
};
const problemOf = async (filters: unknown) => {
  const { status, body } = await counts(filters);
  return { status, code: body['code'], errors: body['errors'], detail: body['detail'] };
};

describeOperation(countPeople, {
  /** Counts exactly, each facet without its own filter, and shows no people. */
  async success() {
    const { total, facets } = await counted({ countries: ['de'], job_titles: ['CEO'] });
    expect(total).toBe(1);
    expect(facets.countries).toEqual({ values: [{ value: 'DE', count: 1 }], unknown: 0, more: false });
    expect(facets.job_titles.values).toEqual([
      { value: 'Chief Executive Officer', count: 1 },
      { value: 'VP Sales', count: 1 },
    ]);
    expect(facets.seniorities.values).toHaveLength(seniorities.length);
    expect(facets.seniorities.values).toContainEqual({ value: 'cxo', count: 1 });
    expect(facets.seniorities.values).toContainEqual({ value: 'vp', count: 0 });
    const all = await counted({});
    expect([all.total, all.facets.seniorities.unknown, all.facets.keywords.unknown]).toEqual([3, 1, 1]);
    expect(all.facets.keywords.values).toEqual([
      { value: 'pumps', count: 2 },
      { value: 'valves', count: 1 },
    ]);
    expect(await counted({ company_domains: ['PUMPS.example'], company_names: ['pumps'] })).toMatchObject({
      total: 3,
    });
    expect(await counted({ keywords: ['pumps', 'valves'], keyword_match: 'all' })).toMatchObject({
      total: 1,
    });
    expect(await counted({ job_titles: ['CEO'], job_title_match: 'exact' })).toMatchObject({ total: 0 });
    expect(await counted({ person_names: ['AN', 'b'], countries: ['DE', 'FR'] })).toMatchObject({ total: 2 });
    expect((await counted({ person_names: ['ann'] })).facets.countries.values).toEqual([
      { value: 'DE', count: 1 },
    ]);
    expect(JSON.stringify(all)).not.toContain('pers_');
  },
  async badInput() {
    expect(
      await problemOf({ seniorities: ['cxo', 'boss'], countries: ['Germani'], industries: ['machinry'] }),
    ).toEqual({
      status: 422,
      code: 'unknown_filter_value',
      errors: [
        { pointer: '/filters/seniorities/1', detail: expect.stringContaining('"director"') },
        { pointer: '/filters/countries/0', detail: '"Germani" is unknown; similar values: "DE".' },
        { pointer: '/filters/industries/0', detail: '"machinry" is unknown; similar values: "machinery".' },
      ],
      detail: expect.stringContaining('/filters/seniorities/1'),
    });
    const refused = [
      { titles: ['CEO'] },
      { job_titles: [] },
      { job_titles: [' '] },
      { job_titles: 'CEO' },
      { job_titles: Array.from({ length: limits.filterValuesMax + 1 }, (_, each) => `t${each}`) },
      { job_titles: ['x'.repeat(limits.filterValueCharactersMax + 1)] },
      { company_domains: ['not a domain'] },
      { keyword_match: 'some' },
      { keywords: ['\u0000'] },
      { person_names: Array.from({ length: limits.personNamesMax + 1 }, (_, each) => `n${each}`) },
      { person_names: ['a '.repeat(limits.personNameWordsMax + 1)] },
      { person_names: 'ann' },
    ];
    for (const filters of refused) {
      expect(await problemOf(filters)).toMatchObject({ status: 400, code: 'invalid_request' });
    }
    expect((await person().post('/people-counts', {})).body['code']).toBe('invalid_request');
    // A value that no one has matches no one; filter text is never executed.
    for (const text of ["'; DROP TABLE person; --", '.*', '%', '😀']) {
      expect(await counted({ job_titles: [text], keywords: [text], company_names: [text] })).toMatchObject({
        total: 0,
      });
      expect(await counted({ person_names: [text] })).toMatchObject({ total: 0 });
    }
  },
  async noCredentials() {
    expect(await counts({}, test.stranger())).toMatchObject({ status: 401, body: { code: 'not_signed_in' } });
  },
  anotherTenant: {
    cannotHappen: 'The store of profiles is the same for all accounts, and the response names no one.',
  },
});

describeOperation(getSearchVocabulary, {
  async success() {
    const { status, body } = await person().get('/search-vocabulary');
    expect(status).toBe(200);
    const vocabulary = getSearchVocabulary.success.schema.parse(body);
    expect(vocabulary.departments.map(({ value }) => value)).toEqual([...departments]);
    expect(vocabulary.seniorities).toContainEqual({ value: 'cxo', label: 'C-level' });
    expect(vocabulary.countries).toEqual([
      { value: 'DE', label: 'Germany', count: 2 },
      { value: 'FR', label: 'France', count: 1 },
    ]);
    expect(vocabulary.industries).toEqual([{ value: 'machinery', label: 'Machinery', count: 3 }]);
    // The ranking has read no company of this store.
    expect(vocabulary.seed_companies).toBeUndefined();
  },
  async badInput() {
    expect((await person().get('/search-vocabulary?more=1')).body['code']).toBe('invalid_request');
  },
  async noCredentials() {
    expect(await test.stranger().get('/search-vocabulary')).toMatchObject({
      status: 401,
      body: { code: 'not_signed_in' },
    });
  },
  anotherTenant: {
    cannotHappen: 'The store of profiles is the same for all accounts, and the response names no one.',
  },
});

describe('count-people', () => {
  it('no longer counts a person after their removal', async () => {
    await store.query(
      "WITH gone AS (DELETE FROM person WHERE full_name = 'cle' RETURNING person_no) INSERT INTO removed_record (person_no) SELECT person_no FROM gone",
    );
    await waitFor('the removal', async () => (await counts({})).body['total'] === 2, { deadlineMs: 60_000 });
    expect(await counted({ person_names: ['cle'] })).toMatchObject({ total: 0 });
  });
});
