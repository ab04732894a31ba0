import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  getSavedPerson,
  listSavedPeople,
  newId,
  removeSavedPeople,
  savedPerson,
  savedPersonWithProvenance,
} from '@mailproof/shared-types';
import type { Person, TestHouse } from '../house.ts';
import { describeOperation } from '../operation-suite.ts';
import {
  openPeopleHouse,
  ownerWith,
  type PeopleHouse,
  type PeopleStore,
  untilRunEnded,
} from '../people-store.ts';

const people = 30;

let opened: PeopleHouse;
let test: TestHouse;
let store: PeopleStore;
let domain: string;

beforeAll(async () => {
  opened = await openPeopleHouse(people);
  ({ test, store, domain } = opened);
});

afterAll(() => opened?.stop());

const stranger = () => test.stranger();

/** An owner who has saved all people of the company. */
async function saver(): Promise<{ owner: Person; runId: string }> {
  const owner = await ownerWith(test, people);
  const filters = { company_domains: [domain] };
  const search = await owner.post('/people-searches', { name: 'A search', filters });
  const run = await owner.post(`/people-searches/${search.body['search_id']}/runs`, { people: 'all' });
  expect(run.status).toBe(202);
  await untilRunEnded(owner, String(run.body['run_id']));
  return { owner, runId: String(run.body['run_id']) };
}

async function listOf(owner: Person, query = '') {
  const answer = await owner.get(`/saved-people${query}`);
  expect([answer.status, answer.body['code']]).toEqual([200, undefined]);
  return listSavedPeople.success.schema.parse(answer.body);
}

async function namesOf(owner: Person, query: string): Promise<string[]> {
  const names: string[] = [];
  for (let cursor = ''; ; ) {
    const page = await listOf(owner, `?limit=7${query}${cursor}`);
    names.push(...page.people.map(({ name }) => name));
    if (page.next_cursor === undefined) {
      return names;
    }
    cursor = `&cursor=${page.next_cursor}`;
  }
}

