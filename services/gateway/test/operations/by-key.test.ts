import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  appOperations,
  newId,
  opensByKey,
  restOperations,
  sessionCookie,
  withKey,
} from '@mailproof/shared-types';
import type { Customer, TestHouse } from '../house.ts';
import { openPeopleHouse, type PeopleHouse } from '../people-store.ts';
import { until } from '../until.ts';

const opened = appOperations.filter(opensByKey).map(withKey);
const ownPaths = new Set(restOperations.map(({ method, path }) => `${method} ${path}`));
const closed = appOperations.filter(
  ({ method, path, access }) =>
    access.kind === 'session' &&
    typeof access.byKey === 'string' &&
    !ownPaths.has(`${method} ${path.replace('/app/', '/api/')}`),
);
const ids = {
  connection_id: 'crmConnection',
  delivery_id: 'eventDelivery',
  endpoint_id: 'webhookEndpoint',
  export_id: 'export',
  import_id: 'crmImport',
  job_id: 'validationJob',
  list_id: 'savedList',
  person_id: 'person',
  run_id: 'discoveryRun',
  search_id: 'discoverySearch',
  source_id: 'outcomeSource',
} as const;

/** The path after `/api/v1`, with the given ids, and others of no object. */
const pathOf = (path: string, given: Partial<Record<string, string>> = {}): string =>
  (/\/(properties|segments)/.test(path)
    ? `${path}?object=contact`
    : path.includes('/comparison')
      ? `${path}?earlier_job_id=${given['job_id'] ?? newId('validationJob')}`
      : path
  )
    .replace(/^\/(api|app)\/v1/, '')
    .replace(
      /:(\w+)/g,
      (_, name: string) =>
        given[path.includes('people-imports') ? 'people_import_id' : name] ??
        newId(
          path.includes('people-imports') ? 'peopleImport' : (ids[name as keyof typeof ids] ?? 'request'),
        ),
    );

const people = 30;

let opening: PeopleHouse;
let test: TestHouse;
let customer: Customer;
/** The session token of an owner of the customer's account. */
let session: string | undefined;

beforeAll(async () => {
  opening = await openPeopleHouse(people);
  ({ test } = opening);
  customer = await test.open({ credits: 40, requestsPerSecond: 1_000 });
  const owner = await test.owner({ accountId: customer.accountId });
  session = (await owner.signIn()).sessionToken;
});

afterAll(() => opening?.stop());

describe('a program with a key', () => {
  it('validates a list from the upload to the file', async () => {
    const list = 'name,email\nAda,ada@ordinary.example\nNobody,nobody@ordinary.example\nTypo,grace.example\n';
    const job = await customer.send('/validation-jobs?name=list.csv', {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: list,
    });
    expect(job).toMatchObject({
      status: 201,
      body: { state: 'ready', cost_max: 2, created_by: customer.apiKeyId },
    });
    const path = `/validation-jobs/${job.body['job_id']}`;
    const started = await customer.send(`${path}/start`, {
      method: 'POST',
      headers: { 'idempotency-key': newId('request') },
    });
    expect(started.status).toBe(202);
    await ended(path);
    expect((await customer.send(`${path}/summary`, {})).status).toBe(200);
    const page = await customer.send(`${path}/rows?limit=2`, {});
    expect(page.body['rows']).toMatchObject([
      { verdict: { result: 'ok' } },
      { verdict: { result: 'invalid' } },
    ]);
    const source = { kind: 'validation_job', job_id: job.body['job_id'] };
    const made = await customer.post('/exports', JSON.stringify({ target: 'csv', source }));
    expect(made.status).toBe(202);
    const file = `/exports/${made.body['export_id']}`;
    await ended(file);
    const response = await fetch(`${test.house.gatewayUrls[0]}/api/v1${file}/file`, {
      headers: { 'x-api-key': customer.apiKey },
    });
    expect(await response.text()).toMatch(/^name,email,result_status.*\r\nAda,ada@ordinary.example,ok/);
    // One charge for each address, in the ledger that the account's owner sees too.
    expect((await customer.send('/balance', {})).body).toMatchObject({ available: 38, held: 0 });
    const statement = await customer.send('/statement?limit=1', {});
    expect(statement.body['entries']).toHaveLength(1);
    const next = encodeURIComponent(String(statement.body['next_cursor']));
    expect((await customer.send(`/statement?limit=1&cursor=${next}`, {})).status).toBe(200);
  }, 120_000);

  it('shares its account with the people who sign in, and its rate with the other operations', async () => {
    const owner = await (await test.owner({ accountId: customer.accountId })).signIn();
    const list = await customer.post(
      '/saved-lists',
      JSON.stringify({ kind: 'people', name: 'From a program' }),
    );
    expect(list).toMatchObject({ status: 201, body: { created_by: customer.apiKeyId } });
    const seen = await owner.get(`/saved-lists/${list.body['list_id']}`);
    expect(seen).toMatchObject({ status: 200, body: { name: 'From a program' } });
    for (const path of ['/me', '/saved-lists']) {
      expect((await customer.send(path, {})).headers.get('x-ratelimit-limit')).not.toBeNull();
    }
  });
});

