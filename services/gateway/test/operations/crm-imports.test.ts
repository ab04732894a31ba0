import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  cancelCrmImport,
  createCrmImport,
  crmImport,
  deleteCrmImport,
  followCrmImport,
  getCrmImport,
  limits,
  listCrmImports,
  newId,
} from '@mailproof/shared-types';
import { type CrmHouse, openCrmHouse } from '../crm-house.ts';
import { getText } from '../exported-records.ts';
import type { Answer, Person } from '../house.ts';
import { beginImport, cellsOf, seedContacts, untilImport, untilImportEnded } from '../imported-records.ts';
import { describeOperation } from '../operation-suite.ts';
import { ownerWith } from '../people-store.ts';

let crms: CrmHouse;

beforeAll(async () => {
  crms = await openCrmHouse();
}, 120_000);

afterAll(async () => {
  await crms?.stop();
});

const stranger = () => crms.test.stranger();
const codeOf = ({ status, body }: Answer) => [status, body['code']];
const basics = { object: 'contact', properties: ['email', 'firstname'], address_property: 'email' } as const;

/** An owner who has connected HubSpot, and the request body to import some of its contacts. */
async function connected(
  records = 3,
): Promise<{ owner: Person; body: Record<string, unknown>; ids: readonly string[] }> {
  const owner = await ownerWith(crms.test, 100);
  const { connection_id } = await crms.connect(owner, 'hubspot');
  const { segmentId, ids } = seedContacts(crms.hubspot, records);
  return { owner, ids, body: { ...basics, connection_id, selection: { segment_id: segmentId } } };
}

async function listOf(owner: Person, kind: 'people' | 'companies', name = 'Customers'): Promise<string> {
  const { status, body } = await owner.post('/saved-lists', { kind, name });
  expect(status).toBe(201);
  return String(body['list_id']);
}

async function ended(): Promise<{ owner: Person; importId: string }> {
  const { owner, body } = await connected();
  const importId = await beginImport(owner, body);
  expect(await untilImportEnded(owner, importId)).toMatchObject({ state: 'succeeded' });
  return { owner, importId };
}

/** An import that is waiting for its job to start. */
async function waiting(): Promise<{ owner: Person; importId: string }> {
  const { owner, body } = await connected();
  const importId = await beginImport(owner, { ...body, start_when_ready: true, credits_max: 0 });
  await untilImport('the price is too high', owner, importId, ({ pause }) => pause !== null);
  return { owner, importId };
}

/** Checks that operations with an import in their path refuse malformed and unknown ids. */
async function refusesIds(send: (person: Person, importId: string) => Promise<Answer>): Promise<void> {
  const owner = await ownerWith(crms.test, 0);
  expect(codeOf(await send(owner, 'crmimp_1'))).toEqual([400, 'invalid_request']);
  expect(codeOf(await send(owner, newId('crmImport')))).toEqual([404, 'crm_import_not_found']);
}

/** Checks that operations refuse ids of another account. */
async function refusesOthers(send: (person: Person, importId: string) => Promise<Answer>): Promise<void> {
  const { owner, importId } = await ended();
  const other = await ownerWith(crms.test, 0);
  expect(codeOf(await send(other, importId))).toEqual([404, 'crm_import_not_found']);
  expect((await owner.get(`/crm-imports/${importId}`)).status).toBe(200);
}

const refusesStrangers = async (send: (person: Person, importId: string) => Promise<Answer>) =>
  expect(codeOf(await send(stranger(), newId('crmImport')))).toEqual([401, 'not_signed_in']);

