import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  beginLookalikeSearch,
  changeLookalikeSearch,
  deleteLookalikeSearch,
  getLookalikeSearch,
  limits,
  listLookalikeCompanies,
  listLookalikeSearches,
  lookalikeSearchView,
  newId,
  prices,
  renameLookalikeSearch,
} from '@mailproof/shared-types';
import type pg from 'pg';
import type { Answer, TestHouse } from '../house.ts';
import { secrets } from '../lookalike-companies.ts';
import {
  beginSearch,
  codeOf,
  type LookalikeHouse,
  lookalikeQuestion,
  openLookalikeHouse,
} from '../lookalike-house.ts';
import { describeOperation } from '../operation-suite.ts';

const each = 60;

let opened: LookalikeHouse;
let test: TestHouse;
let store: pg.Pool;

beforeAll(async () => {
  opened = await openLookalikeHouse(each);
  ({ test, store } = opened);
});

afterAll(() => opened?.stop());

const newOwner = async () => (await test.owner()).signIn();

const pointersOf = ({ body }: Answer) =>
  (body['errors'] as { pointer: string }[] | undefined)?.map(({ pointer }) => pointer);

const notSignedIn = [401, 'not_signed_in'];
const notFound = [404, 'search_not_found'];

describeOperation(beginLookalikeSearch, {
  async success() {
    const owner = await newOwner();
    const answer = await owner.post('/lookalike-searches', lookalikeQuestion());
    expect(answer.status).toBe(201);
    const view = lookalikeSearchView.parse(answer.body);
    expect(view).toMatchObject({
      name: 'Like ours',
      seed_domains: ['airlines1.example'],
      seeds: [{ domain: 'airlines1.example', name: 'Number 1 of airlines', use: 'used' }],
      locked: false,
      delivered: 0,
      coverage: { status: 'free_preview', label: 'Free Preview', last_attempt_failed: false },
    });
    expect(view.preview).toHaveLength(limits.lookalikePreviewMax);
    const airlines = view.preview.filter(({ industry }) => industry === 'airlines');
    expect(airlines.length).toBeGreaterThan(limits.lookalikePreviewMax / 2);
    expect(view.preview[0]?.reasons.shared_terms.length).toBeGreaterThan(0);
    const [all] = view.expected?.offers ?? [];
    expect(all).toMatchObject({
      kind: 'all',
      companies: view.expected?.matches,
      already_paid: 0,
      credits_max: (view.expected?.matches ?? 0) * prices.lookalikeCompany,
      fill_rate: { location: 1, employee_count: 1, categories: 1, links: 1 },
    });
    expect(all?.fill_rate.revenue).toBeGreaterThan(0.3);
    expect(all?.fill_rate.revenue).toBeLessThan(0.7);
    expect((await owner.get('/balance')).body).toMatchObject({ held: 0 });
    const described = await owner.post('/lookalike-searches', {
      name: 'Described',
      seed_text: `${view.preview[0]?.description} Write to ada@ordinary.example.`,
    });
    const found = lookalikeSearchView.parse(described.body);
    expect(found).toMatchObject({ seed_domains: [], seeds: [], seed_text_fault: null });
    expect(found.seed_text).not.toContain('@');
    expect(found.preview.filter(({ industry }) => industry === 'airlines').length).toBeGreaterThan(10);
  },
  async badInput() {
    const owner = await newOwner();
    const post = (question: object) => owner.post('/lookalike-searches', lookalikeQuestion(question));
    expect(codeOf(await post({ seed_domains: [] }))).toEqual([400, 'invalid_request']);
    for (const seed_text of ['', ' ', 'x'.repeat(limits.seedTextCharactersMax + 1), 5]) {
      expect(codeOf(await post({ seed_text }))).toEqual([400, 'invalid_request']);
    }
    const short = await post({ seed_domains: [], seed_text: 'Engines' });
    expect([codeOf(short), pointersOf(short)]).toEqual([[422, 'seed_not_found'], ['/seed_text']]);
    expect(codeOf(await post({ name: '' }))).toEqual([400, 'invalid_request']);
    expect(codeOf(await post({ name: 'one\u0000line' }))).toEqual([400, 'invalid_request']);
    const many = Array.from({ length: 2_000 }, (_, index) => `airlines${index}.example`);
    expect(codeOf(await post({ seed_domains: many }))).toEqual([400, 'invalid_request']);
    expect(codeOf(await post({ seed_domains: ['x'.repeat(300_000)] }))).toEqual([413, 'body_too_large']);
    const strange = await post({ seed_domains: ['airlines1.example', 'ada@airlines2.example', '10.0.0.1'] });
    expect([codeOf(strange), pointersOf(strange)]).toEqual([
      [400, 'invalid_request'],
      ['/seed_domains/1', '/seed_domains/2'],
    ]);
    const both = await post({ unlike_domains: ['https://www.AIRLINES1.example/'] });
    expect([codeOf(both), pointersOf(both)]).toEqual([[400, 'invalid_request'], ['/unlike_domains/0']]);
    const words = await post({ filters: { countries: ['DE', 'ZZ'], industries: ['airlnes'] } });
    expect([codeOf(words), pointersOf(words)]).toEqual([
      [422, 'unknown_filter_value'],
      ['/filters/countries/1', '/filters/industries/0'],
    ]);
    expect(words.body['detail']).toContain(
      '/filters/industries/0: "airlnes" is unknown; similar values: "airlines"',
    );
    const seeds = await post({ seed_domains: ['b.example', 'b.example', 'bücher.example'] });
    expect([codeOf(seeds), pointersOf(seeds)]).toEqual([
      [422, 'seed_not_found'],
      ['/seed_domains/0', '/seed_domains/2'],
    ]);
    expect(seeds.body['detail']).toContain('b.example is not in the store.');
    expect((await owner.get('/lookalike-searches')).body['searches']).toEqual([]);
  },
  async noCredentials() {
    expect(codeOf(await test.stranger().post('/lookalike-searches', lookalikeQuestion()))).toEqual(
      notSignedIn,
    );
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    await beginSearch(one);
    expect((await other.get('/lookalike-searches')).body['searches']).toEqual([]);
  },
});

