import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  accountReceipt,
  companyPaidFields,
  type DiscoveryRun,
  discoveryRun,
  limits,
  listLookalikeCompanies,
  lookalikeSearchView,
  newId,
  prices,
  startLookalikeRun,
} from '@mailproof/shared-types';
import pg from 'pg';
import type { Person, TestHouse } from '../house.ts';
import { beginSearch, codeOf, type LookalikeHouse, openLookalikeHouse } from '../lookalike-house.ts';
import { describeOperation } from '../operation-suite.ts';
import { until } from '../until.ts';

const credits = 2_000;

let opened: LookalikeHouse;
let test: TestHouse;
let store: pg.Pool;

beforeAll(async () => {
  opened = await openLookalikeHouse(60, { killable: ['enrichment'] });
  ({ test, store } = opened);
});

afterAll(() => opened?.stop());

async function newOwner(granted = credits): Promise<Person> {
  const { accountId } =
    granted > 0
      ? await test.open({ credits: granted })
      : await test.accounts.create({ name: 'Test', plan: 'custom', credits: 0 });
  return (await test.owner({ accountId })).signIn();
}

const runPath = (searchId: string) => `/lookalike-searches/${searchId}/runs`;

async function start(owner: Person, searchId: string, body: object): Promise<DiscoveryRun> {
  const answer = await owner.post(runPath(searchId), body);
  expect([answer.status, answer.body['code']]).toEqual([202, undefined]);
  return discoveryRun.parse(answer.body);
}

async function ended(owner: Person, { run_id }: DiscoveryRun): Promise<DiscoveryRun> {
  const { body } = await until(
    'the end of the run',
    () => owner.get(`/discovery-runs/${run_id}`),
    ({ status, body }) =>
      status === 200 && ['succeeded', 'failed', 'cancelled'].includes(String(body['state'])),
    60_000,
  );
  return discoveryRun.parse(body);
}

const fetched = async (owner: Person, searchId: string, body: object) =>
  ended(owner, await start(owner, searchId, body));

async function companiesOf(owner: Person, searchId: string) {
  const companies: ReturnType<typeof listLookalikeCompanies.success.schema.parse>['companies'] = [];
  for (let cursor = ''; ; ) {
    const { body } = await owner.get(`/lookalike-searches/${searchId}/companies?limit=7${cursor}`);
    const page = listLookalikeCompanies.success.schema.parse(body);
    companies.push(...page.companies);
    if (page.next_cursor === undefined) {
      return companies;
    }
    cursor = `&cursor=${page.next_cursor}`;
  }
}

const domainsOf = async (owner: Person, searchId: string) =>
  (await companiesOf(owner, searchId)).map(({ company }) => company.domain);

const coverageOf = async (owner: Person, searchId: string) =>
  lookalikeSearchView.parse((await owner.get(`/lookalike-searches/${searchId}`)).body).coverage;

const balanceOf = async (owner: Person) => {
  const { available, held } = (await owner.get('/balance')).body;
  return { available, held };
};

