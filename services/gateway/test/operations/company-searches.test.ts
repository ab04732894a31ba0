import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  beginCompanySearch,
  changeCompanySearch,
  countCompanies,
  deleteCompanySearch,
  discoveryRun,
  getCompanySearch,
  limits,
  listCompaniesOfSearch,
  listCompanySearches,
  listSavedCompanies,
  newId,
  prices,
  renameCompanySearch,
  startCompanyRun,
} from '@mailproof/shared-types';
import pg from 'pg';
import {
  beginSearchOfCompanies as begin,
  type CompanyStore,
  countedCompanies,
  openCompanyStore,
  untilCompaniesFound,
} from '../company-store.ts';
import { type Answer, openSharedHouse, type Person, type TestHouse } from '../house.ts';
import { describeOperation } from '../operation-suite.ts';
import { ownerWith, untilRunEnded } from '../people-store.ts';
import { until } from '../until.ts';

const companies = 130;
const price = prices.savedCompany;

let test: TestHouse;
let store: CompanyStore;
let keyword: string;

beforeAll(async () => {
  test = await openSharedHouse();
  store = await openCompanyStore(test);
  keyword = await store.add(companies);
});

afterAll(async () => {
  await store?.close();
  await test?.stop();
});

const all = () => ({ keywords: [keyword] });
const german = () => ({ keywords: [keyword], countries: ['DE'] });
const stranger = () => test.stranger();
const newOwner = (credits = 0) => ownerWith(test, credits);
const codeOf = ({ status, body }: Answer) => [status, body['code']];
const unknownSearch = () => `/company-searches/${newId('discoverySearch')}`;

async function start(person: Person, searchId: string, body: object, headers: Record<string, string> = {}) {
  const answer = await person.post(`/company-searches/${searchId}/runs`, body, headers);
  expect(codeOf(answer)).toEqual([202, undefined]);
  return discoveryRun.parse(answer.body);
}

/** Saves companies of the store, and returns the run when it has ended. */
async function save(person: Person, wanted: number | 'all', filters: object = all(), more: object = {}) {
  const { search_id } = await begin(person, filters);
  const run = await start(person, search_id, { companies: wanted, ...more });
  return { searchId: search_id, run: discoveryRun.parse(await untilRunEnded(person, run.run_id)) };
}

const balanceOf = async (person: Person) => {
  const { available, held } = (await person.get('/balance')).body;
  return { available, held };
};

const savedOf = async (person: Person, query = '') =>
  listSavedCompanies.success.schema.parse((await person.get(`/saved-companies${query}`)).body);

describeOperation(countCompanies, {
  async success() {
    const owner = await newOwner();
    const { total, facets } = await countedCompanies(owner, all());
    expect(total).toBe(companies);
    expect(facets.countries).toEqual({
      values: [
        { value: 'DE', count: 65 },
        { value: 'FR', count: 65 },
      ],
      unknown: 0,
      more: false,
    });
    expect(facets.company_sizes.values.find(({ value }) => value === '51-200')?.count).toBe(65);
    expect(Object.keys(facets)).not.toContain('seniorities');
    // A facet ignores its own filter, and no other one.
    const narrowed = await countedCompanies(owner, { ...german(), industries: ['software'] });
    expect(narrowed.total).toBe(21);
    expect(narrowed.facets.countries.values.map(({ count }) => count).reduce((a, b) => a + b)).toBe(43);
    expect((await countedCompanies(owner, { ...all(), excluded_countries: ['DE'] })).total).toBe(65);
    expect((await countedCompanies(owner, { ...all(), company_founded: { min: 2_010 } })).total).toBe(40);
    const read = await countedCompanies(owner, { ...all(), countries: ['Germany'] });
    expect([read.total, read.read]).toEqual([
      65,
      [{ filter: 'countries', value: 'Germany', read_as: ['DE'] }],
    ]);
  },
  async badInput() {
    const owner = await newOwner();
    const unknown = await owner.post('/company-counts', { filters: { company_sizes: ['huge'] } });
    expect(codeOf(unknown)).toEqual([422, 'unknown_filter_value']);
    expect(unknown.body['errors']).toMatchObject([{ pointer: '/filters/company_sizes/0' }]);
    // Filters of people are not ignored.
    const ofPeople = await owner.post('/company-counts', { filters: { job_titles: ['CEO'] } });
    expect(codeOf(ofPeople)).toEqual([400, 'invalid_request']);
  },
  async noCredentials() {
    expect((await stranger().post('/company-counts', { filters: {} })).status).toBe(401);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    const list = (await one.post('/saved-lists', { kind: 'companies', name: 'Ours' })).body['list_id'];
    const foreign = await other.post('/company-counts', { filters: { saved_lists: [list] } });
    expect(codeOf(foreign)).toEqual([422, 'unknown_filter_value']);
  },
});