describe('a program with the key of another account', () => {
  /** Objects of the first account, by the parameter that names them. A CRM's objects need a person. */
  const theirs: Partial<Record<keyof typeof ids | 'people_import_id', string>> = {};
  const post = async (path: string, body: object) => (await customer.post(path, JSON.stringify(body))).body;
  let stranger: Customer;

  beforeAll(async () => {
    stranger = await test.open({ credits: 5, requestsPerSecond: 1_000 });
    await opening.store.untilFound(opening.domain, people);
    const job = await customer.send('/validation-jobs?name=theirs', {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: 'email\nada@ordinary.example\n',
    });
    const filters = { company_domains: [opening.domain] };
    const search = await post('/people-searches', { name: 'Theirs', filters });
    const run = await post(`/people-searches/${search['search_id']}/runs`, { people: 1 });
    await ended(`/discovery-runs/${run['run_id']}`);
    const saved = (await customer.send('/saved-people?limit=1', {})).body['people'];
    const list = await post('/saved-lists', { kind: 'people', name: 'Theirs' });
    const exported = await post('/exports', { target: 'csv', source: { kind: 'saved_people' } });
    const upload = await customer.send('/people-imports', {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: 'Name,LinkedIn\nAda,https://www.linkedin.com/in/ada\n',
    });
    const endpoint = await post('/webhook-endpoints', {
      url: 'https://receiver.example/events',
      event_types: ['credits.low'],
    });
    const source = await post('/outcome-sources', { provider: 'postmark' });
    const sent = await post(`/webhook-endpoints/${endpoint['endpoint_id']}/test`, {});
    Object.assign(theirs, {
      endpoint_id: endpoint['endpoint_id'],
      delivery_id: sent['delivery_id'],
      job_id: job.body['job_id'],
      search_id: search['search_id'],
      run_id: run['run_id'],
      person_id: (saved as { person_id: string }[])[0]?.person_id,
      list_id: list['list_id'],
      export_id: exported['export_id'],
      source_id: source['source_id'],
      people_import_id: upload.body['import_id'],
    });
    expect(Object.values(theirs).filter(id => id === undefined)).toEqual([]);
  }, 120_000);

  const ofObjects = opened.filter(({ path }) => path.includes(':'));
  const entries = { ids: [newId('person')] };
  /** A valid body for each operation on an object that takes one. */
  const bodies: Record<string, object> = {
    'add-list-entries': entries,
    'change-company-search': { filters: { countries: ['DE'] } },
    'change-lookalike-search': { seed_domains: ['ordinary.example'] },
    'change-outcome-source': { description: 'Mine' },
    'change-people-search': { filters: { countries: ['DE'] } },
    'change-saved-list': { name: 'Mine' },
    'change-validation-job': { address_column: 0, has_header: true },
    'change-webhook-endpoint': { enabled: false },
    'create-write-back-properties': { object: 'contact', columns: ['result_status'] },
    'preview-people-import': {},
    'put-export-destination': { destination: { url: 'https://receiver.example/hook' } },
    'remove-list-entries': entries,
    'resend-failed-rows': {},
    'rename-company-search': { name: 'Mine' },
    'rename-lookalike-search': { name: 'Mine' },
    'rename-people-search': { name: 'Mine' },
    'start-company-run': { companies: 1 },
    'start-discovery-run': { people: 1 },
    'start-lookalike-run': { companies: 1 },
    'start-people-import': {},
  };

  it.each(ofObjects)('finds no object: $method $path', async ({ id, method, path, bodyBytesMax }) => {
    const body = bodies[id];
    expect(bodyBytesMax > 0).toBe(body !== undefined);
    const answer = await stranger.send(pathOf(path, theirs), {
      method: method.toUpperCase(),
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    expect([answer.status, answer.body['code']]).toEqual([404, expect.stringMatching(/_not_found$/)]);
    expect(answer.body['code']).not.toBe('route_not_found');
  });

  it('exports and imports nothing of it', async () => {
    const source = { kind: 'validation_job', job_id: theirs.job_id };
    const answer = await stranger.post('/exports', JSON.stringify({ target: 'csv', source }));
    expect([answer.status, answer.body['export_id']]).toEqual([404, undefined]);
  });

  it('finds all of it untouched', async () => {
    for (const path of [
      '/validation-jobs/:job_id',
      '/people-searches/:search_id',
      '/saved-lists/:list_id',
      '/people-imports/:import_id',
    ]) {
      const answer = await customer.send(pathOf(path, theirs), {});
      expect(answer).toMatchObject({ status: 200, body: { created_by: customer.apiKeyId } });
      expect(JSON.stringify(answer.body)).not.toContain('Mine');
    }
  });
});

describe('an operation that a key opens', () => {
  it.each(opened)('needs it, and no session replaces it: $method $path', async ({ method, path }) => {
    for (const [headers, code] of [
      [{ 'x-api-key': '', cookie: `${sessionCookie}=${session}` }, 'missing_api_key'],
      [{ 'x-api-key': `mp_live_${'0'.repeat(36)}` }, 'invalid_api_key'],
    ] as const) {
      const answer = await customer.send(pathOf(path), { method: method.toUpperCase(), headers });
      expect(answer).toMatchObject({ status: 401, body: { code } });
    }
  });
});

it.each(closed)('an operation for people alone has no route for programs: $method $path', async operation => {
  const answer = await customer.send(pathOf(operation.path), { method: operation.method.toUpperCase() });
  // 405 where programs have another method of the same path.
  expect(['route_not_found', 'method_not_allowed']).toContain(answer.body['code']);
});

async function ended(path: string): Promise<void> {
  const state = await until(
    `the end of ${path}`,
    async () => (await customer.send(path, {})).body,
    body => ['succeeded', 'failed'].includes(String(body['state'] ?? body['status'])),
  );
  expect(state['state'] ?? state['status']).toBe('succeeded');
}
