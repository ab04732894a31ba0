import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  beginPeopleSearch,
  changePeopleSearch,
  deletePeopleSearch,
  getPeopleSearch,
  limits,
  listPeopleOfSearch,
  listPeopleSearches,
  newId,
  prices,
  renamePeopleSearch,
} from '@mailproof/shared-types';
import pg from 'pg';
import type { Person, TestHouse } from '../house.ts';
import { describeOperation } from '../operation-suite.ts';
import { openPeopleHouse, ownerWith, type PeopleHouse, untilRunEnded } from '../people-store.ts';
import { until } from '../until.ts';

const people = 130;

let opened: PeopleHouse;
let test: TestHouse;
let domain: string;

beforeAll(async () => {
  opened = await openPeopleHouse(people);
  ({ test, domain } = opened);
});

afterAll(() => opened?.stop());

const everybody = () => ({ company_domains: [domain] });
const engineers = () => ({ company_domains: [domain], departments: ['engineering'] });
const stranger = () => test.stranger();
const newOwner = (credits = 0) => ownerWith(test, credits);

async function begin(person: Person, filters: object = everybody(), headers: Record<string, string> = {}) {
  const answer = await person.post('/people-searches', { name: 'A search', filters }, headers);
  expect([answer.status, answer.body['code']]).toEqual([201, undefined]);
  return beginPeopleSearch.success.schema.parse(answer.body);
}

async function useUpPreviews(person: Person): Promise<void> {
  await query('ledger', 'UPDATE allowance SET used = allowed WHERE account_id = $1', [person.accountId]);
}

const ownerQuery = (text: string) => query('enrichment', text, []);

/** Runs a query as the owner of a service's tables. */
async function query(schema: string, text: string, values: readonly unknown[]): Promise<void> {
  const client = new pg.Client({
    connectionString: test.house.databaseUrls[schema]?.migrationDatabaseUrl ?? '',
    options: `-c search_path=${schema}`,
  });
  await client.connect();
  try {
    await client.query(text, [...values]);
  } finally {
    await client.end();
  }
}

describeOperation(beginPeopleSearch, {
  async success() {
    const owner = await newOwner();
    const search = await begin(owner);
    expect(search).toMatchObject({
      name: 'A search',
      filters: everybody(),
      state: 'preview',
      has_more: null,
      active_run_id: null,
      total: people,
      estimate: { matching: people, already_saved: 0, deliverable: people, price: 1, credits_max: people },
      preview: { kind: 'allowance', credits: 0, previews_left: 99 },
    });
    expect(search.people).toHaveLength(limits.pageRowsDefault);
    expect(search.people[0]).toEqual({
      person_id: expect.stringMatching(/^pers_/),
      name: 'Person 000001',
      job_title: 'Software Engineer',
      headline: 'Headline 1',
      company: { company_id: expect.stringMatching(/^comp_/), name: `Company of ${domain}`, domain },
      location: { city: 'City', region: 'Region', country: 'FR' },
      industry: 'software',
      seniority: 'senior',
      department: 'engineering',
      company_size: '51-200',
      is_synthetic: true,
      is_saved: false,
    });
    const engineering = search.facets.departments.values.find(({ value }) => value === 'engineering');
    expect(engineering?.count).toBe(44);
    expect(JSON.stringify(search)).not.toContain('@');
  },
  async badInput() {
    const owner = await newOwner();
    const nameless = await owner.post('/people-searches', { filters: everybody() });
    expect([nameless.status, nameless.body['code']]).toEqual([400, 'invalid_request']);
    const unknown = await owner.post('/people-searches', {
      name: 'A search',
      filters: { departments: ['engeneering'] },
    });
    expect([unknown.status, unknown.body['code']]).toEqual([422, 'unknown_filter_value']);
    expect(unknown.body['errors']).toMatchObject([{ pointer: '/filters/departments/0' }]);
    const key = await owner.post(
      '/people-searches',
      { name: 'A search', filters: everybody() },
      { 'idempotency-key': 'x'.repeat(256) },
    );
    expect([key.status, key.body['code']]).toEqual([400, 'invalid_request']);
  },
  async noCredentials() {
    const answer = await stranger().post('/people-searches', { name: 'A search', filters: {} });
    expect([answer.status, answer.body['code']]).toEqual([401, 'not_signed_in']);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    const headers = { 'idempotency-key': 'the same key' };
    const first = await begin(one, everybody(), headers);
    // One account's idempotency keys mean nothing to another.
    const second = await begin(other, engineers(), headers);
    expect(second.search_id).not.toBe(first.search_id);
    expect(second.preview.previews_left).toBe(99);
  },
});