describeOperation(beginCompanySearch, {
  async success() {
    const owner = await newOwner();
    const search = await begin(owner, all());
    expect(search).toMatchObject({
      name: 'Companies',
      filters: all(),
      state: 'preview',
      has_more: null,
      active_run_id: null,
      total: companies,
      estimate: {
        matching: companies,
        already_saved: 0,
        deliverable: companies,
        price,
        credits_max: companies * price,
      },
      preview: { kind: 'allowance', credits: 0, previews_left: 99 },
    });
    expect(search.companies).toHaveLength(limits.pageRowsDefault);
    // What a company costs is not in its preview.
    expect(search.companies[0]).toEqual({
      company_id: expect.stringMatching(/^comp_/),
      company: { name: 'Company 000001', domain: `${keyword}-1.example` },
      industry: 'logistics',
      website: `https://${keyword}-1.example/`,
      description: 'Makes thing 1.',
      keywords: [keyword, 'things'],
      is_synthetic: true,
      is_saved: false,
    });
  },
  async badInput() {
    const owner = await newOwner();
    expect(codeOf(await owner.post('/company-searches', { filters: all() }))).toEqual([
      400,
      'invalid_request',
    ]);
    const unknown = { name: 'Companies', filters: { industries: ['sofware'] } };
    expect(codeOf(await owner.post('/company-searches', unknown))).toEqual([422, 'unknown_filter_value']);
    const person = { name: 'Companies', filters: { person_names: ['Ada'] } };
    expect(codeOf(await owner.post('/company-searches', person))).toEqual([400, 'invalid_request']);
    expect((await owner.get('/company-searches')).body['searches']).toEqual([]);
  },
  async noCredentials() {
    const answer = await stranger().post('/company-searches', { name: 'Companies', filters: {} });
    expect(codeOf(answer)).toEqual([401, 'not_signed_in']);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    const headers = { 'idempotency-key': 'the same key' };
    const first = await begin(one, all(), headers);
    const second = await begin(other, german(), headers);
    expect(second.search_id).not.toBe(first.search_id);
    expect((await begin(one, all(), headers)).search_id).toBe(first.search_id);
    const different = await one.post('/company-searches', { name: 'Companies', filters: german() }, headers);
    expect(codeOf(different)).toEqual([422, 'idempotency_key_reused']);
  },
});

describe('a preview of companies', () => {
  it('of filters that the account has previewed is free, in another search too', async () => {
    const owner = await newOwner();
    await begin(owner, german());
    const again = await begin(owner, { countries: ['DE'], keywords: [keyword] });
    expect(again.preview).toEqual({ kind: 'repeated', credits: 0, previews_left: 99 });
    expect((await begin(owner, all())).preview).toMatchObject({ kind: 'allowance', previews_left: 98 });
  });

  it('costs credits after the free ones of the cycle, has a receipt, and is free if nothing matches', async () => {
    const owner = await newOwner(15);
    const none = await begin(owner, { keywords: [newId('company')] });
    expect([none.total, none.preview.kind, none.preview.previews_left]).toEqual([0, 'free', 100]);
    const ledger = test.house.databaseUrls['ledger']?.migrationDatabaseUrl ?? '';
    const client = new pg.Client({ connectionString: ledger, options: '-c search_path=ledger' });
    await client.connect();
    await client.query('UPDATE allowance SET used = allowed WHERE account_id = $1', [owner.accountId]);
    await client.end();
    const refused = await owner.post('/company-searches', { name: 'Companies', filters: all() });
    expect(codeOf(refused)).toEqual([409, 'preview_costs_credits']);
    const body = { name: 'Companies', filters: all(), credits_max: prices.peoplePreview };
    const paid = await owner.post('/company-searches', body);
    expect(paid.body['preview']).toEqual({ kind: 'credits', credits: 10, previews_left: 0 });
    const { body: balance } = await owner.get('/balance');
    expect(Number(balance['available']) + Number(balance['held'])).toBeGreaterThanOrEqual(5);
    const poor = await owner.post('/company-searches', { ...body, filters: german() });
    expect(codeOf(poor)).toEqual([402, 'credits_exhausted']);
    const { receipts } = (await owner.get('/receipts')).body as { receipts: { operation: string }[] };
    expect(receipts.map(({ operation }) => operation)).toEqual(['begin-company-search']);
  });
});

