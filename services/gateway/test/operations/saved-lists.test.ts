import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  addListEntries,
  changeSavedList,
  createSavedList,
  deleteSavedList,
  getSavedList,
  limits,
  listListDomains,
  listListEntries,
  listSavedLists,
  newId,
  removeListEntries,
  savedCompany,
  savedList,
} from '@mailproof/shared-types';
import type { Person, TestHouse } from '../house.ts';
import { describeOperation } from '../operation-suite.ts';
import { openPeopleHouse, type PeopleHouse, type PeopleStore } from '../people-store.ts';

const people = 12;

let opened: PeopleHouse;
let test: TestHouse;
let store: PeopleStore;
let domain: string;
let personIds: string[];
let companyIds: string[];

beforeAll(async () => {
  opened = await openPeopleHouse(people);
  ({ test, store, domain } = opened);
  const persons = await store.pool.query<{ person_id: string }>(
    'SELECT person_id FROM person WHERE company_no = (SELECT company_no FROM company WHERE domain = $1) ORDER BY person_no',
    [domain],
  );
  personIds = persons.rows.map(({ person_id }) => person_id);
  const companies = await store.pool.query<{ company_id: string }>(
    'SELECT company_id FROM company WHERE domain = $1',
    [domain],
  );
  companyIds = companies.rows.map(({ company_id }) => company_id);
});

afterAll(() => opened?.stop());

const stranger = () => test.stranger();
const newOwner = async () => (await test.owner()).signIn();

/** An owner as discovery runs leave them: all people saved, every company paid for. */
async function saver(): Promise<Person> {
  const owner = await newOwner();
  const values = [owner.accountId, newId('discoveryRun'), domain];
  await store.pool.query(
    `INSERT INTO saved_person (account_id, person_no, run_id)
     SELECT $1, person_no, $2 FROM person JOIN company USING (company_no) WHERE domain = $3`,
    values,
  );
  await store.pool.query(
    'INSERT INTO paid_company (account_id, company_no, run_id) SELECT $1, company_no, $2 FROM company WHERE domain = $3',
    values,
  );
  return owner;
}

async function create(owner: Person, list: object): Promise<string> {
  const { status, body } = await owner.post('/saved-lists', { kind: 'people', ...list });
  expect([status, body['code']]).toEqual([201, undefined]);
  return savedList.parse(body).list_id;
}

async function namesOf(owner: Person, query = ''): Promise<unknown[]> {
  const { lists } = listSavedLists.success.schema.parse((await owner.get(`/saved-lists${query}`)).body);
  return lists.map(({ name }) => name);
}

describeOperation(createSavedList, {
  async success() {
    const owner = await newOwner();
    const answer = await owner.post('/saved-lists', {
      kind: 'people',
      name: ' Leads ',
      tags: ['hot', 'new'],
    });
    expect(answer.status).toBe(201);
    expect(savedList.parse(answer.body)).toMatchObject({
      kind: 'people',
      name: 'Leads',
      tags: ['hot', 'new'],
      entries: 0,
      created_by: owner.userId,
    });
    expect((await owner.post('/saved-lists', { kind: 'companies', name: 'Leads' })).status).toBe(201);
  },
  async badInput() {
    const owner = await newOwner();
    const many = Array.from({ length: limits.listTagsMax + 1 }, (_, at) => `tag ${at}`);
    for (const bad of [
      { kind: 'places' },
      { name: '' },
      { tags: ['twice', 'twice'] },
      { tags: many },
      { tags: ['x'.repeat(41)] },
    ]) {
      const answer = await owner.post('/saved-lists', { kind: 'people', name: 'A list', ...bad });
      expect(answer.body['code']).toBe('invalid_request');
    }
    await create(owner, { name: 'Taken' });
    expect(await owner.post('/saved-lists', { kind: 'people', name: 'Taken' })).toMatchObject({
      status: 409,
      body: { code: 'list_name_taken' },
    });
    await store.pool.query(
      `INSERT INTO saved_list (list_id, account_id, kind, name, created_by)
       SELECT 'list_' || md5($1 || i), $1, 'people', 'List ' || i, 'x' FROM generate_series(2, $2::int) AS i`,
      [owner.accountId, limits.savedListsMax],
    );
    expect(await owner.post('/saved-lists', { kind: 'people', name: 'One more' })).toMatchObject({
      status: 409,
      body: { code: 'too_many_lists' },
    });
  },
  async noCredentials() {
    expect((await stranger().post('/saved-lists', { kind: 'people', name: 'A list' })).status).toBe(401);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    await create(one, { name: 'The same' });
    await create(other, { name: 'The same' });
  },
});