describe('a preview', () => {
  it('is the same one under the same Idempotency-Key, and another request under it is refused', async () => {
    const owner = await newOwner();
    const headers = { 'idempotency-key': newId('request') };
    const answers = await Promise.all([1, 2, 3].map(() => begin(owner, everybody(), headers)));
    expect(new Set(answers.map(({ search_id }) => search_id)).size).toBe(1);
    expect((await begin(owner, everybody(), headers)).preview).toEqual({
      kind: 'repeated',
      credits: 0,
      previews_left: 99,
    });
    const other = await owner.post('/people-searches', { name: 'Another', filters: {} }, headers);
    expect([other.status, other.body['code']]).toEqual([422, 'idempotency_key_reused']);
  });

  it('costs credits after the free ones of the cycle, and asks for confirmation first', async () => {
    const owner = await newOwner(25);
    await useUpPreviews(owner);
    const refused = await owner.post('/people-searches', { name: 'A search', filters: everybody() });
    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'preview_costs_credits', required: prices.peoplePreview },
    });
    const ask = { name: 'A search', filters: everybody(), credits_max: prices.peoplePreview };
    const paid = await owner.post('/people-searches', ask);
    expect(paid).toMatchObject({
      status: 201,
      body: { preview: { kind: 'credits', credits: 10, previews_left: 0 } },
    });
    await untilSpent(owner, 10);
    const other = { ...ask, filters: engineers() };
    expect((await owner.post('/people-searches', other)).status).toBe(201);
    const broke = await owner.post('/people-searches', {
      ...ask,
      filters: { ...engineers(), countries: ['DE'] },
    });
    expect(broke).toMatchObject({
      status: 402,
      body: { code: 'credits_exhausted', required: 10, available: 5 },
    });
    await untilSpent(owner, 20);
  });

  it('of filters that the account has previewed is free, in another search and after a change', async () => {
    const owner = await newOwner();
    const first = await begin(owner);
    const again = { kind: 'repeated', credits: 0, previews_left: 99 };
    const second = await begin(owner, { company_domains: [domain] });
    expect([second.search_id === first.search_id, second.preview]).toEqual([false, again]);
    const third = await begin(owner, engineers());
    expect(third.preview).toMatchObject({ kind: 'allowance', previews_left: 98 });
    await useUpPreviews(owner);
    const changed = await owner.put(`/people-searches/${second.search_id}/filters`, { filters: engineers() });
    expect(changed).toMatchObject({ status: 200, body: { preview: { kind: 'repeated', credits: 0 } } });
    // Another account pays for itself.
    expect((await begin(await newOwner())).preview).toMatchObject({ kind: 'allowance', previews_left: 99 });
  });

  it('that was paid has a receipt that names what was done, and a line in words', async () => {
    const owner = await newOwner(25);
    const { search_id } = await begin(owner);
    await useUpPreviews(owner);
    const credits_max = prices.peoplePreview;
    await owner.post('/people-searches', { name: 'A search', filters: engineers(), credits_max });
    await untilSpent(owner, 10);
    const filters = { ...engineers(), countries: ['DE'] };
    await owner.put(`/people-searches/${search_id}/filters`, { filters, credits_max });
    await untilSpent(owner, 20);
    const { body } = await owner.get('/receipts');
    const receipt = { state: 'settled', reserved: 10, spent: 10, returned: 0, refunded: 0 };
    expect(body['receipts']).toMatchObject([
      { ...receipt, operation: 'change-people-search' },
      { ...receipt, operation: 'begin-people-search' },
    ]);
    const statement = await owner.get('/statement?limit=2');
    expect(statement.body['entries']).toMatchObject([
      { operation: 'change-people-search', description: '10 credits spent, 0 returned' },
      { operation: 'change-people-search', description: '10 credits reserved' },
    ]);
  });

  it('is free if no one matches, with previews left and without', async () => {
    const owner = await newOwner();
    const nobody = { company_domains: [domain], departments: ['sales'], seniorities: ['senior'] };
    expect(await begin(owner, nobody)).toMatchObject({
      total: 0,
      people: [],
      preview: { kind: 'free', credits: 0, previews_left: 100 },
    });
    const { search_id } = await begin(owner);
    await useUpPreviews(owner);
    const changed = await owner.put(`/people-searches/${search_id}/filters`, { filters: nobody });
    expect(changed).toMatchObject({
      status: 200,
      body: { total: 0, preview: { kind: 'free', credits: 0, previews_left: 0 } },
    });
    expect(await balanceOf(owner)).toMatchObject({ available: 0, held: 0 });
    const run = await owner.post(`/people-searches/${search_id}/runs`, { people: 'all' });
    expect([run.status, run.body['code']]).toEqual([409, 'nothing_to_deliver']);
    expect((await owner.get(`/people-searches/${search_id}`)).body['state']).toBe('preview');
  });

  it('returns what it charged when it cannot be recorded', async () => {
    const owner = await newOwner(10);
    const { search_id } = await begin(owner);
    const left = async () => (await owner.get(`/people-searches/${search_id}`)).body['preview'];
    const ask = { name: 'Refused', filters: engineers(), credits_max: 10 };
    await ownerQuery("ALTER TABLE discovery_search ADD CONSTRAINT refusing CHECK (name <> 'Refused')");
    try {
      expect((await owner.post('/people-searches', ask)).status).toBe(500);
      expect(await left()).toMatchObject({ previews_left: 99 });
      await useUpPreviews(owner);
      expect((await owner.post('/people-searches', ask)).status).toBe(500);
      expect(await balanceOf(owner)).toMatchObject({ available: 10, held: 0 });
    } finally {
      await ownerQuery('ALTER TABLE discovery_search DROP CONSTRAINT refusing');
    }
  });
});