describeOperation(changeCompanySearch, {
  async success() {
    const owner = await newOwner();
    const { search_id } = await begin(owner, all());
    const path = `/company-searches/${search_id}/filters`;
    expect(await owner.put(path, { filters: german() })).toMatchObject({
      status: 200,
      body: { total: 65, filters: german(), preview: { kind: 'allowance', previews_left: 98 } },
    });
    const back = await owner.put(path, { filters: all() });
    expect(back.body).toMatchObject({ total: companies, preview: { kind: 'repeated', previews_left: 98 } });
  },
  async badInput() {
    const owner = await newOwner(price);
    const { search_id } = await begin(owner, all());
    const path = `/company-searches/${search_id}/filters`;
    expect(codeOf(await owner.put(path, {}))).toEqual([400, 'invalid_request']);
    const run = await start(owner, search_id, { companies: 1 });
    expect(codeOf(await owner.put(path, { filters: german() }))).toEqual([409, 'search_locked']);
    await untilRunEnded(owner, run.run_id);
  },
  async noCredentials() {
    expect((await stranger().put(`${unknownSearch()}/filters`, { filters: {} })).status).toBe(401);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    const { search_id } = await begin(one, all());
    const path = `/company-searches/${search_id}/filters`;
    expect(codeOf(await other.put(path, { filters: german() }))).toEqual([404, 'search_not_found']);
    // A search of one kind is none of another.
    const asPeople = `/people-searches/${search_id}/filters`;
    expect(codeOf(await one.put(asPeople, { filters: {} }))).toEqual([404, 'search_not_found']);
  },
});

describeOperation(getCompanySearch, {
  async success() {
    const owner = await newOwner();
    const search = await begin(owner, all());
    const { status, body } = await owner.get(`/company-searches/${search.search_id}`);
    expect(status).toBe(200);
    expect(getCompanySearch.success.schema.parse(body)).toEqual({
      ...search,
      // Sealed separately each time.
      next_cursor: expect.stringMatching(/^ey/),
      preview: { kind: 'repeated', credits: 0, previews_left: 99 },
    });
  },
  async badInput() {
    expect(codeOf(await (await newOwner()).get('/company-searches/x'))).toEqual([400, 'invalid_request']);
  },
  async noCredentials() {
    expect((await stranger().get(unknownSearch())).status).toBe(401);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    const { search_id } = await begin(one, all());
    expect(codeOf(await other.get(`/company-searches/${search_id}`))).toEqual([404, 'search_not_found']);
  },
});

describeOperation(listCompanySearches, {
  async success() {
    const owner = await newOwner();
    const first = await begin(owner, all());
    const second = await begin(owner, german());
    const one = await owner.get('/company-searches?limit=1');
    expect(one.body['searches']).toMatchObject([{ search_id: second.search_id }]);
    const next = await owner.get(`/company-searches?limit=1&cursor=${one.body['next_cursor']}`);
    expect(next.body['searches']).toMatchObject([{ search_id: first.search_id }]);
    expect(next.body['next_cursor']).toBeUndefined();
    for (const kind of ['people', 'lookalike']) {
      expect((await owner.get(`/${kind}-searches`)).body['searches']).toEqual([]);
    }
  },
  async badInput() {
    const owner = await newOwner();
    expect(codeOf(await owner.get('/company-searches?cursor=x'))).toEqual([400, 'invalid_cursor']);
  },
  async noCredentials() {
    expect((await stranger().get('/company-searches')).status).toBe(401);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    await begin(one, all());
    expect((await other.get('/company-searches')).body['searches']).toEqual([]);
  },
});