describeOperation(listSavedLists, {
  async success() {
    const owner = await newOwner();
    await create(owner, { name: 'b second', tags: ['hot'] });
    await create(owner, { name: 'A first' });
    await create(owner, { kind: 'companies', name: 'c third', tags: ['hot'] });
    expect(await namesOf(owner)).toEqual(['A first', 'b second', 'c third']);
    expect(await namesOf(owner, '?sort=created_at')).toEqual(['c third', 'A first', 'b second']);
    expect(await namesOf(owner, '?kind=people')).toEqual(['A first', 'b second']);
    expect(await namesOf(owner, '?tag=hot&kind=people')).toEqual(['b second']);
    expect(await namesOf(owner, '?text=SEC')).toEqual(['b second']);
    for (const sort of ['name', 'created_at']) {
      const page = await owner.get(`/saved-lists?limit=2&sort=${sort}`);
      const next = `?limit=2&sort=${sort}&cursor=${page.body['next_cursor']}`;
      expect(await namesOf(owner, next)).toEqual([sort === 'name' ? 'c third' : 'b second']);
    }
  },
  async badInput() {
    const owner = await newOwner();
    expect((await owner.get('/saved-lists?sort=size')).body['code']).toBe('invalid_request');
    expect((await owner.get('/saved-lists?cursor=x')).body['code']).toBe('invalid_cursor');
  },
  async noCredentials() {
    expect((await stranger().get('/saved-lists')).status).toBe(401);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    await create(one, { name: 'Mine' });
    expect(await namesOf(other)).toEqual([]);
  },
});