describeOperation(createCrmImport, {
  async success() {
    const { owner, body, ids } = await connected(230);
    const headers = { 'idempotency-key': 'import of the day' };
    const started = await owner.post('/crm-imports', { ...body, name: 'Family' }, headers);
    expect(started.status).toBe(202);
    const told = crmImport.strict().parse(started.body);
    expect(told).toMatchObject({ ...body, name: 'Family', job_id: null, records: { total: 230 } });
    const repeated = await owner.post('/crm-imports', { ...body, name: 'Family' }, headers);
    expect([repeated.status, repeated.body['import_id']]).toEqual([202, told.import_id]);
    expect(codeOf(await owner.post('/crm-imports', body, headers))).toEqual([422, 'idempotency_key_reused']);
    const record = crmImport.parse(await untilImportEnded(owner, told.import_id));
    expect(record).toMatchObject({ state: 'succeeded', progress: 1, addresses: 230, cost_max: 230 });
    expect(record.records).toEqual({ total: 230, read: 230, shortened: 0, without_domain: 0 });
    const job = (await owner.get(`/validation-jobs/${record.job_id}`)).body;
    expect(job).toMatchObject({
      name: 'Family',
      origin: 'crm',
      state: 'ready',
      address_column: 1,
      file: null,
    });
    expect(await cellsOf(owner, String(record.job_id))).toEqual(
      ids.map((id, index) => [id, expect.stringContaining(`p${index}@`), `P ${index}`]),
    );
  },
  async badInput() {
    const { owner, body } = await connected();
    const list_id = newId('savedList');
    const intoList = { ...body, properties: ['email'], list_id };
    for (const wrong of [
      {},
      { ...body, properties: [] },
      { ...body, properties: ['email', 'email'] },
      { ...body, properties: ['firstname'] },
      {
        ...body,
        properties: Array.from({ length: limits.jobColumnsMax }, (_, at) => `p${at}`).with(0, 'email'),
      },
      { ...body, object: 'deal' },
      { ...body, selection: { filters: [{ property: 'city', operator: 'like', values: ['x'] }] } },
      { ...body, selection: { filters: [{ property: 'city', operator: 'is' }] } },
      { ...body, selection: { filters: [{ property: 'city', operator: 'is_known', values: ['x'] }] } },
      { ...body, start_when_ready: true },
      { ...intoList, list_id: 'list_1' },
      { ...intoList, properties: ['email', 'firstname'] },
      { ...intoList, start_when_ready: true, credits_max: 1 },
      { ...intoList, write_back: { fields: [{ column: 'valid', property: 'city', policy: 'overwrite' }] } },
      { ...intoList, list_id: await listOf(owner, 'people') },
      { ...body, write_back: { fields: [] } },
      { ...body, write_back: { fields: [{ column: 'firstname', property: 'city', policy: 'overwrite' }] } },
    ]) {
      expect(codeOf(await owner.post('/crm-imports', wrong))).toEqual([400, 'invalid_request']);
    }
    const field = (property: string) => ({ column: 'valid', property, policy: 'overwrite' });
    const unfit = await owner.post('/crm-imports', {
      ...body,
      properties: ['email', 'shoe_size'],
      selection: { filters: [{ property: 'hat_size', operator: 'is_known' }] },
      write_back: { fields: [field('createdate'), field('coat_size')] },
    });
    expect(codeOf(unfit)).toEqual([422, 'crm_selection_not_valid']);
    expect((unfit.body['errors'] as { pointer: string }[]).map(({ pointer }) => pointer)).toEqual([
      '/properties/1',
      '/selection/filters/0/property',
      '/write_back/fields/0/property',
      '/write_back/fields/1/property',
    ]);
    const nobody = { filters: [{ property: 'city', operator: 'is', values: ['Nowhere'] }] };
    for (const [code, more] of [
      [[422, 'crm_selection_not_valid'], { object: 'lead' }],
      [[422, 'crm_selection_not_valid'], { selection: { segment_id: '999999' } }],
      [[409, 'nothing_to_import'], { selection: nobody }],
      [[404, 'crm_connection_not_found'], { connection_id: newId('crmConnection') }],
      [[404, 'saved_list_not_found'], intoList],
    ] as const) {
      expect(codeOf(await owner.post('/crm-imports', { ...body, ...more }))).toEqual(code);
    }
    const large = seedContacts(crms.hubspot, limits.crmValidationRecordsMax + 1);
    const selection = { segment_id: large.segmentId };
    const write_back = { fields: [field('city')] };
    const refused = await owner.post('/crm-imports', { ...body, selection, write_back });
    expect(codeOf(refused)).toEqual([413, 'crm_import_too_large']);
    crms.hubspot.switches.throttleNext('DAILY', { path: /properties/ });
    expect(codeOf(await owner.post('/crm-imports', body))).toEqual([503, 'crm_busy']);
    expect((await owner.get('/crm-imports')).body['imports']).toEqual([]);
  },
  async noCredentials() {
    expect(codeOf(await stranger().post('/crm-imports', {}))).toEqual([401, 'not_signed_in']);
  },
  async anotherTenant() {
    const { body } = await connected();
    const other = await ownerWith(crms.test, 0);
    expect(codeOf(await other.post('/crm-imports', body))).toEqual([404, 'crm_connection_not_found']);
    const { connection_id } = await crms.connect(other, 'hubspot');
    const list_id = await listOf(await ownerWith(crms.test, 0), 'companies');
    const intoList = { ...body, connection_id, properties: ['email'], list_id };
    expect(codeOf(await other.post('/crm-imports', intoList))).toEqual([404, 'saved_list_not_found']);
  },
});