describeOperation(changeLookalikeSearch, {
  async success() {
    const owner = await newOwner();
    const { search_id } = await beginSearch(owner);
    const { status, body } = await owner.put(`/lookalike-searches/${search_id}/question`, {
      seed_domains: ['https://www.banking3.example/about', 'BANKING4.example', 'banking3.example'],
      unlike_domains: ['airlines3.example'],
      filters: { countries: ['de'] },
    });
    expect(status).toBe(200);
    const view = lookalikeSearchView.parse(body);
    expect(view).toMatchObject({
      search_id,
      seed_domains: ['banking3.example', 'banking4.example'],
      unlike_domains: ['airlines3.example'],
      filters: { countries: ['DE'] },
    });
    const banks = view.preview.filter(({ industry }) => industry === 'banking');
    expect(banks.length).toBeGreaterThan(0);
    expect(view.expected?.matches).toBeLessThanOrEqual((5 * each) / 4);
    const none = await owner.put(`/lookalike-searches/${search_id}/question`, {
      seed_domains: ['banking3.example'],
      filters: { countries: ['AQ'] },
    });
    expect(none.body).toMatchObject({ coverage: { status: 'no_matches', label: 'No matches' }, preview: [] });
  },
  async badInput() {
    const owner = await newOwner();
    const { search_id } = await beginSearch(owner);
    const put = (question: object) => owner.put(`/lookalike-searches/${search_id}/question`, question);
    expect(codeOf(await put({}))).toEqual([400, 'invalid_request']);
    expect(codeOf(await put({ seed_domains: ['nobody.example'] }))).toEqual([422, 'seed_not_found']);
    expect(
      codeOf(await put({ seed_domains: ['banking1.example'], filters: { revenues: ['much'] } })),
    ).toEqual([422, 'unknown_filter_value']);
    expect((await owner.get(`/lookalike-searches/${search_id}`)).body['seed_domains']).toEqual([
      'airlines1.example',
    ]);
    await store.query(`UPDATE discovery_search SET state = 'locked' WHERE search_id = $1`, [search_id]);
    expect(codeOf(await put({ seed_domains: ['banking1.example'] }))).toEqual([409, 'search_locked']);
  },
  async noCredentials() {
    const path = `/lookalike-searches/${newId('discoverySearch')}/question`;
    expect(codeOf(await test.stranger().put(path, { seed_domains: ['a.example'] }))).toEqual(notSignedIn);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    const { search_id } = await beginSearch(one);
    const question = { seed_domains: ['banking1.example'] };
    expect(codeOf(await other.put(`/lookalike-searches/${search_id}/question`, question))).toEqual(notFound);
    expect((await one.get(`/lookalike-searches/${search_id}`)).body['seed_domains']).toEqual([
      'airlines1.example',
    ]);
  },
});

