import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { exportRecord, newId, suggestCrmMapping, undoExport } from '@mailproof/shared-types';
import { type CrmHouse, openCrmHouse } from '../crm-house.ts';
import type { Answer, Person } from '../house.ts';
import { describeOperation } from '../operation-suite.ts';
import { openPeopleStore, ownerWith, type PeopleStore, untilRunEnded } from '../people-store.ts';
import { until } from '../until.ts';

const people = 12;
const source = { kind: 'saved_people' };

let crms: CrmHouse;
let store: PeopleStore;
let domain: string;

beforeAll(async () => {
  crms = await openCrmHouse();
  store = await openPeopleStore(crms.test);
  domain = await store.add(people);
}, 120_000);

afterAll(async () => {
  await store?.close();
  await crms?.stop();
});

const codeOf = ({ status, body }: Answer) => [status, body['code']];

/** An owner who has saved all people of the company, and has connected HubSpot. */
async function connected(): Promise<{ readonly owner: Person; readonly connectionId: string }> {
  const owner = await ownerWith(crms.test, people);
  const filters = { company_domains: [domain] };
  const search = await owner.post('/people-searches', { name: 'A search', filters });
  const run = await owner.post(`/people-searches/${search.body['search_id']}/runs`, { people: 'all' });
  expect(run.status).toBe(202);
  await untilRunEnded(owner, String(run.body['run_id']));
  const { connection_id: connectionId } = await crms.connect(owner, 'hubspot');
  return { owner, connectionId };
}

const exportOf = async (owner: Person, exportId: string) =>
  exportRecord.parse((await owner.get(`/exports/${exportId}`)).body);

const untilExport = (
  owner: Person,
  exportId: string,
  holds: (record: ReturnType<typeof exportRecord.parse>) => boolean,
) => until('the export is so far', () => exportOf(owner, exportId), holds, 60_000);

const fields = [
  { column: 'name', property: 'lastname', policy: 'overwrite' },
  { column: 'job_title', property: 'jobtitle', policy: 'fill_blank' },
];

const optionsOf = (connectionId: string, more: object = {}) => ({
  connection_id: connectionId,
  object: 'contact',
  fields,
  ...more,
});

/** A finished push. */
async function pushed(owner: Person, connectionId: string, more: object = {}) {
  const options = optionsOf(connectionId, more);
  const started = await owner.post('/exports', { source, target: 'crm', options });
  expect(codeOf(started)).toEqual([202, undefined]);
  return untilExport(owner, String(started.body['export_id']), ({ ended_at }) => ended_at !== null);
}

describeOperation(suggestCrmMapping, {
  async success() {
    const { owner, connectionId } = await connected();
    const question = { connection_id: connectionId, object: 'contact', source };
    const answer = await owner.post('/crm-mapping-suggestions', question);
    expect(codeOf(answer)).toEqual([200, undefined]);
    const suggestion = suggestCrmMapping.success.schema.parse(answer.body);
    const pairs = suggestion.fields.map(({ field }) => [field.column, field.property]);
    expect(pairs).toEqual(
      expect.arrayContaining([
        ['job_title', 'jobtitle'],
        ['company_name', 'company'],
        ['city', 'city'],
      ]),
    );
    expect(suggestion.rows).toBe(people);
    const left = suggestion.unmatched_columns.map(({ column }) => column);
    expect(left).toContain('person_id');
    expect(pairs.map(([column]) => column).filter(column => left.includes(column ?? ''))).toEqual([]);
    const ended = await pushed(owner, connectionId, {
      fields: suggestion.fields.map(({ field }) => field),
      dry_run: true,
    });
    expect(ended).toMatchObject({ status: 'succeeded', actions: { created: people } });
  },
  async badInput() {
    const { owner, connectionId } = await connected();
    const ask = (question: object) => owner.post('/crm-mapping-suggestions', question);
    for (const question of [
      {},
      { connection_id: 'crm_1', object: 'contact', source },
      { connection_id: connectionId, object: 'deal', source },
      { connection_id: connectionId, object: 'contact', source: { kind: 'everybody' } },
      { connection_id: connectionId, object: 'contact', source, columns: [] },
    ]) {
      expect(codeOf(await ask(question))).toEqual([400, 'invalid_request']);
    }
    const asCompanies = { kind: 'saved_companies' };
    for (const question of [
      { connection_id: connectionId, object: 'lead', source },
      { connection_id: connectionId, object: 'contact', source: asCompanies },
    ]) {
      const answer = await ask(question);
      expect(codeOf(answer)).toEqual([422, 'crm_mapping_not_valid']);
      expect(answer.body['errors']).toEqual([{ pointer: '/object', detail: expect.any(String) }]);
    }
    const gone = { kind: 'validation_job', job_id: newId('validationJob') };
    expect(codeOf(await ask({ connection_id: connectionId, object: 'contact', source: gone }))).toEqual([
      404,
      'export_source_not_found',
    ]);
  },
  async noCredentials() {
    const question = { connection_id: newId('crmConnection'), object: 'contact', source };
    const answer = await crms.test.stranger().post('/crm-mapping-suggestions', question);
    expect(answer.status).toBe(401);
  },
  async anotherTenant() {
    const { connectionId } = await connected();
    const other = await ownerWith(crms.test, 0);
    const calls = crms.hubspot.calls.length;
    const question = { connection_id: connectionId, object: 'contact', source };
    expect(codeOf(await other.post('/crm-mapping-suggestions', question))).toEqual([
      404,
      'crm_connection_not_found',
    ]);
    const started = await other.post('/exports', { source, target: 'crm', options: optionsOf(connectionId) });
    // The other account has nothing to export, so no CRM is called.
    expect(codeOf(started)).toEqual([409, 'nothing_to_export']);
    expect(crms.hubspot.calls.length).toBe(calls);
  },
});