describeOperation(listCompaniesOfSearch, {
  async success() {
    const owner = await newOwner();
    const { search_id } = await begin(owner, all());
    const names: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const query = cursor === '' ? '' : `&cursor=${cursor}`;
      const answer = await owner.get(`/company-searches/${search_id}/companies?limit=40${query}`);
      const page = listCompaniesOfSearch.success.schema.parse(answer.body);
      names.push(...page.companies.map(({ company }) => company.name));
      cursor = page.next_cursor;
    }
    expect(names).toHaveLength(limits.previewedPeopleMax);
    expect(names).toEqual([...new Set(names)].sort());
  },
  async badInput() {
    const owner = await newOwner();
    const { search_id } = await begin(owner, all());
    const answer = await owner.get(`/company-searches/${search_id}/companies?cursor=none`);
    expect(codeOf(answer)).toEqual([400, 'invalid_cursor']);
  },
  async noCredentials() {
    expect((await stranger().get(`${unknownSearch()}/companies`)).status).toBe(401);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    const { search_id } = await begin(one, all());
    const answer = await other.get(`/company-searches/${search_id}/companies`);
    expect(codeOf(answer)).toEqual([404, 'search_not_found']);
  },
});

describeOperation(renameCompanySearch, {
  async success() {
    const owner = await newOwner();
    const { search_id } = await begin(owner, all());
    const answer = await owner.put(`/company-searches/${search_id}/name`, { name: ' Renamed ' });
    expect(answer).toMatchObject({ status: 200, body: { search_id, name: 'Renamed' } });
  },
  async badInput() {
    const owner = await newOwner();
    const { search_id } = await begin(owner, all());
    const answer = await owner.put(`/company-searches/${search_id}/name`, { name: 'two\nlines' });
    expect(codeOf(answer)).toEqual([400, 'invalid_request']);
  },
  async noCredentials() {
    expect((await stranger().put(`${unknownSearch()}/name`, { name: 'x' })).status).toBe(401);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    const { search_id } = await begin(one, all());
    const answer = await other.put(`/company-searches/${search_id}/name`, { name: 'Taken' });
    expect(codeOf(answer)).toEqual([404, 'search_not_found']);
  },
});

describeOperation(deleteCompanySearch, {
  async success() {
    const owner = await newOwner(3 * price);
    const { searchId, run } = await save(owner, 3);
    expect((await owner.delete(`/company-searches/${searchId}`)).body).toEqual({ done: true });
    expect(codeOf(await owner.delete(`/company-searches/${searchId}`))).toEqual([404, 'search_not_found']);
    expect((await savedOf(owner)).companies).toHaveLength(3);
    expect((await owner.get(`/receipts/${run.run_id}`)).body).toMatchObject({ spent: 3 * price });
  },
  async badInput() {
    expect(codeOf(await (await newOwner()).delete('/company-searches/x'))).toEqual([400, 'invalid_request']);
  },
  async noCredentials() {
    expect((await stranger().delete(unknownSearch())).status).toBe(401);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    const { search_id } = await begin(one, all());
    expect(codeOf(await other.delete(`/company-searches/${search_id}`))).toEqual([404, 'search_not_found']);
  },
});