describeOperation(getLookalikeSearch, {
  async success() {
    const owner = await newOwner();
    const started = await beginSearch(owner);
    const { status, body } = await owner.get(`/lookalike-searches/${started.search_id}`);
    expect(status).toBe(200);
    expect(lookalikeSearchView.parse(body)).toEqual(started);
  },
  async badInput() {
    const owner = await newOwner();
    expect(codeOf(await owner.get('/lookalike-searches/x'))).toEqual([400, 'invalid_request']);
    expect(codeOf(await owner.get(`/lookalike-searches/${newId('discoverySearch')}`))).toEqual(notFound);
  },
  async noCredentials() {
    const path = `/lookalike-searches/${newId('discoverySearch')}`;
    expect(codeOf(await test.stranger().get(path))).toEqual(notSignedIn);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    const { search_id } = await beginSearch(one);
    expect(codeOf(await other.get(`/lookalike-searches/${search_id}`))).toEqual(notFound);
  },
});

describeOperation(listLookalikeSearches, {
  async success() {
    const owner = await newOwner();
    const started = [await beginSearch(owner), await beginSearch(owner), await beginSearch(owner)];
    const first = await owner.get('/lookalike-searches?limit=2');
    const second = await owner.get(`/lookalike-searches?limit=2&cursor=${first.body['next_cursor']}`);
    const pages = [first, second].map(
      ({ body }) => listLookalikeSearches.success.schema.parse(body).searches,
    );
    expect(pages.flat().map(({ search_id }) => search_id)).toEqual(
      started.map(({ search_id }) => search_id).toReversed(),
    );
    expect(second.body['next_cursor']).toBeUndefined();
    expect(pages[0]?.[0]).toMatchObject({ coverage: { status: 'free_preview' }, active_run_id: null });
  },
  async badInput() {
    const owner = await newOwner();
    expect(codeOf(await owner.get('/lookalike-searches?limit=0'))).toEqual([400, 'invalid_request']);
    for (const cursor of ['x', 'e30', Buffer.from('["x","y"]').toString('base64url')]) {
      expect(codeOf(await owner.get(`/lookalike-searches?cursor=${cursor}`))).toEqual([
        400,
        'invalid_cursor',
      ]);
    }
  },
  async noCredentials() {
    expect(codeOf(await test.stranger().get('/lookalike-searches'))).toEqual(notSignedIn);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    await beginSearch(one);
    expect((await other.get('/lookalike-searches')).body).toEqual({ searches: [] });
  },
});

describeOperation(renameLookalikeSearch, {
  async success() {
    const owner = await newOwner();
    const { search_id } = await beginSearch(owner);
    const { status, body } = await owner.put(`/lookalike-searches/${search_id}/name`, { name: ' Others ' });
    expect([status, body['name']]).toEqual([200, 'Others']);
    expect((await owner.get(`/lookalike-searches/${search_id}`)).body['name']).toBe('Others');
  },
  async badInput() {
    const owner = await newOwner();
    const { search_id } = await beginSearch(owner);
    const rename = (name: unknown) => owner.put(`/lookalike-searches/${search_id}/name`, { name });
    expect(codeOf(await rename('two\nlines'))).toEqual([400, 'invalid_request']);
    expect(codeOf(await rename('x'.repeat(10_000)))).toEqual([400, 'invalid_request']);
  },
  async noCredentials() {
    const path = `/lookalike-searches/${newId('discoverySearch')}/name`;
    expect(codeOf(await test.stranger().put(path, { name: 'x' }))).toEqual(notSignedIn);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    const { search_id } = await beginSearch(one);
    expect(codeOf(await other.put(`/lookalike-searches/${search_id}/name`, { name: 'x' }))).toEqual(notFound);
    expect((await one.get(`/lookalike-searches/${search_id}`)).body['name']).toBe('Like ours');
  },
});