const balanceOf = async (person: Person) => (await person.get('/balance')).body;

const untilSpent = (person: Person, spent: number) =>
  until(
    'the charge of the preview',
    () => balanceOf(person),
    ({ available, held }) => available === 25 - spent && held === 0,
  );

describe('saved lists in filters', () => {
  const listOf = async (owner: Person, kind: string, name: string) => {
    const { status, body } = await owner.post('/saved-lists', { kind, name });
    expect(status).toBe(201);
    return String(body['list_id']);
  };
  const savedPeople = async (owner: Person, wanted: number) => {
    const search = await begin(owner);
    const run = await owner.post(`/people-searches/${search.search_id}/runs`, { people: wanted });
    await untilRunEnded(owner, String(run.body['run_id']));
    const { body } = await owner.get('/saved-people');
    return (body['people'] as { person_id: string }[]).map(({ person_id }) => person_id);
  };
  const problemOf = async (owner: Person, filters: object) => {
    const { status, body } = await owner.post('/people-counts', { filters });
    return [status, body['code'], (body['errors'] as { pointer: string }[]).map(({ pointer }) => pointer)];
  };

  it('find the people on a list of people, and all others', async () => {
    const owner = await newOwner(10);
    const ids = await savedPeople(owner, 4);
    const list = await listOf(owner, 'people', 'Known');
    expect((await owner.post(`/saved-lists/${list}/entries`, { ids })).body).toMatchObject({ added: 4 });
    const on = await begin(owner, { ...everybody(), saved_lists: [list] });
    expect([on.total, on.people.map(({ person_id }) => person_id).sort()]).toEqual([4, ids.toSorted()]);
    const off = await begin(owner, { ...everybody(), excluded_saved_lists: [list] });
    expect([off.total, off.estimate.already_saved]).toEqual([people - 4, 0]);
    await owner.post(`/saved-lists/${list}/entries/removals`, { ids: ids.slice(1) });
    const now = await owner.get(`/people-searches/${off.search_id}`);
    expect(now.body).toMatchObject({ total: people - 1 });
  });

  it('find the people at the companies on a list of companies, and all others', async () => {
    const owner = await newOwner();
    const list = await listOf(owner, 'companies', 'Customers');
    const none = { ...everybody(), saved_lists: [list] };
    expect((await begin(owner, none)).total).toBe(0);
    await ownerQuery(
      `INSERT INTO saved_list_entry (list_id, company_no)
       SELECT '${list}', company_no FROM company WHERE domain = '${domain}'`,
    );
    const on = await begin(owner, { saved_lists: [list], departments: ['engineering'] });
    expect([on.total, on.facets.departments.unknown]).toEqual([44, 0]);
    expect((await begin(owner, { ...everybody(), excluded_saved_lists: [list] })).total).toBe(0);
  });

  it('are refused where the account has no such list, also one of another account or a deleted one', async () => {
    const [owner, other] = [await newOwner(), await newOwner()];
    const foreign = await listOf(other, 'people', 'Theirs');
    const own = await listOf(owner, 'people', 'Ours');
    expect(await problemOf(owner, { saved_lists: [own, foreign] })).toEqual([
      422,
      'unknown_filter_value',
      ['/filters/saved_lists/1'],
    ]);
    const search = await begin(owner, { ...everybody(), excluded_saved_lists: [own] });
    expect((await owner.delete(`/saved-lists/${own}`)).status).toBe(200);
    expect(await problemOf(owner, { excluded_saved_lists: [own] })).toEqual([
      422,
      'unknown_filter_value',
      ['/filters/excluded_saved_lists/0'],
    ]);
    // A search whose list is gone would show and save people whom the list excluded.
    const gone = await owner.get(`/people-searches/${search.search_id}`);
    expect([gone.status, gone.body['code']]).toEqual([422, 'unknown_filter_value']);
    const run = await owner.post(`/people-searches/${search.search_id}/runs`, { people: 1 });
    expect([run.status, run.body['code']]).toEqual([422, 'unknown_filter_value']);
    expect(await problemOf(owner, { saved_lists: ['list_1'] })).toEqual([
      400,
      'invalid_request',
      ['/filters/saved_lists/0'],
    ]);
  });
});