describeOperation(startCompanyRun, {
  async success() {
    const owner = await newOwner(1_000);
    const list = (await owner.post('/saved-lists', { kind: 'companies', name: 'Of the run' })).body[
      'list_id'
    ];
    const { searchId, run } = await save(owner, 100, all(), { list_id: list });
    expect(run).toMatchObject({
      kind: 'companies',
      state: 'succeeded',
      requested: 100,
      delivered: 100,
      reserved: 100 * price,
      spent: 100 * price,
      returned: 0,
      has_more: true,
    });
    expect((await owner.get(`/receipts/${run.run_id}`)).body).toMatchObject({
      operation: 'start-company-run',
      state: 'settled',
      spent: 100 * price,
    });
    expect((await owner.get(`/saved-lists/${list}`)).body).toMatchObject({ entries: 100 });
    const view = await owner.get(`/company-searches/${searchId}`);
    expect(view.body).toMatchObject({
      state: 'locked',
      has_more: true,
      estimate: { matching: companies, already_saved: 100, deliverable: 30 },
    });
    const shown = getCompanySearch.success.schema.parse(view.body).companies;
    expect(shown.every(({ is_saved }) => is_saved)).toBe(true);
    const rest = await start(owner, searchId, { companies: 'all' });
    expect(await untilRunEnded(owner, rest.run_id)).toMatchObject({ spent: 30 * price, has_more: false });
    const none = await owner.post(`/company-searches/${searchId}/runs`, { companies: 'all' });
    expect(codeOf(none)).toEqual([409, 'nothing_to_deliver']);
    expect(await balanceOf(owner)).toEqual({ available: 1_000 - companies * price, held: 0 });
  },
  async badInput() {
    const owner = await newOwner(2 * price);
    const { search_id } = await begin(owner, all());
    const path = `/company-searches/${search_id}/runs`;
    const id = newId('company');
    for (const body of [
      ...[{}, { companies: 0 }, { companies: 1.5 }, { companies: limits.companiesPerRunMax + 1 }],
      ...[{ companies: 'some' }, { companies: 1, company_ids: [id] }, { company_ids: [] }],
      { company_ids: Array(limits.previewedPeopleMax + 1).fill(id) },
    ]) {
      expect(codeOf(await owner.post(path, body))).toEqual([400, 'invalid_request']);
    }
    expect(await owner.post(path, { companies: 3 })).toMatchObject({
      status: 402,
      body: { code: 'credits_exhausted', required: 3 * price, available: 2 * price },
    });
    const list = (await owner.post('/saved-lists', { kind: 'people', name: 'People' })).body['list_id'];
    expect(codeOf(await owner.post(path, { companies: 1, list_id: list }))).toEqual([
      404,
      'saved_list_not_found',
    ]);
    expect(codeOf(await owner.post(path, { company_ids: [id] }))).toEqual([409, 'nothing_to_deliver']);
    expect(await balanceOf(owner)).toEqual({ available: 2 * price, held: 0 });
  },
  async noCredentials() {
    expect((await stranger().post(`${unknownSearch()}/runs`, { companies: 1 })).status).toBe(401);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(price), await newOwner(price)];
    const { search_id } = await begin(one, all());
    const answer = await other.post(`/company-searches/${search_id}/runs`, { companies: 1 });
    expect(codeOf(answer)).toEqual([404, 'search_not_found']);
    // What one account has paid for is not saved for another.
    await save(one, 1);
    expect((await begin(other, all())).estimate.already_saved).toBe(0);
    expect((await savedOf(other)).companies).toEqual([]);
  },
});