describeOperation(startLookalikeRun, {
  async success() {
    const owner = await newOwner();
    const { search_id, preview, expected } = await beginSearch(owner);
    const matches = expected?.matches ?? 0;
    const run = await fetched(owner, search_id, { companies: 9 });
    expect(run).toMatchObject({
      kind: 'lookalikes',
      state: 'succeeded',
      requested: 9,
      delivered: 9,
      reserved: 9 * prices.lookalikeCompany,
      spent: 9 * prices.lookalikeCompany,
      returned: 0,
      has_more: true,
    });
    const companies = await companiesOf(owner, search_id);
    expect(companies.map(({ company }) => company.domain)).toEqual(
      preview.slice(0, 9).map(({ company }) => company.domain),
    );
    for (const company of companies) {
      expect(company.paid).toBe(true);
      expect(Object.keys(company)).toEqual(expect.arrayContaining([...companyPaidFields]));
    }
    expect(companies[0]).toMatchObject({
      match_strength: preview[0]?.match_strength,
      employee_count: { exact: 7_654_321, band: '10001+' },
      location: { region: 'Secret Region' },
      links: { profile: expect.stringContaining('/secret/') },
    });
    expect(await balanceOf(owner)).toEqual({ available: credits - 45, held: 0 });
    const receipt = await owner.get(`/receipts/${run.receipt_id}`);
    expect(accountReceipt.parse(receipt.body)).toMatchObject({
      operation: 'start-lookalike-run',
      reserved: 45,
      spent: 45,
      returned: 0,
    });
    expect(await coverageOf(owner, search_id)).toMatchObject({ label: 'More available' });

    const rest = await fetched(owner, search_id, { companies: 'all' });
    expect(rest).toMatchObject({ state: 'succeeded', delivered: matches - 9, has_more: false });
    expect(await coverageOf(owner, search_id)).toMatchObject({ label: 'Complete' });
    expect(new Set(await domainsOf(owner, search_id)).size).toBe(matches);
    expect(await balanceOf(owner)).toEqual({
      available: credits - matches * prices.lookalikeCompany,
      held: 0,
    });
    expect(codeOf(await owner.post(runPath(search_id), { companies: 1 }))).toEqual([
      409,
      'nothing_to_deliver',
    ]);
  },
  async badInput() {
    const owner = await newOwner(10);
    const { search_id } = await beginSearch(owner);
    for (const companies of [0, -1, 1.5, limits.companiesPerRunMax + 1, 'some', undefined]) {
      expect(codeOf(await owner.post(runPath(search_id), { companies }))).toEqual([400, 'invalid_request']);
    }
    expect(
      codeOf(await owner.post(runPath(search_id), { companies: 1, list_id: newId('savedList') })),
    ).toEqual([404, 'saved_list_not_found']);
    const dear = await owner.post(runPath(search_id), { companies: 3 });
    expect([codeOf(dear), dear.body['required'], dear.body['available']]).toEqual([
      [402, 'credits_exhausted'],
      15,
      10,
    ]);
    expect(codeOf(await owner.post(runPath(newId('discoverySearch')), { companies: 1 }))).toEqual([
      404,
      'search_not_found',
    ]);
    expect(await balanceOf(owner)).toEqual({ available: 10, held: 0 });
    expect(await coverageOf(owner, search_id)).toMatchObject({ label: 'Free Preview' });
    const none = await beginSearch(owner, { filters: { countries: ['AQ'] } });
    expect(codeOf(await owner.post(runPath(none.search_id), { companies: 1 }))).toEqual([
      409,
      'nothing_to_deliver',
    ]);
  },
  async noCredentials() {
    const answer = await test.stranger().post(runPath(newId('discoverySearch')), { companies: 1 });
    expect(codeOf(answer)).toEqual([401, 'not_signed_in']);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    const { search_id } = await beginSearch(one);
    expect(codeOf(await other.post(runPath(search_id), { companies: 1 }))).toEqual([404, 'search_not_found']);
    const run = await fetched(one, search_id, { companies: 2 });
    expect(codeOf(await other.get(`/discovery-runs/${run.run_id}`))).toEqual([404, 'run_not_found']);
    expect(await balanceOf(other)).toEqual({ available: credits, held: 0 });
  },
});