describeOperation(listSavedPeople, {
  async success() {
    const { owner, runId } = await saver();
    const all = await namesOf(owner, '&sort=name');
    expect(all).toEqual(
      Array.from({ length: people }, (_, at) => `Person ${String(at + 1).padStart(6, '0')}`),
    );
    for (const sort of ['company', 'industry', 'company_size']) {
      expect((await namesOf(owner, `&sort=${sort}`)).sort()).toEqual(all);
    }
    expect(await namesOf(owner, '')).toEqual(all.toReversed());
    expect(await namesOf(owner, '&department=sales&country=de')).toHaveLength(5);
    expect(await namesOf(owner, '&seniority=entry')).toHaveLength(10);
    expect(await namesOf(owner, '&text=000007')).toEqual(['Person 000007']);
    expect(await namesOf(owner, '&text=100%25')).toEqual([]);
    expect(await namesOf(owner, `&company=${domain}`)).toHaveLength(people);
    expect(await namesOf(owner, `&run_id=${runId}`)).toHaveLength(people);
    expect(await namesOf(owner, `&run_id=${newId('discoveryRun')}`)).toEqual([]);
    expect(await titlesOf(owner)).toEqual([
      ...Array(10).fill('Accountant'),
      ...Array(10).fill('Head of Sales'),
      ...Array(10).fill('Software Engineer'),
    ]);
    const { total, next_cursor } = await listOf(owner, '?department=sales&limit=3');
    expect(total).toBe(10);
    expect((await listOf(owner, `?department=sales&limit=3&cursor=${next_cursor}`)).total).toBeUndefined();
    const [first] = (await listOf(owner, '?sort=name&limit=1')).people;
    expect(savedPerson.parse(first)).toEqual({
      person_id: expect.stringMatching(/^pers_/),
      name: 'Person 000001',
      first_name: null,
      last_name: 'Person',
      job_title: 'Software Engineer',
      headline: 'Headline 1',
      import_id: null,
      company: { company_id: expect.stringMatching(/^comp_/), name: `Company of ${domain}`, domain },
      location: { city: 'City', region: 'Region', country: 'FR' },
      industry: 'software',
      seniority: 'senior',
      department: 'engineering',
      company_size: '51-200',
      is_synthetic: true,
      revenue: '$1-10M',
      annual_revenue_usd: 2_000_000,
      keywords: ['invented', 'person'],
      company_type: 'private',
      website: 'https://person.example/',
      follower_count: 1,
      connection_count: 2,
      profile_badges: ['badge'],
      profile_url: `https://profiles.example/${domain}/1`,
      source: { kind: 'synthetic', name: 'A test', licence: 'CC0-1.0', retrieved_on: '2026-01-01' },
      run_id: runId,
      saved_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(JSON.stringify(first)).not.toContain('@');
  },
  async badInput() {
    const owner = await ownerWith(test, 0);
    for (const query of ['sort=age', 'seniority=boss', 'country=Germany', 'limit=201', 'more=1']) {
      expect((await owner.get(`/saved-people?${query}`)).body['code']).toBe('invalid_request');
    }
    for (const cursor of ['x', Buffer.from('["never",1]').toString('base64url')]) {
      expect((await owner.get(`/saved-people?cursor=${cursor}`)).body['code']).toBe('invalid_cursor');
    }
    const list = await owner.get(`/saved-people?list_id=${newId('savedList')}`);
    expect([list.status, list.body['code']]).toEqual([404, 'saved_list_not_found']);
  },
  async noCredentials() {
    expect((await stranger().get('/saved-people')).status).toBe(401);
  },
  async anotherTenant() {
    const [{ runId }, other] = [await saver(), await ownerWith(test, 0)];
    expect((await listOf(other)).people).toEqual([]);
    expect((await listOf(other, `?run_id=${runId}`)).people).toEqual([]);
  },
});

async function titlesOf(owner: Person): Promise<(string | null)[]> {
  return (await listOf(owner, '?sort=job_title&limit=200')).people.map(({ job_title }) => job_title);
}

it('sorts by the last change of a record, and unknown titles last', async () => {
  const { owner } = await saver();
  await store.pool.query(
    `UPDATE person SET updated_at = now() + interval '1 day', job_title = NULL
     WHERE profile_key IN ($1 || '/4', $1 || '/9')`,
    [domain],
  );
  try {
    const changed = (await namesOf(owner, '&sort=updated_at')).slice(0, 2);
    expect(changed.sort()).toEqual(['Person 000004', 'Person 000009']);
    expect((await titlesOf(owner)).slice(-3)).toEqual(['Software Engineer', null, null]);
  } finally {
    await store.pool.query(
      `UPDATE person SET updated_at = now(), job_title = 'Software Engineer' WHERE profile_key = $1 || '/4'`,
      [domain],
    );
    await store.pool.query(
      `UPDATE person SET updated_at = now(), job_title = 'Head of Sales' WHERE profile_key = $1 || '/9'`,
      [domain],
    );
  }
});

describeOperation(getSavedPerson, {
  async success() {
    const { owner } = await saver();
    const [person] = (await listOf(owner)).people;
    await store.pool.query(
      `WITH told AS (
         INSERT INTO source (kind, name, licence, retrieved_on) VALUES ('import', $2, 'CC-BY-4.0', '2026-02-02')
         RETURNING source_id)
       UPDATE person SET field_sources = jsonb_build_object('job_title', told.source_id) FROM told WHERE person_id = $1`,
      [person?.person_id, `A file ${newId('request')}`],
    );
    const answer = await owner.get(`/saved-people/${person?.person_id}`);
    expect(answer.status).toBe(200);
    const { provenance, ...rest } = savedPersonWithProvenance.parse(answer.body);
    expect(rest).toEqual(person);
    expect(provenance['job_title']).toMatchObject({ kind: 'import', retrieved_on: '2026-02-02' });
    expect(provenance['name']).toEqual(person?.source);
    expect(provenance['industry']).toEqual(person?.source);
  },
  async badInput() {
    const owner = await ownerWith(test, 0);
    expect((await owner.get('/saved-people/x')).body['code']).toBe('invalid_request');
    expect((await owner.get(`/saved-people/${newId('person')}`)).body['code']).toBe('saved_person_not_found');
  },
  async noCredentials() {
    expect((await stranger().get(`/saved-people/${newId('person')}`)).status).toBe(401);
  },
  async anotherTenant() {
    const [{ owner }, other] = [await saver(), await ownerWith(test, 0)];
    const [person] = (await listOf(owner)).people;
    const answer = await other.get(`/saved-people/${person?.person_id}`);
    expect([answer.status, answer.body['code']]).toEqual([404, 'saved_person_not_found']);
  },
});

describeOperation(removeSavedPeople, {
  async success() {
    const { owner } = await saver();
    const ids = (await listOf(owner)).people.map(({ person_id }) => person_id);
    const list = await owner.post('/saved-lists', { kind: 'people', name: 'Some' });
    await owner.post(`/saved-lists/${list.body['list_id']}/entries`, { ids });
    const removed = await owner.post('/saved-people/removals', { person_ids: ids.slice(0, 10) });
    expect(removed).toMatchObject({ status: 200, body: { removed: 10, kept: 0, more: false } });
    expect(await namesOf(owner, '')).toHaveLength(people - 10);
    expect((await owner.get('/saved-lists')).body['lists']).toMatchObject([{ entries: people - 10 }]);
    const again = await owner.post('/saved-people/removals', { person_ids: ids.slice(0, 10) });
    expect(again.body).toEqual({ removed: 0, kept: 0, more: false });
  },
  async badInput() {
    const owner = await ownerWith(test, 0);
    for (const ids of [[], ['x'], Array(1_001).fill(newId('person'))]) {
      expect((await owner.post('/saved-people/removals', { person_ids: ids })).body['code']).toBe(
        'invalid_request',
      );
    }
  },
  async noCredentials() {
    const answer = await stranger().post('/saved-people/removals', { person_ids: [newId('person')] });
    expect(answer.status).toBe(401);
  },
  async anotherTenant() {
    const [{ owner }, other] = [await saver(), await ownerWith(test, 0)];
    const ids = (await listOf(owner)).people.map(({ person_id }) => person_id);
    const answer = await other.post('/saved-people/removals', { person_ids: ids });
    expect(answer.body).toEqual({ removed: 0, kept: 0, more: false });
    expect(await namesOf(owner, '')).toHaveLength(people);
  },
});

it('removes the people who match, and keeps those of an active run', async () => {
  const { owner, runId } = await saver();
  const remove = (matching: object) => owner.post('/saved-people/removals', { matching });
  expect((await remove({ department: 'sales' })).body).toEqual({ removed: 10, kept: 0, more: false });
  expect(await namesOf(owner, '')).toHaveLength(people - 10);
  await store.pool.query(
    "UPDATE discovery_run SET state = 'running', moved_at = now() + interval '1 day' WHERE run_id = $1",
    [runId],
  );
  expect((await remove({ run_id: runId })).body).toEqual({ removed: 0, kept: people - 10, more: false });
  const [bad, both] = await Promise.all([
    remove({ size: 1 }),
    owner.post('/saved-people/removals', { matching: {}, person_ids: [newId('person')] }),
  ]);
  expect([bad.body['code'], both.body['code']]).toEqual(['invalid_request', 'invalid_request']);
  const theirs = await (await ownerWith(test, 0)).post('/saved-lists', { kind: 'people', name: 'Theirs' });
  const list = await remove({ list_id: theirs.body['list_id'] });
  expect([list.status, list.body['code']]).toEqual([404, 'saved_list_not_found']);
});

it('keeps people whom an active run has saved, so that no one reads them without paying', async () => {
  const { owner, runId } = await saver();
  const ids = (await listOf(owner)).people.map(({ person_id }) => person_id);
  await store.pool.query(
    "UPDATE discovery_run SET state = 'running', moved_at = now() + interval '1 day' WHERE run_id = $1",
    [runId],
  );
  const answer = await owner.post('/saved-people/removals', { person_ids: ids });
  expect(answer.body).toEqual({ removed: 0, kept: people, more: false });
});