describe('a run of a company search', () => {
  it('is the same one under the same Idempotency-Key, and charges once', async () => {
    const owner = await newOwner(100);
    const { search_id } = await begin(owner, all());
    const headers = { 'idempotency-key': newId('request') };
    const runs = await Promise.all(
      Array.from({ length: 4 }, () => start(owner, search_id, { companies: 7 }, headers)),
    );
    expect(new Set(runs.map(({ run_id }) => run_id)).size).toBe(1);
    await untilRunEnded(owner, runs[0]?.run_id ?? '');
    expect(await balanceOf(owner)).toEqual({ available: 100 - 7 * price, held: 0 });
  });

  it('saves exactly the companies that were chosen from the preview', async () => {
    const owner = await newOwner(100);
    const search = await begin(owner, all());
    const chosen = [search.companies[3], search.companies[9]].map(each => each?.company_id);
    const { rows } = await store.pool.query(
      'SELECT company_id FROM company WHERE $1 = ANY(keywords) ORDER BY company_no DESC LIMIT 1',
      [keyword],
    );
    const run = await start(owner, search.search_id, { company_ids: [...chosen, rows[0].company_id] });
    expect(run).toMatchObject({ requested: 2, reserved: 2 * price });
    expect(await untilRunEnded(owner, run.run_id)).toMatchObject({ spent: 2 * price, has_more: true });
    const saved = (await savedOf(owner)).companies.map(({ company_id }) => company_id);
    expect(saved.toSorted()).toEqual(chosen.toSorted());
  });

  it('charges no company again that any run of the account has paid for', async () => {
    const owner = await newOwner(1_000);
    await save(owner, 'all', german());
    const { run } = await save(owner, 'all', all());
    expect(run).toMatchObject({ requested: 65, spent: 65 * price });
    // As a lookalike run records what it was charged for.
    const other = await newOwner(1_000);
    await store.pool.query(
      `INSERT INTO paid_company (account_id, company_no, run_id)
       SELECT $1, company_no, 'run_of_lookalikes' FROM company WHERE $2 = ANY(keywords) AND country = 'DE'`,
      [other.accountId, keyword],
    );
    expect((await begin(other, all())).estimate).toMatchObject({ already_saved: 65, deliverable: 65 });
    expect((await save(other, 'all')).run.spent).toBe(65 * price);
    expect(await balanceOf(other)).toEqual({ available: 1_000 - 65 * price, held: 0 });
  });

  it('charges once for companies that two runs of the account find at the same time', async () => {
    const owner = await newOwner(2_000);
    const searches = [
      await begin(owner, all()),
      await begin(owner, { ...all(), company_types: ['private'] }),
    ];
    const runs = await Promise.all(
      searches.map(({ search_id }) => start(owner, search_id, { companies: 'all' })),
    );
    const ended = await Promise.all(runs.map(({ run_id }) => untilRunEnded(owner, run_id)));
    const spent = ended.reduce((sum, run) => sum + Number(run['spent']), 0);
    expect(spent).toBe(companies * price);
    expect(await balanceOf(owner)).toEqual({ available: 2_000 - spent, held: 0 });
  });

  it('neither saves nor charges companies that have left the store', async () => {
    const few = await store.add(10);
    const owner = await newOwner(100);
    const { search_id } = await begin(owner, { keywords: [few] });
    // Deletes them behind the index's back.
    await store.pool.query(
      'DELETE FROM company WHERE company_no IN (SELECT company_no FROM company WHERE $1 = ANY(keywords) LIMIT 4)',
      [few],
    );
    const run = await start(owner, search_id, { companies: 10 });
    expect(await untilRunEnded(owner, run.run_id)).toMatchObject({
      delivered: 6,
      spent: 6 * price,
      returned: 4 * price,
      has_more: false,
    });
  });

  it('finds no company that has been removed, nor the employer of an imported person', async () => {
    const owner = await newOwner();
    const few = await store.add(2);
    await store.pool.query(
      `WITH gone AS (DELETE FROM company WHERE domain = $1 RETURNING company_no)
       INSERT INTO removed_record (company_no) SELECT company_no FROM gone`,
      [`${few}-1.example`],
    );
    await untilCompaniesFound(owner, { keywords: [few] }, 1);
    const csv = `Name,LinkedIn,Title,Company,Company Domain\nAda,https://www.linkedin.com/in/${few},CEO,Own ${few},own-${few}.example\n`;
    const sent = await owner.send('/people-imports', {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: csv,
    });
    const path = `/people-imports/${sent.body['import_id']}`;
    expect((await owner.post(`${path}/start`, {})).status).toBeLessThan(300);
    await untilImported(owner, path);
    const saved = await owner.get(`/saved-people?text=${few}`);
    expect(JSON.stringify(saved.body)).toContain(`own-${few}.example`);
    // A later change of the store is in the index, so an earlier one would be too.
    await store.add(1);
    expect((await countedCompanies(owner, { company_domains: [`own-${few}.example`] })).total).toBe(0);
    expect((await countedCompanies(owner, { company_names: [`Own ${few}`] })).total).toBe(0);
  });
});

async function untilImported(owner: Person, path: string): Promise<void> {
  await until(
    'the import',
    async () => (await owner.get(path)).body['state'],
    state => state === 'succeeded',
  );
}

describe('lists as filters of companies', () => {
  it('keep to the companies and domains on a list, or leave them out', async () => {
    const owner = await newOwner(10 * price);
    const list = String(
      (await owner.post('/saved-lists', { kind: 'companies', name: 'Known' })).body['list_id'],
    );
    await save(owner, 4, all(), { list_id: list });
    const domains = [`${keyword}-100.example`, `${keyword}-101.example`, 'elsewhere.example'];
    await owner.post(`/saved-lists/${list}/entries`, { domains });
    expect((await countedCompanies(owner, { saved_lists: [list] })).total).toBe(6);
    const without = { ...all(), excluded_saved_lists: [list] };
    expect((await countedCompanies(owner, without)).total).toBe(companies - 6);
  });

  it('keep to the companies at which the people on a list work, or leave them out', async () => {
    const owner = await newOwner(10 * price);
    const list = String((await owner.post('/saved-lists', { kind: 'people', name: 'Met' })).body['list_id']);
    const within = { ...all(), saved_lists: [list] };
    const without = { ...all(), excluded_saved_lists: [list] };
    const counts = async () => [
      (await countedCompanies(owner, within)).total,
      (await countedCompanies(owner, without)).total,
    ];
    expect(await counts()).toEqual([0, companies]);
    // Two people of the store at one company, one of the account's own at another, and one at an unknown company.
    await store.pool.query(
      `WITH met AS (
         INSERT INTO person (person_id, profile_key, profile_url, full_name, company_no, source_id)
         SELECT 'pers_' || md5($1 || i), $1 || '/' || i, 'https://profiles.example/', 'Person ' || i, company_no, source_id
         FROM company, generate_series(1, 2) AS i WHERE domain = $1 || '-5.example' RETURNING person_no
       ), own AS (
         INSERT INTO own_person (person_id, account_id, profile_key, profile_url, full_name, company_domain, import_id,
           import_name, recognition_hashes, saved_at, updated_at)
         SELECT 'pers_' || md5($1 || 'own' || i), $2, $1 || '/own/' || i, 'https://profiles.example/', 'Own ' || i,
           CASE i WHEN 1 THEN $1 || '-6.example' END, 'an import', 'A file', '{}', now(), now()
         FROM generate_series(1, 2) AS i RETURNING person_no
       )
       INSERT INTO saved_list_entry (list_id, person_no, own_person_no)
       SELECT $3, person_no, NULL::integer FROM met UNION ALL SELECT $3, NULL, person_no FROM own`,
      [keyword, owner.accountId, list],
    );
    expect(await counts()).toEqual([2, companies - 2]);
    await save(owner, 'all', within);
    const { companies: saved } = await savedOf(owner);
    expect(saved.map(({ domain }) => domain).sort()).toEqual([
      `${keyword}-5.example`,
      `${keyword}-6.example`,
    ]);
    const other = await newOwner();
    const foreign = await other.post('/company-counts', { filters: { saved_lists: [list] } });
    expect(codeOf(foreign)).toEqual([422, 'unknown_filter_value']);
  });
});