describeOperation(changePeopleSearch, {
  async success() {
    const owner = await newOwner();
    const { search_id } = await begin(owner);
    const path = `/people-searches/${search_id}/filters`;
    const changed = await owner.put(path, { filters: engineers() });
    expect(changed).toMatchObject({
      status: 200,
      body: { total: 44, filters: engineers(), preview: { kind: 'allowance', previews_left: 98 } },
    });
    // A repeated preview is free, even if the filters are written differently.
    const back = await owner.put(path, { filters: everybody() });
    expect(back.body).toMatchObject({ total: people, preview: { kind: 'repeated', previews_left: 98 } });
    const again = await owner.put(path, {
      filters: { departments: ['engineering'], company_domains: [domain] },
    });
    expect(again.body).toMatchObject({ total: 44, preview: { kind: 'repeated', previews_left: 98 } });
  },
  async badInput() {
    const owner = await newOwner(5);
    const { search_id } = await begin(owner);
    const path = `/people-searches/${search_id}/filters`;
    expect((await owner.put(path, {})).body['code']).toBe('invalid_request');
    expect((await owner.put(path, { filters: { seniorities: ['boss'] } })).body['code']).toBe(
      'unknown_filter_value',
    );
    await useUpPreviews(owner);
    expect(await owner.put(path, { filters: engineers() })).toMatchObject({
      status: 409,
      body: { code: 'preview_costs_credits', required: 10 },
    });
    const run = await owner.post(`/people-searches/${search_id}/runs`, { people: 5 });
    expect(run.status).toBe(202);
    expect(await owner.put(path, { filters: engineers() })).toMatchObject({
      status: 409,
      body: { code: 'search_locked' },
    });
    await untilRunEnded(owner, String(run.body['run_id']));
    expect((await owner.put(path, { filters: engineers() })).body['code']).toBe('search_locked');
  },
  async noCredentials() {
    const answer = await stranger().put(`/people-searches/${newId('discoverySearch')}/filters`, {
      filters: {},
    });
    expect([answer.status, answer.body['code']]).toEqual([401, 'not_signed_in']);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    const { search_id } = await begin(one);
    const answer = await other.put(`/people-searches/${search_id}/filters`, { filters: engineers() });
    expect([answer.status, answer.body['code']]).toEqual([404, 'search_not_found']);
    expect((await one.get(`/people-searches/${search_id}`)).body['filters']).toEqual(everybody());
  },
});