describeOperation(undoExport, {
  async success() {
    const { owner, connectionId } = await connected();
    const before = crms.hubspot.records('contacts').map(({ id }) => id);
    const { export_id: exportId, ...ended } = await pushed(owner, connectionId);
    expect(ended).toMatchObject({
      status: 'succeeded',
      actions: { created: people, updated: 0, skipped: 0 },
    });
    expect(crms.hubspot.records('contacts')).toHaveLength(before.length + people);
    const again = await pushed(owner, connectionId);
    expect(again.actions).toEqual({ created: 0, updated: 0, skipped: people });
    const undo = await owner.post(`/exports/${exportId}/undo`, undefined);
    expect(codeOf(undo)).toEqual([202, undefined]);
    expect(undo.body['undo']).toMatchObject({ records: { total: people } });
    const undone = await untilExport(owner, exportId, record => record.undo?.ended_at != null);
    expect(undone.undo).toMatchObject({
      status: 'succeeded',
      records: { total: people, removed: people, failed: 0 },
      failure: null,
    });
    expect(crms.hubspot.records('contacts').map(({ id }) => id)).toEqual(before);
    const repeated = await owner.post(`/exports/${exportId}/undo`, undefined);
    expect(repeated.body['undo']).toEqual(undone.undo);
    const { body } = await owner.get(`/exports/${exportId}/rows?action=created&limit=1`);
    expect(body['rows']).toMatchObject([
      { row: 1, state: 'delivered', action: 'created', crm_record_id: expect.any(String), undone: 'removed' },
    ]);
  },
  async badInput() {
    const { owner, connectionId } = await connected();
    const undo = (exportId: string) => owner.post(`/exports/${exportId}/undo`, undefined);
    expect(codeOf(await undo('exp_1'))).toEqual([400, 'invalid_request']);
    expect(codeOf(await undo(newId('export')))).toEqual([404, 'export_not_found']);
    const file = await owner.post('/exports', { source, target: 'csv' });
    const dry = await pushed(owner, connectionId, { dry_run: true });
    for (const exportId of [String(file.body['export_id']), dry.export_id]) {
      expect(codeOf(await undo(exportId))).toEqual([409, 'export_cannot_be_undone']);
    }
  },
  async noCredentials() {
    const answer = await crms.test.stranger().post(`/exports/${newId('export')}/undo`, undefined);
    expect(answer.status).toBe(401);
  },
  async anotherTenant() {
    const { owner, connectionId } = await connected();
    const ended = await pushed(owner, connectionId);
    const other = await ownerWith(crms.test, 0);
    const answer = await other.post(`/exports/${ended.export_id}/undo`, undefined);
    expect(codeOf(answer)).toEqual([404, 'export_not_found']);
    expect((await exportOf(owner, ended.export_id)).undo).toBeNull();
  },
});

it('a push to a CRM starts once under one key, and is refused with the reason before any work', async () => {
  const { owner, connectionId } = await connected();
  const key = { 'idempotency-key': newId('request') };
  const body = { source, target: 'crm', options: optionsOf(connectionId, { dry_run: true }) };
  const started = await owner.post('/exports', body, key);
  const again = await owner.post('/exports', body, key);
  expect(codeOf(started)).toEqual([202, undefined]);
  expect(again.body['export_id']).toBe(started.body['export_id']);
  const wrong = optionsOf(connectionId, {
    fields: [{ column: 'shoe_size', property: 'lastname', policy: 'never' }],
  });
  const refused = await owner.post('/exports', { source, target: 'crm', options: wrong });
  expect(codeOf(refused)).toEqual([422, 'crm_mapping_not_valid']);
  expect(refused.body['errors']).toEqual([
    { pointer: '/options/fields/0/column', detail: 'The export has no column “shoe_size”.' },
  ]);
  const twice = optionsOf(connectionId, { fields: [fields[0], fields[0]] });
  expect(codeOf(await owner.post('/exports', { source, target: 'crm', options: twice }))).toEqual([
    400,
    'invalid_request',
  ]);
});