describeOperation(listSavedCompanies, {
  async success() {
    const owner = await newOwner(20 * price);
    const first = await save(owner, 5, german());
    const second = await save(owner, 3, { ...all(), countries: ['FR'] });
    const { companies: saved, total } = await savedOf(owner);
    expect([saved.length, total]).toEqual([8, 8]);
    expect(saved[0]).toMatchObject({
      location: { country: 'FR', region: 'Region', city: 'City' },
      employee_count: 60,
      annual_revenue_usd: 2_000_000,
      run_id: second.run.run_id,
    });
    const ofRun = await savedOf(owner, `?run_id=${first.run.run_id}`);
    expect([ofRun.total, new Set(ofRun.companies.map(({ run_id }) => run_id))]).toEqual([
      5,
      new Set([first.run.run_id]),
    ]);
    const byName: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const page = await savedOf(owner, `?sort=name&limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`);
      byName.push(...page.companies.map(({ name }) => name));
      cursor = page.next_cursor;
    }
    expect(byName).toEqual(saved.map(({ name }) => name).toSorted());
    expect((await savedOf(owner, `?text=${byName[2]?.replace(' ', '%20')}`)).total).toBe(1);
    for (const [source, rows] of [
      [{ kind: 'saved_companies' }, 8],
      [{ kind: 'saved_companies', run_id: first.run.run_id }, 5],
      [{ kind: 'saved_companies', search_id: second.searchId }, 3],
    ] as const) {
      const survey = await owner.post('/export-surveys', { source });
      expect([survey.status, survey.body['rows']]).toEqual([200, rows]);
      expect(JSON.stringify(survey.body)).not.toContain('match_strength');
    }
  },
  async badInput() {
    const owner = await newOwner();
    for (const query of ['?sort=job_title', '?limit=0', '?text=']) {
      expect(codeOf(await owner.get(`/saved-companies${query}`))).toEqual([400, 'invalid_request']);
    }
    expect(codeOf(await owner.get('/saved-companies?cursor=x'))).toEqual([400, 'invalid_cursor']);
    const people = (await owner.post('/saved-lists', { kind: 'people', name: 'People' })).body['list_id'];
    const ofPeople = await owner.get(`/saved-companies?list_id=${people}`);
    expect(codeOf(ofPeople)).toEqual([404, 'saved_list_not_found']);
  },
  async noCredentials() {
    expect((await stranger().get('/saved-companies')).status).toBe(401);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(price), await newOwner()];
    const { run, searchId } = await save(one, 1);
    expect((await savedOf(other, `?run_id=${run.run_id}`)).companies).toEqual([]);
    const source = { kind: 'saved_companies', search_id: searchId };
    expect(codeOf(await other.post('/export-surveys', { source }))).toEqual([404, 'export_source_not_found']);
    const list = (await one.post('/saved-lists', { kind: 'companies', name: 'Ours' })).body['list_id'];
    expect(codeOf(await other.get(`/saved-companies?list_id=${list}`))).toEqual([
      404,
      'saved_list_not_found',
    ]);
  },
});