describeOperation(getPeopleSearch, {
  async success() {
    const owner = await newOwner();
    const search = await begin(owner);
    const { status, body } = await owner.get(`/people-searches/${search.search_id}`);
    expect(status).toBe(200);
    expect(getPeopleSearch.success.schema.parse(body)).toEqual({
      ...search,
      // Sealed separately each time.
      next_cursor: expect.stringMatching(/^ey/),
      preview: { kind: 'repeated', credits: 0, previews_left: 99 },
    });
  },
  async badInput() {
    expect((await (await newOwner()).get('/people-searches/x')).body['code']).toBe('invalid_request');
  },
  async noCredentials() {
    const answer = await stranger().get(`/people-searches/${newId('discoverySearch')}`);
    expect([answer.status, answer.body['code']]).toEqual([401, 'not_signed_in']);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    const { search_id } = await begin(one);
    const answer = await other.get(`/people-searches/${search_id}`);
    expect([answer.status, answer.body['code']]).toEqual([404, 'search_not_found']);
  },
});

describeOperation(listPeopleSearches, {
  async success() {
    const owner = await newOwner();
    const first = await begin(owner);
    const second = await begin(owner, engineers());
    const one = await owner.get('/people-searches?limit=1');
    expect(one.body['searches']).toMatchObject([{ search_id: second.search_id }]);
    const next = await owner.get(`/people-searches?limit=1&cursor=${one.body['next_cursor']}`);
    expect(next.body['searches']).toMatchObject([{ search_id: first.search_id }]);
    expect(next.body['next_cursor']).toBeUndefined();
  },
  async badInput() {
    const owner = await newOwner();
    expect((await owner.get('/people-searches?limit=0')).body['code']).toBe('invalid_request');
    for (const cursor of ['x', Buffer.from('["someday","x"]').toString('base64url')]) {
      const answer = await owner.get(`/people-searches?cursor=${cursor}`);
      expect([answer.status, answer.body['code']]).toEqual([400, 'invalid_cursor']);
    }
  },
  async noCredentials() {
    expect((await stranger().get('/people-searches')).status).toBe(401);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    await begin(one);
    expect((await other.get('/people-searches')).body['searches']).toEqual([]);
  },
});