describeOperation(deleteLookalikeSearch, {
  async success() {
    const owner = await newOwner();
    const { search_id } = await beginSearch(owner);
    expect((await owner.delete(`/lookalike-searches/${search_id}`)).body).toEqual({ done: true });
    expect(codeOf(await owner.get(`/lookalike-searches/${search_id}`))).toEqual(notFound);
  },
  async badInput() {
    const owner = await newOwner();
    expect(codeOf(await owner.delete('/lookalike-searches/x'))).toEqual([400, 'invalid_request']);
    expect(codeOf(await owner.delete(`/lookalike-searches/${newId('discoverySearch')}`))).toEqual(notFound);
  },
  async noCredentials() {
    const path = `/lookalike-searches/${newId('discoverySearch')}`;
    expect(codeOf(await test.stranger().delete(path))).toEqual(notSignedIn);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    const { search_id } = await beginSearch(one);
    expect(codeOf(await other.delete(`/lookalike-searches/${search_id}`))).toEqual(notFound);
    expect((await one.get(`/lookalike-searches/${search_id}`)).status).toBe(200);
  },
});

describeOperation(listLookalikeCompanies, {
  async success() {
    const owner = await newOwner();
    const { search_id, preview } = await beginSearch(owner);
    const { status, body } = await owner.get(`/lookalike-searches/${search_id}/companies`);
    expect(status).toBe(200);
    expect(listLookalikeCompanies.success.schema.parse(body)).toEqual({ companies: preview });
  },
  async badInput() {
    const owner = await newOwner();
    const { search_id } = await beginSearch(owner);
    const list = (query: string) => owner.get(`/lookalike-searches/${search_id}/companies${query}`);
    expect(codeOf(await list('?limit=201'))).toEqual([400, 'invalid_request']);
    expect(codeOf(await list('?more=1'))).toEqual([400, 'invalid_request']);
    for (const cursor of [
      'x',
      Buffer.from('[-1,0]').toString('base64url'),
      Buffer.from('[1e99,0]').toString('base64url'),
    ]) {
      expect(codeOf(await list(`?cursor=${cursor}`))).toEqual([400, 'invalid_cursor']);
    }
  },
  async noCredentials() {
    const path = `/lookalike-searches/${newId('discoverySearch')}/companies`;
    expect(codeOf(await test.stranger().get(path))).toEqual(notSignedIn);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    const { search_id } = await beginSearch(one);
    expect(codeOf(await other.get(`/lookalike-searches/${search_id}/companies`))).toEqual(notFound);
  },
});

describe('a repeated request', () => {
  it('returns the search that the first one made, also if both arrive at once', async () => {
    const owner = await newOwner();
    const headers = { 'idempotency-key': 'the same key' };
    const begin = (question: object = {}) =>
      owner.post('/lookalike-searches', lookalikeQuestion(question), headers);
    const answers = await Promise.all([begin(), begin(), begin()]);
    answers.push(await begin());
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    const views = answers.map(({ body }) => lookalikeSearchView.parse(body));
    expect(new Set(views.map(({ search_id }) => search_id)).size).toBe(1);
    expect(views.every(({ preview }) => preview.length === limits.lookalikePreviewMax)).toBe(true);
    expect((await owner.get('/lookalike-searches')).body['searches']).toHaveLength(1);
    expect(codeOf(await begin({ name: 'Another' }))).toEqual([422, 'idempotency_key_reused']);
    const other = await newOwner();
    const theirs = await other.post('/lookalike-searches', lookalikeQuestion(), headers);
    expect(lookalikeSearchView.parse(theirs.body).search_id).not.toBe(views[0]?.search_id);
  });
});

describe('a free preview', () => {
  it('shows no paid field in any response', async () => {
    const owner = await newOwner();
    const question = { filters: { countries: ['DE', 'FR', 'GB', 'US'], company_types: ['private'] } };
    const { search_id } = await beginSearch(owner);
    const answers = [
      await owner.get(`/lookalike-searches/${search_id}`),
      await owner.get(`/lookalike-searches/${search_id}/companies`),
      await owner.post('/lookalike-searches', lookalikeQuestion(question)),
    ];
    for (const { status, body } of answers) {
      expect(status).toBeLessThan(300);
      const text = JSON.stringify(body);
      expect(text).toContain('airlines');
      for (const secret of secrets) {
        expect(text).not.toMatch(secret);
      }
    }
  });
});