describe('saved companies', () => {
  it('are sorted by industry, size and last update, page by page, unknown values last', async () => {
    const own = await store.add(12);
    const owner = await newOwner(12 * price);
    await save(owner, 'all', { keywords: [own] });
    const change = (sets: string, at: number) =>
      store.pool.query(`UPDATE company SET ${sets}, updated_at = now() WHERE domain = $1`, [
        `${own}-${at}.example`,
      ]);
    await change("employee_count = NULL, company_size = '1001-5000'", 3);
    await change("employee_count = 900, company_size = '501-1000'", 7);
    await change('employee_count = NULL, company_size = NULL, industry = NULL', 5);
    const inOrder = async (sort: string) => {
      const found: { at: string; industry: string | null }[] = [];
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        const from = cursor && `&cursor=${cursor}`;
        const page = await savedOf(owner, `?sort=${sort}&limit=5${from}`);
        found.push(...page.companies.map(({ name, industry }) => ({ at: name.slice(-2), industry })));
        cursor = page.next_cursor;
      }
      expect(new Set(found.map(({ at }) => at)).size).toBe(12);
      return found;
    };
    const bySize = (await inOrder('company_size')).map(({ at }) => at);
    expect([bySize.slice(0, 2), bySize.at(-1)]).toEqual([['03', '07'], '05']);
    expect((await inOrder('industry')).map(({ industry }) => industry)).toEqual([
      ...Array(4).fill('logistics'),
      ...Array(3).fill('retail'),
      ...Array(4).fill('software'),
      null,
    ]);
    expect((await inOrder('updated_at')).slice(0, 3).map(({ at }) => at)).toEqual(['05', '07', '03']);
    const [newest] = (await savedOf(owner, '?sort=updated_at')).companies;
    expect(Date.parse(newest?.updated_at ?? '')).toBeGreaterThan(Date.parse(newest?.paid_at ?? ''));
  });

  it('are added to lists and removed from them by the filters that they match', async () => {
    const [owner, other] = [await newOwner(20 * price), await newOwner()];
    const { run } = await save(owner, 6, german());
    await save(owner, 4, { ...all(), countries: ['FR'] });
    const create = async (person: Person, name: string, kind = 'companies') =>
      String((await person.post('/saved-lists', { kind, name })).body['list_id']);
    const [one, two] = [await create(owner, 'One'), await create(owner, 'Two')];
    const add = (listId: string, matching: object) =>
      owner.post(`/saved-lists/${listId}/entries`, { matching });
    const remove = (listId: string, matching: object) =>
      owner.post(`/saved-lists/${listId}/entries/removals`, { matching });
    expect((await add(one, { country: 'de' })).body).toEqual({ added: 6, more: false });
    expect((await add(one, { country: 'DE' })).body).toEqual({ added: 0, more: false });
    expect((await add(one, {})).body).toEqual({ added: 4, more: false });
    expect((await add(two, { list_id: one, run_id: run.run_id })).body).toEqual({ added: 6, more: false });
    expect((await remove(one, { country: 'FR', text: 'no such text' })).body).toEqual({
      removed: 0,
      more: false,
    });
    expect((await remove(one, { country: 'FR' })).body).toEqual({ removed: 4, more: false });
    expect((await owner.get(`/saved-lists/${one}/entries?sort=company_size`)).body).toMatchObject({
      kind: 'companies',
      total: 6,
    });
    // The companies stay saved.
    expect((await savedOf(owner)).total).toBe(10);
    // Filters of people would select all companies if they were ignored.
    const ofPeople = await remove(one, { seniority: 'director', department: 'sales' });
    expect([...codeOf(ofPeople), ofPeople.body['detail']]).toEqual([
      400,
      'invalid_request',
      'The list contains companies, which have no seniority, department.',
    ]);
    const people = await create(owner, 'People', 'people');
    for (const [list, from] of [
      [one, people],
      [people, one],
      [one, await create(other, 'Theirs')],
    ] as const) {
      expect(codeOf(await add(list, { list_id: from }))).toEqual([404, 'saved_list_not_found']);
    }
    expect(codeOf(await other.post(`/saved-lists/${one}/entries`, { matching: {} }))).toEqual([
      404,
      'saved_list_not_found',
    ]);
  });
});