describeOperation(listPeopleOfSearch, {
  async success() {
    const owner = await newOwner();
    const search = await begin(owner);
    const names: string[] = [];
    for (let cursor = ''; ; ) {
      const answer = await owner.get(`/people-searches/${search.search_id}/people?limit=40${cursor}`);
      const page = listPeopleOfSearch.success.schema.parse(answer.body);
      names.push(...page.people.map(({ name }) => name));
      if (page.next_cursor === undefined) {
        break;
      }
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(names).toHaveLength(limits.previewedPeopleMax);
    expect(names).toEqual([...new Set(names)].sort());
    // The preview is the first page of the list, regardless of how it was requested.
    const seen = getPeopleSearch.success.schema.parse(
      (await owner.get(`/people-searches/${search.search_id}`)).body,
    );
    for (const { people, next_cursor: cursor } of [search, seen]) {
      const answer = await owner.get(`/people-searches/${search.search_id}/people?cursor=${cursor}`);
      expect(listPeopleOfSearch.success.schema.parse(answer.body).people[0]?.name).toBe(names[people.length]);
    }
    // A client cannot forge a position beyond the preview.
    const beyond = Buffer.from('999999999').toString('base64url');
    const page = await owner.get(`/people-searches/${search.search_id}/people?cursor=${beyond}`);
    expect([page.status, page.body['code']]).toEqual([400, 'invalid_cursor']);
  },
  async badInput() {
    const owner = await newOwner();
    const { search_id } = await begin(owner);
    const answer = await owner.get(`/people-searches/${search_id}/people?cursor=none`);
    expect([answer.status, answer.body['code']]).toEqual([400, 'invalid_cursor']);
  },
  async noCredentials() {
    const answer = await stranger().get(`/people-searches/${newId('discoverySearch')}/people`);
    expect(answer.status).toBe(401);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    const { search_id } = await begin(one);
    const answer = await other.get(`/people-searches/${search_id}/people`);
    expect([answer.status, answer.body['code']]).toEqual([404, 'search_not_found']);
  },
});

describeOperation(renamePeopleSearch, {
  async success() {
    const owner = await newOwner();
    const { search_id } = await begin(owner);
    const answer = await owner.put(`/people-searches/${search_id}/name`, { name: ' Renamed ' });
    expect(answer).toMatchObject({ status: 200, body: { search_id, name: 'Renamed' } });
  },
  async badInput() {
    const owner = await newOwner();
    const { search_id } = await begin(owner);
    for (const name of ['', 'two\nlines', 'x'.repeat(121)]) {
      expect((await owner.put(`/people-searches/${search_id}/name`, { name })).body['code']).toBe(
        'invalid_request',
      );
    }
  },
  async noCredentials() {
    const answer = await stranger().put(`/people-searches/${newId('discoverySearch')}/name`, { name: 'x' });
    expect(answer.status).toBe(401);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    const { search_id } = await begin(one);
    const answer = await other.put(`/people-searches/${search_id}/name`, { name: 'Taken' });
    expect([answer.status, answer.body['code']]).toEqual([404, 'search_not_found']);
    expect((await one.get(`/people-searches/${search_id}`)).body['name']).toBe('A search');
  },
});

describeOperation(deletePeopleSearch, {
  async success() {
    const owner = await newOwner(10);
    const { search_id } = await begin(owner);
    const run = await owner.post(`/people-searches/${search_id}/runs`, { people: 3 });
    await untilRunEnded(owner, String(run.body['run_id']));
    expect(await owner.delete(`/people-searches/${search_id}`)).toMatchObject({
      status: 200,
      body: { done: true },
    });
    expect((await owner.delete(`/people-searches/${search_id}`)).body['code']).toBe('search_not_found');
    expect((await owner.get('/saved-people')).body['people']).toHaveLength(3);
    expect((await owner.get(`/receipts/${run.body['run_id']}`)).body).toMatchObject({ spent: 3 });
  },
  async badInput() {
    expect((await (await newOwner()).delete('/people-searches/x')).body['code']).toBe('invalid_request');
  },
  async noCredentials() {
    expect((await stranger().delete(`/people-searches/${newId('discoverySearch')}`)).status).toBe(401);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    const { search_id } = await begin(one);
    const answer = await other.delete(`/people-searches/${search_id}`);
    expect([answer.status, answer.body['code']]).toEqual([404, 'search_not_found']);
    expect((await one.get(`/people-searches/${search_id}`)).status).toBe(200);
  },
});