describe('a paid run of a lookalike search', () => {
  it('locks seeds and filters, but not the name', async () => {
    const owner = await newOwner();
    const { search_id } = await beginSearch(owner);
    await fetched(owner, search_id, { companies: 1 });
    const change = { seed_domains: ['banking1.example'] };
    const answer = await owner.put(`/lookalike-searches/${search_id}/question`, change);
    expect(codeOf(answer)).toEqual([409, 'search_locked']);
    const renamed = await owner.put(`/lookalike-searches/${search_id}/name`, { name: 'Others' });
    expect(renamed.body).toMatchObject({ name: 'Others', locked: true, delivered: 1 });
  });

  it('charges once under one key, however often it is sent', async () => {
    const owner = await newOwner();
    const { search_id } = await beginSearch(owner);
    const send = (companies: number) =>
      owner.post(runPath(search_id), { companies }, { 'idempotency-key': 'one and the same' });
    for (const key of ['', 'k'.repeat(256), 'schl\u00fcssel']) {
      const refused = await owner.post(runPath(search_id), { companies: 1 }, { 'idempotency-key': key });
      expect(codeOf(refused)).toEqual([400, 'invalid_request']);
    }
    const first = discoveryRun.parse((await send(4)).body);
    await ended(owner, first);
    expect((await send(4)).body['run_id']).toBe(first.run_id);
    expect(codeOf(await send(5))).toEqual([422, 'idempotency_key_reused']);
    expect(await balanceOf(owner)).toEqual({ available: credits - 20, held: 0 });
  });

  it('brings companies free that the account has paid for in another search', async () => {
    const owner = await newOwner();
    const one = await beginSearch(owner);
    await fetched(owner, one.search_id, { companies: 6 });
    const other = await beginSearch(owner);
    expect(other.preview.map(({ paid }) => paid).slice(0, 7)).toEqual([...Array(6).fill(true), false]);
    expect(other.expected?.offers.at(-1)).toMatchObject({ kind: 'all', already_paid: 6 });
    const run = await fetched(owner, other.search_id, { companies: 2 });
    expect(run).toMatchObject({ delivered: 2, spent: 10, returned: 0 });
    expect(await companiesOf(owner, other.search_id)).toHaveLength(8);
    expect(await balanceOf(owner)).toEqual({ available: credits - 40, held: 0 });
    // Companies stay paid for after their search is deleted.
    await owner.delete(`/lookalike-searches/${one.search_id}`);
    const third = await beginSearch(owner);
    expect(third.expected?.offers.at(-1)).toMatchObject({ already_paid: 8 });
  });

  it('adds delivered companies to a list', async () => {
    const owner = await newOwner();
    const list = await owner.post('/saved-lists', { kind: 'companies', name: 'Leads' });
    expect(list.status).toBe(201);
    const { search_id } = await beginSearch(owner);
    await fetched(owner, search_id, { companies: 3, list_id: list.body['list_id'] });
    const { body } = await owner.get(`/saved-lists/${list.body['list_id']}/entries`);
    const entries = (body['companies'] ?? body['entries']) as unknown[];
    expect(entries).toHaveLength(3);
  });

  it('shows Fetching while it runs, prevents deletion of the search, and returns the held credits when it is canceled', async () => {
    const owner = await newOwner();
    const { search_id } = await beginSearch(owner);
    await whileNothingCanBeDelivered(async release => {
      const run = await start(owner, search_id, { companies: 10 });
      expect(await coverageOf(owner, search_id)).toMatchObject({ status: 'fetching', label: 'Fetching' });
      expect((await owner.get(`/lookalike-searches/${search_id}`)).body['active_run_id']).toBe(run.run_id);
      expect(await balanceOf(owner)).toEqual({ available: credits - 50, held: 50 });
      expect(codeOf(await owner.post(runPath(search_id), { companies: 1 }))).toEqual([409, 'run_active']);
      expect(codeOf(await owner.delete(`/lookalike-searches/${search_id}`))).toEqual([409, 'run_active']);
      const cancelling = owner.send(`/discovery-runs/${run.run_id}/cancellation`, { method: 'POST' });
      await release();
      await cancelling;
      const { delivered, spent, returned } = await ended(owner, run);
      expect([spent, returned]).toEqual([delivered * 5, 50 - delivered * 5]);
      expect(await domainsOf(owner, search_id)).toHaveLength(
        delivered === 0 ? limits.lookalikePreviewMax : delivered,
      );
      expect(await balanceOf(owner)).toEqual({ available: credits - delivered * 5, held: 0 });
    });
  });

  it('survives a kill of the service in its middle, and charges exactly what was delivered', async () => {
    const owner = await newOwner();
    const { search_id, preview } = await beginSearch(owner);
    const service = test.house.services['enrichment'];
    const run = await whileNothingCanBeDelivered(async release => {
      const started = await start(owner, search_id, { companies: 20 });
      await untilWaiting();
      await service?.kill('SIGKILL');
      await release();
      return started;
    });
    expect(await deliveredRows(search_id)).toBe(0);
    await service?.restart();
    const end = await ended(owner, run);
    expect(end).toMatchObject({ state: 'succeeded', delivered: 20, spent: 100, returned: 0 });
    expect(await domainsOf(owner, search_id)).toEqual(
      preview.slice(0, 20).map(({ company }) => company.domain),
    );
    expect(await balanceOf(owner)).toEqual({ available: credits - 100, held: 0 });
  });

  it('leaves status, results and credits as they were when an attempt fails, with a note', async () => {
    const owner = await newOwner();
    const { search_id } = await beginSearch(owner);
    await fetched(owner, search_id, { companies: 3 });
    const before = [await coverageOf(owner, search_id), await domainsOf(owner, search_id)];
    // Nothing can be stored anymore: every delivery attempt fails until the run gives up.
    const admin = new pg.Pool({
      connectionString: test.house.databaseUrls['enrichment']?.migrationDatabaseUrl ?? '',
      options: '-c search_path=enrichment',
      max: 1,
    });
    try {
      await admin.query(`
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
        CREATE TRIGGER refused BEFORE INSERT ON lookalike_result FOR EACH ROW EXECUTE FUNCTION refuse();`);
      const run = await start(owner, search_id, { companies: 4 });
      const failed = await ended(owner, run);
      expect(failed).toMatchObject({
        state: 'failed',
        delivered: 0,
        spent: 0,
        returned: 20,
        failure: { code: 'could_not_continue' },
      });
    } finally {
      await admin.query(
        'DROP TRIGGER IF EXISTS refused ON lookalike_result; DROP FUNCTION IF EXISTS refuse();',
      );
      await admin.end();
    }
    const [coverage, domains] = before;
    expect(await coverageOf(owner, search_id)).toEqual({
      ...(coverage as object),
      last_attempt_failed: true,
      last_attempt_failed_at: expect.stringMatching(/^\d{4}-/),
    });
    expect(await domainsOf(owner, search_id)).toEqual(domains);
    expect(await balanceOf(owner)).toEqual({ available: credits - 15, held: 0 });
    await fetched(owner, search_id, { companies: 1 });
    expect(await coverageOf(owner, search_id)).toMatchObject({ last_attempt_failed: false });
  });
});

const deliveredRows = async (searchId: string) =>
  (await store.query('SELECT FROM lookalike_result WHERE search_id = $1', [searchId])).rowCount;

/** Blocks every delivery in the middle of its transaction until it is released. */
async function whileNothingCanBeDelivered<Result>(
  work: (release: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const client = await store.connect();
  let isHeld = true;
  const release = async () => {
    if (isHeld) {
      isHeld = false;
      await client.query('ROLLBACK');
    }
  };
  await client.query('BEGIN');
  await client.query('LOCK TABLE lookalike_result IN SHARE ROW EXCLUSIVE MODE');
  try {
    return await work(release);
  } finally {
    await release();
    client.release();
  }
}

/** Waits until a delivery is blocked in the middle of its transaction. */
const untilWaiting = () =>
  until(
    'a delivery that waits',
    async () =>
      (
        await store.query(
          `SELECT FROM pg_locks WHERE NOT granted AND relation = 'lookalike_result'::regclass`,
        )
      ).rowCount,
    waiting => (waiting ?? 0) > 0,
  );