describe('an import into a list', () => {
  it('adds the companies of Salesforce, free of charge, and says so in its event', async () => {
    const owner = await ownerWith(crms.test, 100);
    const { connection_id } = await crms.connect(owner, 'salesforce');
    const list_id = await listOf(owner, 'companies');
    const domains = { domains: ['here1.example'] };
    expect((await owner.post(`/saved-lists/${list_id}/entries`, domains)).status).toBe(200);
    crms.salesforce.seed(
      'Account',
      Array.from({ length: 450 }, (_, index) => ({
        Name: `A ${index}`,
        BillingCity: 'Listed',
        Website: index === 3 ? null : `https://www.shop.here${index % 5}.example/en`,
      })),
    );
    const body = {
      connection_id,
      object: 'company',
      selection: { filters: [{ property: 'BillingCity', operator: 'is', values: ['Listed'] }] },
      properties: ['Website'],
      address_property: 'Website',
      list_id,
    };
    const headers = { 'idempotency-key': 'customers' };
    const started = await owner.post('/crm-imports', body, headers);
    expect([started.status, started.body]).toMatchObject([202, { list_id, domains: null, job_id: null }]);
    const importId = String(started.body['import_id']);
    const record = crmImport.strict().parse(await untilImportEnded(owner, importId));
    expect(record).toMatchObject({
      state: 'succeeded',
      name: 'Companies from a CRM',
      records: { total: 450, read: 450, shortened: 0, without_domain: 1 },
      domains: { added: 4, present: 1 },
      list_id,
      job_id: null,
      progress: 1,
    });
    expect((await owner.post('/crm-imports', body, headers)).body).toMatchObject({ import_id: importId });
    const { body: list } = await owner.get(`/saved-lists/${list_id}`);
    expect(list).toMatchObject({ domains: 5, entries: 0 });
    expect((await owner.get('/validation-jobs')).body['jobs']).toEqual([]);
    expect((await owner.get('/balance')).body).toMatchObject({ available: 100 });
  });

  it('adds nothing to a list without room for all', async () => {
    const { owner, body } = await connected();
    const list_id = await listOf(owner, 'companies');
    const all = Array.from({ length: limits.listDomainsMax }, (_, at) => `c${at}.example`);
    for (let from = 0; from < all.length; from += limits.listDomainsPerRequestMax) {
      const domains = all.slice(from, from + limits.listDomainsPerRequestMax);
      expect((await owner.post(`/saved-lists/${list_id}/entries`, { domains })).status).toBe(200);
    }
    const importId = await beginImport(owner, { ...body, properties: ['email'], list_id });
    expect(await untilImportEnded(owner, importId)).toMatchObject({
      state: 'failed',
      failure: { reason: 'list_full' },
      domains: null,
    });
    expect((await owner.get(`/saved-lists/${list_id}`)).body['domains']).toBe(limits.listDomainsMax);
  });
});

describeOperation(listCrmImports, {
  async success() {
    const { owner, body } = await connected();
    const [first, second] = [await beginImport(owner, body), await beginImport(owner, body)];
    await untilImportEnded(owner, first);
    await untilImportEnded(owner, second);
    const page = await owner.get('/crm-imports?limit=1');
    expect(page.body['imports']).toMatchObject([{ import_id: second, state: 'succeeded' }]);
    const rest = await owner.get(`/crm-imports?limit=1&cursor=${page.body['next_cursor']}`);
    expect(rest.body).toMatchObject({ imports: [{ import_id: first }] });
    expect(rest.body['next_cursor']).toBeUndefined();
    expect((await owner.get('/crm-imports?state=failed')).body['imports']).toEqual([]);
    const ofConnection = `/crm-imports?connection_id=${body['connection_id']}`;
    expect((await owner.get(ofConnection)).body['imports']).toHaveLength(2);
  },
  async badInput() {
    const owner = await ownerWith(crms.test, 0);
    expect(codeOf(await owner.get('/crm-imports?cursor=x'))).toEqual([400, 'invalid_cursor']);
    expect(codeOf(await owner.get('/crm-imports?state=lost'))).toEqual([400, 'invalid_request']);
  },
  async noCredentials() {
    expect(codeOf(await stranger().get('/crm-imports'))).toEqual([401, 'not_signed_in']);
  },
  async anotherTenant() {
    await ended();
    const other = await ownerWith(crms.test, 0);
    expect((await other.get('/crm-imports')).body).toEqual({ imports: [] });
  },
});