describeOperation(getSavedList, {
  async success() {
    const owner = await saver();
    const listId = await create(owner, { name: 'Leads', tags: ['hot'] });
    await owner.post(`/saved-lists/${listId}/entries`, { ids: personIds.slice(0, 2) });
    const { status, body } = await owner.get(`/saved-lists/${listId}`);
    expect(status).toBe(200);
    expect(savedList.strict().parse(body)).toMatchObject({
      list_id: listId,
      kind: 'people',
      name: 'Leads',
      tags: ['hot'],
      entries: 2,
      created_by: owner.userId,
    });
  },
  async badInput() {
    const owner = await newOwner();
    const listId = await create(owner, { name: 'Leads' });
    for (const path of ['/saved-lists/1', `/saved-lists/${listId}?kind=people`]) {
      expect(await owner.get(path)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    }
    expect(await owner.get(`/saved-lists/${newId('savedList')}`)).toMatchObject({
      status: 404,
      body: { code: 'saved_list_not_found' },
    });
  },
  async noCredentials() {
    expect((await stranger().get(`/saved-lists/${newId('savedList')}`)).status).toBe(401);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    const listId = await create(one, { name: 'Mine' });
    expect(await other.get(`/saved-lists/${listId}`)).toMatchObject({
      status: 404,
      body: { code: 'saved_list_not_found' },
    });
  },
});

describeOperation(changeSavedList, {
  async success() {
    const owner = await newOwner();
    const listId = await create(owner, { name: 'Before', tags: ['old'] });
    const renamed = await owner.put(`/saved-lists/${listId}`, { name: 'After' });
    expect(renamed).toMatchObject({ status: 200, body: { name: 'After', tags: ['old'] } });
    const tagged = await owner.put(`/saved-lists/${listId}`, { tags: [] });
    expect(tagged.body).toMatchObject({ name: 'After', tags: [] });
  },
  async badInput() {
    const owner = await newOwner();
    const listId = await create(owner, { name: 'One' });
    await create(owner, { name: 'Two' });
    expect((await owner.put(`/saved-lists/${listId}`, { name: '' })).body['code']).toBe('invalid_request');
    const taken = await owner.put(`/saved-lists/${listId}`, { name: 'Two' });
    expect([taken.status, taken.body['code']]).toEqual([409, 'list_name_taken']);
    const gone = await owner.put(`/saved-lists/${newId('savedList')}`, { name: 'Three' });
    expect([gone.status, gone.body['code']]).toEqual([404, 'saved_list_not_found']);
  },
  async noCredentials() {
    expect((await stranger().put(`/saved-lists/${newId('savedList')}`, { name: 'x' })).status).toBe(401);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    const listId = await create(one, { name: 'Mine' });
    const answer = await other.put(`/saved-lists/${listId}`, { name: 'Taken' });
    expect([answer.status, answer.body['code']]).toEqual([404, 'saved_list_not_found']);
    expect(await namesOf(one)).toEqual(['Mine']);
  },
});

describeOperation(deleteSavedList, {
  async success() {
    const owner = await saver();
    const listId = await create(owner, { name: 'Short' });
    await owner.post(`/saved-lists/${listId}/entries`, { ids: personIds });
    expect(await owner.delete(`/saved-lists/${listId}`)).toMatchObject({ status: 200, body: { done: true } });
    expect((await owner.delete(`/saved-lists/${listId}`)).body['code']).toBe('saved_list_not_found');
    expect((await owner.get('/saved-people')).body['people']).toHaveLength(people);
  },
  async badInput() {
    expect((await (await newOwner()).delete('/saved-lists/x')).body['code']).toBe('invalid_request');
  },
  async noCredentials() {
    expect((await stranger().delete(`/saved-lists/${newId('savedList')}`)).status).toBe(401);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    const listId = await create(one, { name: 'Mine' });
    const answer = await other.delete(`/saved-lists/${listId}`);
    expect([answer.status, answer.body['code']]).toEqual([404, 'saved_list_not_found']);
    expect(await namesOf(one)).toEqual(['Mine']);
  },
});

describeOperation(addListEntries, {
  async success() {
    const owner = await saver();
    const persons = await create(owner, { name: 'People' });
    const companies = await create(owner, { kind: 'companies', name: 'Companies' });
    const both = { ids: [...personIds, ...companyIds, newId('person')] };
    expect((await owner.post(`/saved-lists/${persons}/entries`, both)).body).toEqual({
      added: people,
      more: false,
    });
    expect((await owner.post(`/saved-lists/${persons}/entries`, both)).body).toEqual({
      added: 0,
      more: false,
    });
    expect((await owner.post(`/saved-lists/${companies}/entries`, both)).body).toEqual({
      added: 1,
      more: false,
    });
  },
  async badInput() {
    const owner = await newOwner();
    const listId = await create(owner, { name: 'A list' });
    for (const ids of [[], ['x'], [newId('account')]]) {
      expect((await owner.post(`/saved-lists/${listId}/entries`, { ids })).body['code']).toBe(
        'invalid_request',
      );
    }
    const gone = await owner.post(`/saved-lists/${newId('savedList')}/entries`, { ids: personIds });
    expect([gone.status, gone.body['code']]).toEqual([404, 'saved_list_not_found']);
    // Adds only people whom the account has saved.
    expect((await owner.post(`/saved-lists/${listId}/entries`, { ids: personIds })).body).toEqual({
      added: 0,
      more: false,
    });
  },
  async noCredentials() {
    const answer = await stranger().post(`/saved-lists/${newId('savedList')}/entries`, { ids: personIds });
    expect(answer.status).toBe(401);
  },
  async anotherTenant() {
    const [one, other] = [await saver(), await saver()];
    const listId = await create(one, { name: 'Mine' });
    const answer = await other.post(`/saved-lists/${listId}/entries`, { ids: personIds });
    expect([answer.status, answer.body['code']]).toEqual([404, 'saved_list_not_found']);
    expect((await one.get('/saved-lists')).body['lists']).toMatchObject([{ entries: 0 }]);
  },
});

it('adds and removes the people who match', async () => {
  const owner = await saver();
  const [one, two] = [await create(owner, { name: 'One' }), await create(owner, { name: 'Two' })];
  const companies = await create(owner, { kind: 'companies', name: 'Companies' });
  const add = async (listId: string, matching: object) =>
    (await owner.post(`/saved-lists/${listId}/entries`, { matching })).body;
  expect(await add(one, { department: 'engineering' })).toEqual({ added: 4, more: false });
  expect(await add(one, { department: 'engineering' })).toEqual({ added: 0, more: false });
  expect(await add(two, { list_id: one, text: '00000' })).toEqual({ added: 3, more: false });
  const path = `/saved-lists/${one}/entries/removals`;
  expect((await owner.post(path, { matching: { text: '000001' } })).body).toEqual({
    removed: 1,
    more: false,
  });
  expect((await owner.post(path, { matching: {} })).body).toEqual({ removed: 3, more: false });
  expect((await owner.get(`/saved-lists/${two}/entries`)).body).toMatchObject({ total: 3 });
  for (const body of [{}, { matching: {}, ids: personIds }, { matching: { list_id: one } }]) {
    expect((await owner.post(path, body)).body['code']).toBe('invalid_request');
  }
  expect((await add(two, { list_id: companies }))['code']).toBe('saved_list_not_found');
  const stolen = await add(two, { list_id: await create(await saver(), { name: 'Theirs' }) });
  expect(stolen['code']).toBe('saved_list_not_found');
});

describeOperation(removeListEntries, {
  async success() {
    const owner = await saver();
    const listId = await create(owner, { name: 'A list' });
    await owner.post(`/saved-lists/${listId}/entries`, { ids: personIds });
    const path = `/saved-lists/${listId}/entries/removals`;
    expect((await owner.post(path, { ids: personIds.slice(0, 5) })).body).toEqual({
      removed: 5,
      more: false,
    });
    expect((await owner.post(path, { ids: personIds.slice(0, 5) })).body).toEqual({
      removed: 0,
      more: false,
    });
    expect((await owner.get('/saved-people')).body['people']).toHaveLength(people);
  },
  async badInput() {
    const owner = await newOwner();
    const path = `/saved-lists/${newId('savedList')}/entries/removals`;
    expect((await owner.post(path, { ids: ['x'] })).body['code']).toBe('invalid_request');
    expect((await owner.post(path, { ids: personIds })).body['code']).toBe('saved_list_not_found');
  },
  async noCredentials() {
    const path = `/saved-lists/${newId('savedList')}/entries/removals`;
    expect((await stranger().post(path, { ids: personIds })).status).toBe(401);
  },
  async anotherTenant() {
    const [one, other] = [await saver(), await saver()];
    const listId = await create(one, { name: 'Mine' });
    await one.post(`/saved-lists/${listId}/entries`, { ids: personIds });
    const answer = await other.post(`/saved-lists/${listId}/entries/removals`, { ids: personIds });
    expect([answer.status, answer.body['code']]).toEqual([404, 'saved_list_not_found']);
    expect((await one.get('/saved-lists')).body['lists']).toMatchObject([{ entries: people }]);
  },
});

describeOperation(listListEntries, {
  async success() {
    const owner = await saver();
    const persons = await create(owner, { name: 'People' });
    await owner.post(`/saved-lists/${persons}/entries`, { ids: personIds.slice(0, 9) });
    const page = await owner.get(`/saved-lists/${persons}/entries?sort=name&department=engineering&limit=2`);
    expect(page.body).toMatchObject({
      kind: 'people',
      people: [{ name: 'Person 000001' }, { name: 'Person 000004' }],
    });
    const next = await owner.get(
      `/saved-lists/${persons}/entries?sort=name&department=engineering&limit=2&cursor=${page.body['next_cursor']}`,
    );
    expect(next.body).toMatchObject({ people: [{ name: 'Person 000007' }] });
    const companies = await create(owner, { kind: 'companies', name: 'Companies' });
    await owner.post(`/saved-lists/${companies}/entries`, { ids: companyIds });
    for (const query of ['', '?sort=name', '?text=invents', `?company=${domain}`, '?country=de']) {
      const { body } = await owner.get(`/saved-lists/${companies}/entries${query}`);
      const found = listListEntries.success.schema.parse(body);
      expect(found.kind === 'companies' && savedCompany.parse(found.companies[0])).toMatchObject({
        domain,
        employee_count: 60,
        annual_revenue_usd: 2_000_000,
        source: { name: 'A test' },
      });
    }
    expect((await owner.get(`/saved-lists/${companies}/entries?text=nothing`)).body['companies']).toEqual([]);
  },
  async badInput() {
    const owner = await newOwner();
    const listId = await create(owner, { name: 'A list' });
    expect((await owner.get(`/saved-lists/${listId}/entries?sort=size`)).body['code']).toBe(
      'invalid_request',
    );
    expect((await owner.get(`/saved-lists/${listId}/entries?cursor=x`)).body['code']).toBe('invalid_cursor');
  },
  async noCredentials() {
    expect((await stranger().get(`/saved-lists/${newId('savedList')}/entries`)).status).toBe(401);
  },
  async anotherTenant() {
    const [one, other] = [await saver(), await newOwner()];
    const listId = await create(one, { name: 'Mine' });
    const answer = await other.get(`/saved-lists/${listId}/entries`);
    expect([answer.status, answer.body['code']]).toEqual([404, 'saved_list_not_found']);
  },
});

const domainsOf = (page: { body: unknown }) => listListDomains.success.schema.parse(page.body);

describeOperation(listListDomains, {
  async success() {
    const owner = await newOwner();
    const list = await create(owner, { kind: 'companies', name: 'Customers' });
    const path = `/saved-lists/${list}`;
    const added = ['b.example', 'A.example ', 'bücher.example', 'a.example.'];
    expect((await owner.post(`${path}/entries`, { domains: added })).body).toEqual({ added: 3, more: false });
    expect((await owner.post(`${path}/entries`, { domains: ['b.example'] })).body).toMatchObject({
      added: 0,
    });
    const first = domainsOf(await owner.get(`${path}/domains?limit=2`));
    expect(first).toMatchObject({ domains: ['a.example', 'b.example'], total: 3 });
    const next = domainsOf(await owner.get(`${path}/domains?limit=2&cursor=${first.next_cursor}`));
    expect(next).toEqual({ domains: ['xn--bcher-kva.example'] });
    expect(domainsOf(await owner.get(`${path}/domains?text=B.EX`))).toMatchObject({ domains: ['b.example'] });
    expect((await owner.get(path)).body).toMatchObject({ entries: 0, domains: 3 });
    const removed = await owner.post(`${path}/entries/removals`, { domains: ['b.example', 'c.example'] });
    expect(removed.body).toEqual({ removed: 1, more: false });
    expect((await owner.get('/saved-lists')).body['lists']).toMatchObject([{ domains: 2 }]);
  },
  async badInput() {
    const owner = await newOwner();
    const [persons, companies] = [
      await create(owner, { name: 'People' }),
      await create(owner, { kind: 'companies', name: 'Companies' }),
    ];
    const problemOf = async (list: string, body: object) => {
      const answer = await owner.post(`/saved-lists/${list}/entries`, body);
      return [answer.status, answer.body['code'], answer.body['detail']];
    };
    expect(await problemOf(persons, { domains: ['a.example'] })).toEqual([
      400,
      'invalid_request',
      'The list contains people: give `ids` or `matching`.',
    ]);
    expect(await problemOf(companies, { domains: ['no domain'] })).toEqual([
      400,
      'invalid_request',
      expect.stringContaining('must be a domain'),
    ]);
    expect(await problemOf(companies, { domains: ['a.example'], ids: companyIds })).toEqual([
      400,
      'invalid_request',
      expect.stringContaining('Give either'),
    ]);
    expect((await owner.get(`/saved-lists/${companies}/domains?cursor=x`)).body['code']).toBe(
      'invalid_cursor',
    );
  },
  async noCredentials() {
    expect((await stranger().get(`/saved-lists/${newId('savedList')}/domains`)).status).toBe(401);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    const path = `/saved-lists/${await create(one, { kind: 'companies', name: 'Mine' })}`;
    await one.post(`${path}/entries`, { domains: ['a.example'] });
    const answers = [
      await other.get(`${path}/domains`),
      await other.post(`${path}/entries`, { domains: ['b.example'] }),
      await other.post(`${path}/entries/removals`, { domains: ['a.example'] }),
    ];
    for (const { status, body } of answers) {
      expect([status, body['code']]).toEqual([404, 'saved_list_not_found']);
    }
    expect(domainsOf(await one.get(`${path}/domains`)).domains).toEqual(['a.example']);
  },
});

it('a list takes the most domains and no more, also if they are added at the same time', async () => {
  const owner = await newOwner();
  const list = await create(owner, { kind: 'companies', name: 'Many' });
  const part = (number: number) =>
    Array.from({ length: limits.listDomainsPerRequestMax }, (_, index) => `c${number}-${index}.example`);
  const parts = limits.listDomainsMax / limits.listDomainsPerRequestMax;
  const answers = await Promise.all(
    Array.from({ length: parts + 2 }, (_, number) =>
      owner.post(`/saved-lists/${list}/entries`, { domains: part(number) }),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(parts).fill(200), 400, 400]);
  expect(answers.find(({ status }) => status === 400)?.body).toMatchObject({
    code: 'invalid_request',
    detail: 'A list holds at most 50,000 domains.',
  });
  const total = async (filters: object) => {
    const { status, body } = await owner.post('/people-counts', { filters });
    return [status, body['total']];
  };
  expect(await total({ company_domains: [domain], saved_lists: [list] })).toEqual([200, 0]);
  expect(await total({ company_domains: [domain], excluded_saved_lists: [list] })).toEqual([200, people]);
  const accepted = part(answers.findIndex(({ status }) => status === 200));
  await owner.post(`/saved-lists/${list}/entries/removals`, { domains: accepted.slice(0, 1) });
  expect((await owner.post(`/saved-lists/${list}/entries`, { domains: [domain] })).status).toBe(200);
  expect(await total({ company_domains: [domain], saved_lists: [list] })).toEqual([200, people]);
  expect(await total({ company_domains: [domain], excluded_saved_lists: [list] })).toEqual([200, 0]);
});