describeOperation(getCrmImport, {
  async success() {
    const { owner, importId } = await waiting();
    const { status, body } = await owner.get(`/crm-imports/${importId}`);
    expect([status, crmImport.strict().parse(body)]).toMatchObject([
      200,
      {
        state: 'ready',
        pause: { reason: 'price_above_limit', resumes_at: null },
        failure: null,
        credits_max: 0,
        cost_max: 3,
        write_back: null,
        export_id: null,
      },
    ]);
    // Once the customer starts the job, the import has served its purpose.
    const started = await owner.post(`/validation-jobs/${body['job_id']}/start`, undefined);
    expect(started.status).toBe(202);
    expect(await untilImportEnded(owner, importId)).toMatchObject({ state: 'succeeded', pause: null });
  },
  badInput: () => refusesIds((person, importId) => person.get(`/crm-imports/${importId}`)),
  noCredentials: () => refusesStrangers((person, importId) => person.get(`/crm-imports/${importId}`)),
  anotherTenant: () => refusesOthers((person, importId) => person.get(`/crm-imports/${importId}`)),
});

describeOperation(followCrmImport, {
  async success() {
    const { owner, body } = await connected();
    const importId = await beginImport(owner, body);
    const path = `/crm-imports/${importId}/events`;
    const { status, headers, text } = await getText(crms.test, owner, path);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    const events = text
      .split('\n\n')
      .filter(event => event.startsWith('id:'))
      .map(event => /^id: (\d+)\nevent: import\ndata: (.*)$/s.exec(event));
    const last = crmImport.parse(JSON.parse(events.at(-1)?.[2] ?? ''));
    expect(last).toMatchObject({ import_id: importId, state: 'succeeded' });
    expect(events.at(-1)?.[1]).toBe(String(last.version));
    const again = await getText(crms.test, owner, path, { 'last-event-id': String(last.version) });
    expect(again.text).not.toContain('event: import');
  },
  badInput: () => refusesIds((person, importId) => person.get(`/crm-imports/${importId}/events`)),
  noCredentials: () => refusesStrangers((person, importId) => person.get(`/crm-imports/${importId}/events`)),
  anotherTenant: () => refusesOthers((person, importId) => person.get(`/crm-imports/${importId}/events`)),
});

const cancel = (person: Person, importId: string) =>
  person.post(`/crm-imports/${importId}/cancellation`, undefined);

describeOperation(cancelCrmImport, {
  async success() {
    const { owner, importId } = await waiting();
    const cancelled = await cancel(owner, importId);
    expect([cancelled.status, crmImport.strict().parse(cancelled.body)]).toMatchObject([
      200,
      { state: 'cancelled', failure: null, pause: null },
    ]);
    expect((await cancel(owner, importId)).body).toMatchObject({ state: 'cancelled' });
    // A job that was not started stays with the customer.
    const { body } = await owner.get(`/validation-jobs/${cancelled.body['job_id']}`);
    expect(body['state']).toBe('ready');
  },
  badInput: () => refusesIds(cancel),
  noCredentials: () => refusesStrangers(cancel),
  anotherTenant: () => refusesOthers(cancel),
});

const remove = (person: Person, importId: string) =>
  person.send(`/crm-imports/${importId}`, { method: 'DELETE' });

describeOperation(deleteCrmImport, {
  async success() {
    const { owner, importId } = await waiting();
    expect(codeOf(await remove(owner, importId))).toEqual([409, 'crm_import_under_way']);
    const { job_id } = (await cancel(owner, importId)).body;
    let removed = await remove(owner, importId);
    // Its running work is stopped first.
    while (removed.status === 409) {
      removed = await remove(owner, importId);
    }
    expect([removed.status, removed.body]).toEqual([200, { import_id: importId }]);
    expect(codeOf(await owner.get(`/crm-imports/${importId}`))).toEqual([404, 'crm_import_not_found']);
    expect((await owner.get(`/validation-jobs/${job_id}`)).status).toBe(200);
  },
  badInput: () => refusesIds(remove),
  noCredentials: () => refusesStrangers(remove),
  anotherTenant: () => refusesOthers(remove),
});
