import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createExport,
  deleteExport,
  downloadExport,
  downloadExportLines,
  downloadFailedRows,
  exportRecord,
  followExport,
  getExport,
  limits,
  listExportRows,
  listExports,
  newId,
  surveyExport,
} from '@mailproof/shared-types';
import type pg from 'pg';
import { endedJob, getText, poolOf, readyJob, savePeople, untilExportEnded } from '../exported-records.ts';
import { openSharedHouse, type Person, type TestHouse } from '../house.ts';
import { describeOperation } from '../operation-suite.ts';
import { openPeopleStore, ownerWith, type PeopleStore } from '../people-store.ts';

const people = 12;

const file = [
  'email,valid,name,id',
  'ada@ordinary.example,yes,Ada,007',
  'no address,no,"=cmd|\' /C calc\'!A0",008',
  'bad@ordinary.example,,"Grace, the Great",+49 30 901820',
  'ada@Ordinary.example,,twice,-5',
  ',,blank,@here',
].join('\r\n');

let test: TestHouse;
let store: PeopleStore;
let engine: pg.Pool;
let dispatcher: pg.Pool;
let domain: string;

beforeAll(async () => {
  test = await openSharedHouse();
  [engine, dispatcher] = [poolOf(test, 'validation'), poolOf(test, 'dispatcher')];
  store = await openPeopleStore(test);
  domain = await store.add(people);
}, 120_000);

afterAll(async () => {
  await Promise.all([store?.close(), engine?.end(), dispatcher?.end()]);
  await test?.stop();
});

const stranger = () => test.stranger();
const newOwner = () => ownerWith(test, 0);
const allPeople = { source: { kind: 'saved_people' }, target: 'csv' } as const;

/** An owner who has saved all people of the company. */
async function saver(): Promise<Person> {
  const owner = await newOwner();
  await savePeople(store, owner, domain);
  return owner;
}

async function begin(owner: Person, body: object, headers = {}): Promise<string> {
  const answer = await owner.post('/exports', body, headers);
  expect([answer.status, answer.body['code'], answer.body['errors']]).toEqual([202, undefined, undefined]);
  return String(answer.body['export_id']);
}

/** A finished export of the account's saved people. */
async function ended(owner: Person, body: object = allPeople): Promise<string> {
  const exportId = await begin(owner, body);
  expect(await untilExportEnded(owner, exportId)).toMatchObject({ status: 'succeeded' });
  return exportId;
}

/** Marks rows of an export as given up by the receiver. */
async function failRows(exportId: string, rowNos: readonly number[]): Promise<void> {
  await dispatcher.query(
    `WITH failed AS (
       UPDATE export_row r SET state = 'failed', attempts = 3, status_code = 500, fault = 'receiver_failed'
       FROM export e WHERE e.export_no = r.export_no AND e.export_id = $1 AND row_no = ANY($2::int[]) RETURNING 1)
     UPDATE export SET rows_failed = $3, rows_delivered = rows_delivered - $3 WHERE export_id = $1`,
    [exportId, rowNos, rowNos.length],
  );
}

const codeOf = async (answer: Promise<{ body: Record<string, unknown> }>) => (await answer).body['code'];

async function expectNotFound(ask: (owner: Person, exportId: string) => Promise<unknown>): Promise<void> {
  const [one, other] = [await saver(), await newOwner()];
  expect(await ask(other, await ended(one))).toBe('export_not_found');
}

describeOperation(surveyExport, {
  async success() {
    const owner = await newOwner();
    const jobId = await endedJob(test, engine, owner, file);
    const source = { kind: 'validation_job', job_id: jobId };
    const answer = await owner.post('/export-surveys', { source });
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        rows: 5,
        rows_open: 0,
        rows_max: limits.exportRowsMax,
        columns: [
          'input_valid',
          'name',
          'id',
          'email',
          'result_status',
          'valid',
          'mx_domain',
          'mx_provider',
          'email_type',
        ],
        samples: [
          [
            'yes',
            'Ada',
            '007',
            'ada@ordinary.example',
            'ok',
            true,
            'mx.ordinary.example',
            'other',
            'professional',
          ],
          ['no', "=cmd|' /C calc'!A0", '008', 'no address', 'invalid', false, null, null, null],
          [
            '',
            'Grace, the Great',
            '+49 30 901820',
            'bad@ordinary.example',
            'invalid',
            false,
            'mx.ordinary.example',
            'other',
            'professional',
          ],
          [
            '',
            'twice',
            '-5',
            'ada@Ordinary.example',
            'ok',
            true,
            'mx.ordinary.example',
            'other',
            'professional',
          ],
          ['', 'blank', '@here', null, null, null, null, null, null],
        ],
      },
    ]);
    const filtered = await owner.post('/export-surveys', {
      source: { ...source, results: ['ok', 'unknown'], without_duplicates: true },
    });
    expect(filtered.body['rows']).toBe(1);
    const invalid = await owner.post('/export-surveys', { source: { ...source, results: ['invalid'] } });
    expect(invalid.body['rows']).toBe(2);
  },
  async badInput() {
    const owner = await newOwner();
    for (const source of [undefined, {}, { kind: 'crm' }, { kind: 'validation_job', job_id: 'x' }]) {
      expect(await codeOf(owner.post('/export-surveys', { source }))).toBe('invalid_request');
    }
    const jobId = await readyJob(test, owner, file);
    const source = { kind: 'validation_job', job_id: jobId };
    expect(await codeOf(owner.post('/export-surveys', { source }))).toBe('export_source_not_ready');
  },
  async noCredentials() {
    expect((await stranger().post('/export-surveys', { source: allPeople.source })).status).toBe(401);
  },
  async anotherTenant() {
    const [one, other] = [await saver(), await newOwner()];
    const jobId = await endedJob(test, engine, one, file);
    const sources = [
      { kind: 'validation_job', job_id: jobId },
      { kind: 'saved_people', list_id: newId('savedList') },
      { kind: 'saved_companies', search_id: newId('discoverySearch') },
      { kind: 'saved_companies', run_id: newId('discoveryRun') },
    ];
    for (const source of sources) {
      expect(await codeOf(other.post('/export-surveys', { source }))).toBe('export_source_not_found');
    }
    expect((await other.post('/export-surveys', { source: allPeople.source })).body['rows']).toBe(0);
  },
});

describeOperation(createExport, {
  async success() {
    const owner = await saver();
    const answer = await owner.post('/exports', { ...allPeople, name: 'Leads' });
    expect(answer.status).toBe(202);
    const started = createExport.success.schema.parse(answer.body);
    expect(started).toMatchObject({ name: 'Leads', target: 'csv', rows: { total: people } });
    expect(exportRecord.parse(await untilExportEnded(owner, started.export_id))).toMatchObject({
      status: 'succeeded',
      failure: null,
      pause: null,
      progress: 1,
      rows: { total: people, delivered: people, failed: 0, gone: 0 },
    });
  },
  async badInput() {
    const owner = await saver();
    const wrong = [
      { source: allPeople.source },
      { ...allPeople, target: 'fax' },
      { ...allPeople, options: { delimiter: 'x' } },
      { ...allPeople, name: 'two\nlines' },
      { ...allPeople, target: 'webhook' },
      { ...allPeople, source: { kind: 'saved_people', query: 1 } },
    ];
    for (const body of wrong) {
      expect(await codeOf(owner.post('/exports', body))).toBe('invalid_request');
    }
    expect(await codeOf((await newOwner()).post('/exports', allPeople))).toBe('nothing_to_export');
    const jobId = await readyJob(test, owner, file);
    const source = { kind: 'validation_job', job_id: jobId };
    expect(await codeOf(owner.post('/exports', { source, target: 'csv' }))).toBe('export_source_not_ready');
  },
  async noCredentials() {
    expect((await stranger().post('/exports', allPeople)).status).toBe(401);
  },
  async anotherTenant() {
    const [one, other] = [await newOwner(), await newOwner()];
    const source = { kind: 'validation_job', job_id: await endedJob(test, engine, one, file) };
    expect(await codeOf(other.post('/exports', { source, target: 'csv' }))).toBe('export_source_not_found');
  },
});

describe('an export', () => {
  it('is the same one under the same Idempotency-Key, and another request under it is refused', async () => {
    const owner = await saver();
    const headers = { 'idempotency-key': newId('request') };
    const ids = await Promise.all(Array.from({ length: 4 }, () => begin(owner, allPeople, headers)));
    expect(new Set(ids).size).toBe(1);
    const other = await owner.post('/exports', { ...allPeople, name: 'Another' }, headers);
    expect([other.status, other.body['code']]).toEqual([422, 'idempotency_key_reused']);
    expect((await owner.get('/exports')).body['exports']).toHaveLength(1);
  });

  it('is one of a limited number of unfinished exports of an account', async () => {
    const owner = await saver();
    const first = await ended(owner);
    await dispatcher.query(
      `INSERT INTO export (export_id, account_id, created_by, name, source, target, columns, status, pause_reason,
         deleted_at)
       SELECT export_id || i, account_id, created_by, name, source, 'webhook', columns, 'running', 'asked', deleted_at
       FROM export, generate_series(1, $2) i WHERE export_id = $1`,
      [first, limits.activeExportsMax],
    );
    expect(await codeOf(owner.post('/exports', allPeople))).toBe('too_many_exports');
  });

  it('with too many rows is rejected before anything is done', async () => {
    const owner = await newOwner();
    await store.pool.query(
      `WITH one AS (SELECT * FROM person LIMIT 1), made AS (
         INSERT INTO person (person_id, profile_key, profile_url, full_name, source_id)
         SELECT 'pers_' || md5($1 || i), $1 || i, 'https://profiles.example/', 'Somebody', one.source_id
         FROM one, generate_series(1, $2::int) i RETURNING person_no)
       INSERT INTO saved_person (account_id, person_no, run_id) SELECT $1, person_no, 'run' FROM made`,
      [owner.accountId, limits.exportRowsMax + 1],
    );
    const refused = await owner.post('/exports', allPeople);
    expect([refused.status, refused.body['code']]).toEqual([413, 'export_too_large']);
    expect(refused.body['detail']).toContain('50,001');
    expect((await owner.get('/exports')).body['exports']).toEqual([]);
  }, 120_000);
});

describeOperation(getExport, {
  async success() {
    const owner = await saver();
    const exportId = await ended(owner);
    const answer = await owner.get(`/exports/${exportId}`);
    expect(answer.status).toBe(200);
    expect(exportRecord.parse(answer.body)).toMatchObject({ export_id: exportId, source: allPeople.source });
  },
  async badInput() {
    const owner = await newOwner();
    expect(await codeOf(owner.get('/exports/x'))).toBe('invalid_request');
    expect(await codeOf(owner.get(`/exports/${newId('export')}`))).toBe('export_not_found');
  },
  async noCredentials() {
    expect((await stranger().get(`/exports/${newId('export')}`)).status).toBe(401);
  },
  anotherTenant: () => expectNotFound((other, exportId) => codeOf(other.get(`/exports/${exportId}`))),
});

describeOperation(listExports, {
  async success() {
    const owner = await saver();
    const [first, second] = [await ended(owner), await ended(owner)];
    const page = await owner.get('/exports?limit=1&target=csv&status=succeeded');
    expect(page.body['exports']).toMatchObject([{ export_id: second }]);
    const next = await owner.get(`/exports?limit=1&cursor=${page.body['next_cursor']}`);
    expect(next.body).toMatchObject({ exports: [{ export_id: first }] });
    expect(next.body['next_cursor']).toBeUndefined();
    expect((await owner.get('/exports?status=failed')).body['exports']).toEqual([]);
  },
  async badInput() {
    const owner = await newOwner();
    for (const query of ['status=paused', 'target=fax', 'limit=201', 'more=1']) {
      expect(await codeOf(owner.get(`/exports?${query}`))).toBe('invalid_request');
    }
    expect(await codeOf(owner.get('/exports?cursor=x'))).toBe('invalid_cursor');
  },
  async noCredentials() {
    expect((await stranger().get('/exports')).status).toBe(401);
  },
  async anotherTenant() {
    const [one, other] = [await saver(), await newOwner()];
    await ended(one);
    expect((await other.get('/exports')).body['exports']).toEqual([]);
  },
});

describeOperation(followExport, {
  async success() {
    const owner = await saver();
    const exportId = await begin(owner, allPeople);
    const { status, headers, text } = await getText(test, owner, `/exports/${exportId}/events`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    const events = text
      .split('\n\n')
      .filter(event => event.startsWith('id:'))
      .map(event => /^id: (\d+)\nevent: export\ndata: (.*)$/s.exec(event));
    const last = exportRecord.parse(JSON.parse(events.at(-1)?.[2] ?? ''));
    expect(last).toMatchObject({ export_id: exportId, status: 'succeeded' });
    expect(events.at(-1)?.[1]).toBe(String(last.version));
    const again = await getText(test, owner, `/exports/${exportId}/events`, {
      'last-event-id': String(last.version),
    });
    expect(again.text).not.toContain('event: export');
  },
  async badInput() {
    const owner = await newOwner();
    expect(await codeOf(owner.get('/exports/x/events'))).toBe('invalid_request');
    expect(await codeOf(owner.get(`/exports/${newId('export')}/events`))).toBe('export_not_found');
  },
  async noCredentials() {
    expect((await stranger().get(`/exports/${newId('export')}/events`)).status).toBe(401);
  },
  anotherTenant: () => expectNotFound((other, exportId) => codeOf(other.get(`/exports/${exportId}/events`))),
});

describeOperation(deleteExport, {
  async success() {
    const owner = await saver();
    const exportId = await ended(owner);
    const answer = await owner.delete(`/exports/${exportId}`);
    expect([answer.status, answer.body]).toEqual([200, { deleted: true }]);
    expect(await codeOf(owner.get(`/exports/${exportId}`))).toBe('export_not_found');
    expect(await codeOf(owner.get(`/exports/${exportId}/file`))).toBe('export_not_found');
  },
  async badInput() {
    const owner = await newOwner();
    expect(await codeOf(owner.delete('/exports/x'))).toBe('invalid_request');
    expect(await codeOf(owner.delete(`/exports/${newId('export')}`))).toBe('export_not_found');
  },
  async noCredentials() {
    expect((await stranger().delete(`/exports/${newId('export')}`)).status).toBe(401);
  },
  async anotherTenant() {
    const [one, other] = [await saver(), await newOwner()];
    const exportId = await ended(one);
    expect(await codeOf(other.delete(`/exports/${exportId}`))).toBe('export_not_found');
    expect((await one.get(`/exports/${exportId}`)).status).toBe(200);
  },
});

describeOperation(listExportRows, {
  async success() {
    const owner = await saver();
    const exportId = await ended(owner);
    await failRows(exportId, [3, 7]);
    const failed = await owner.get(`/exports/${exportId}/rows?state=failed&limit=1`);
    expect(failed.body['rows']).toEqual([
      {
        row: 3,
        source_row: null,
        source_name: 'Person 000003',
        state: 'failed',
        attempts: 3,
        status_code: 500,
        fault: expect.any(String),
        action: null,
        crm_record_id: null,
        undone: null,
        retry_at: null,
        attempted_at: null,
      },
    ]);
    const next = await owner.get(
      `/exports/${exportId}/rows?state=failed&limit=1&cursor=${failed.body['next_cursor']}`,
    );
    expect(next.body).toMatchObject({ rows: [{ row: 7 }] });
    expect(next.body['next_cursor']).toBeUndefined();
    expect((await owner.get(`/exports/${exportId}/rows`)).body['rows']).toHaveLength(people);
  },
  async badInput() {
    const owner = await saver();
    const exportId = await ended(owner);
    for (const query of ['state=lost', 'action=lost', 'limit=0', 'more=1']) {
      expect(await codeOf(owner.get(`/exports/${exportId}/rows?${query}`))).toBe('invalid_request');
    }
    for (const cursor of [
      'x',
      Buffer.from('-1').toString('base64url'),
      Buffer.from('9e9').toString('base64url'),
    ]) {
      expect(await codeOf(owner.get(`/exports/${exportId}/rows?cursor=${cursor}`))).toBe('invalid_cursor');
    }
  },
  async noCredentials() {
    expect((await stranger().get(`/exports/${newId('export')}/rows`)).status).toBe(401);
  },
  anotherTenant: () => expectNotFound((other, exportId) => codeOf(other.get(`/exports/${exportId}/rows`))),
});

describe('the rows of an export', () => {
  const jobRows = async (owner: Person, exportId: string) =>
    (await owner.get(`/exports/${exportId}/rows`)).body['rows'];

  it('are named by their number in the list and their address, or the text in its place', async () => {
    const owner = await newOwner();
    const jobId = await endedJob(test, engine, owner, file);
    const source = { kind: 'validation_job', job_id: jobId, results: ['invalid'] };
    const exportId = await ended(owner, { source, target: 'csv' });
    expect(await jobRows(owner, exportId)).toMatchObject([
      { row: 1, source_row: 2, source_name: 'no address' },
      { row: 2, source_row: 3, source_name: 'bad@ordinary.example' },
    ]);
    await failRows(exportId, [2]);
    const { text } = await getText(test, owner, `/exports/${exportId}/failed-rows`);
    expect(text.split('\r\n').map(line => line.split(',').at(-4))).toEqual(['failed_row', '3', undefined]);
  });

  it('have no name when their record is gone, or all of their source', async () => {
    const owner = await newOwner();
    const other = await store.add(2);
    await savePeople(store, owner, other);
    const exportId = await ended(owner);
    await store.pool.query('DELETE FROM person WHERE profile_key = $1', [`${other}/1`]);
    expect(await jobRows(owner, exportId)).toMatchObject([
      { row: 1, source_name: null },
      { row: 2, source_name: 'Person 000002' },
    ]);
    const jobId = await endedJob(test, engine, owner, file);
    const ofJob = await ended(owner, { source: { kind: 'validation_job', job_id: jobId }, target: 'csv' });
    expect((await owner.delete(`/validation-jobs/${jobId}`)).status).toBe(200);
    expect(await jobRows(owner, ofJob)).toContainEqual(
      expect.objectContaining({ row: 1, source_row: null, source_name: null }),
    );
  });
});

describeOperation(downloadExport, {
  async success() {
    const owner = await newOwner();
    const jobId = await endedJob(test, engine, owner, file);
    const source = { kind: 'validation_job', job_id: jobId };
    const options = { byte_order_mark: true, delimiter: 'semicolon' };
    const exportId = await ended(owner, { source, target: 'csv', name: 'Käufer "neu"', options });
    const { status, headers, text } = await getText(test, owner, `/exports/${exportId}/file`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(headers.get('content-disposition')).toMatch(
      /^attachment; filename="[^"]* \d{4}-\d\d-\d\d\.csv"; filename\*=UTF-8''K%C3%A4ufer%20neu%20\d{4}-\d\d-\d\d\.csv$/,
    );
    expect(text.split('\r\n')).toEqual([
      '\ufeffinput_valid;name;id;email;result_status;valid;mx_domain;mx_provider;email_type',
      'yes;Ada;007;ada@ordinary.example;ok;true;mx.ordinary.example;other;professional',
      "no;'=cmd|' /C calc'!A0;008;no address;invalid;false;;;",
      ';Grace, the Great;+49 30 901820;bad@ordinary.example;invalid;false;mx.ordinary.example;other;professional',
      ';twice;-5;ada@Ordinary.example;ok;true;mx.ordinary.example;other;professional',
      ";blank;'@here;;;;;;",
      '',
    ]);
  },
  async badInput() {
    const owner = await saver();
    expect(await codeOf(owner.get('/exports/x/file'))).toBe('invalid_request');
    const exportId = await ended(owner);
    await dispatcher.query("UPDATE export SET target = 'webhook' WHERE export_id = $1", [exportId]);
    const notReady = await owner.get(`/exports/${exportId}/file`);
    expect([notReady.status, notReady.body['code']]).toEqual([409, 'export_not_ready']);
    expect(notReady.headers.get('content-disposition')).toBeNull();
  },
  async noCredentials() {
    expect((await stranger().get(`/exports/${newId('export')}/file`)).status).toBe(401);
  },
  anotherTenant: () => expectNotFound((other, exportId) => codeOf(other.get(`/exports/${exportId}/file`))),
});

describeOperation(downloadExportLines, {
  async success() {
    const owner = await newOwner();
    const rows =
      '__proto__,name,id,email\nyes,Ada,007,ada@ordinary.example\n,=1,-5,no address\n,,,\n1,,,bad@b.example\n';
    const jobId = await endedJob(test, engine, owner, rows);
    const source = { kind: 'validation_job', job_id: jobId };
    const exportId = await ended(owner, { source, target: 'csv', name: 'Käufer' });
    const { status, headers, text } = await getText(test, owner, `/exports/${exportId}/lines`);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
    expect(headers.get('content-disposition')).toMatch(/%20\d{4}-\d\d-\d\d\.ndjson$/);
    const known = '"mx_domain":"mx.ordinary.example","mx_provider":"other","email_type":"professional"}';
    const unknown = '"mx_domain":null,"mx_provider":null,"email_type":null}';
    expect(text.split('\n')).toEqual([
      `{"__proto__":"yes","name":"Ada","id":"007","email":"ada@ordinary.example","result_status":"ok","valid":true,${known}`,
      `{"__proto__":"","name":"=1","id":"-5","email":"no address","result_status":"invalid","valid":false,${unknown}`,
      `{"__proto__":"","name":"","id":"","email":null,"result_status":null,"valid":null,${unknown}`,
      `{"__proto__":"1","name":"","id":"","email":"bad@b.example","result_status":"invalid","valid":false,${known}`,
      '',
    ]);
  },
  async badInput() {
    const owner = await saver();
    expect(await codeOf(owner.get('/exports/x/lines'))).toBe('invalid_request');
    const exportId = await ended(owner);
    await dispatcher.query("UPDATE export SET target = 'webhook' WHERE export_id = $1", [exportId]);
    expect(await codeOf(owner.get(`/exports/${exportId}/lines`))).toBe('export_not_ready');
  },
  async noCredentials() {
    expect((await stranger().get(`/exports/${newId('export')}/lines`)).status).toBe(401);
  },
  anotherTenant: () => expectNotFound((other, exportId) => codeOf(other.get(`/exports/${exportId}/lines`))),
});

describe('a file', () => {
  it('says of saved people what is known, where it comes from, and never an address', async () => {
    const owner = await saver();
    const { text } = await getText(test, owner, `/exports/${await ended(owner)}/file`);
    const [header = '', first = ''] = text.split('\r\n');
    const row = Object.fromEntries(header.split(',').map((name, at) => [name, first.split(',')[at]]));
    expect(row).toMatchObject({
      name: 'Person 000001',
      job_title: 'Software Engineer',
      company_domain: domain,
      annual_revenue_usd: '2000000',
      keywords: 'invented; person',
      profile_badges: 'badge',
      profile_url: `https://profiles.example/${domain}/1`,
      source: 'A test',
      source_licence: 'CC0-1.0',
      source_date: '2026-01-01',
      other_sources: '',
    });
    expect(text).not.toContain('@');
    expect(text.split('\r\n')).toHaveLength(people + 2);
  });

  it('leaves out who has left the store or is saved no more, and counts them as gone', async () => {
    const owner = await newOwner();
    const other = await store.add(4);
    await savePeople(store, owner, other);
    const exportId = await ended(owner);
    await store.pool.query('DELETE FROM person WHERE profile_key = $1', [`${other}/2`]);
    await store.pool.query(
      'DELETE FROM saved_person USING person WHERE saved_person.person_no = person.person_no AND profile_key = $1',
      [`${other}/3`],
    );
    const { text } = await getText(test, owner, `/exports/${exportId}/file`);
    expect(text).toContain('Person 000001');
    expect(text).toContain('Person 000004');
    expect(text).not.toMatch(/Person 00000[23]/);
    expect((await owner.get(`/exports/${exportId}`)).body['rows']).toEqual({
      total: 4,
      delivered: 2,
      failed: 0,
      open: 0,
      gone: 2,
    });
  });

  it('of what was deleted is a problem and no half of a file', async () => {
    const owner = await newOwner();
    const jobId = await endedJob(test, engine, owner, file);
    const exportId = await ended(owner, { source: { kind: 'validation_job', job_id: jobId }, target: 'csv' });
    expect((await owner.delete(`/validation-jobs/${jobId}`)).status).toBe(200);
    const answer = await owner.get(`/exports/${exportId}/file`);
    expect([answer.status, answer.body['code']]).toEqual([404, 'export_source_not_found']);
  });
});

describeOperation(downloadFailedRows, {
  async success() {
    const owner = await saver();
    const exportId = await ended(owner);
    await failRows(exportId, [2, 5]);
    const { status, headers, text } = await getText(
      test,
      owner,
      `/exports/${exportId}/failed-rows?delimiter=tab&byte_order_mark=false`,
    );
    expect(status).toBe(200);
    expect(headers.get('content-disposition')).toMatch(/failed rows \d{4}-\d\d-\d\d\.csv"$/);
    const lines = text
      .trimEnd()
      .split('\r\n')
      .map(line => line.split('\t'));
    expect(lines[0]?.slice(-3)).toEqual(['failed_attempts', 'failed_status_code', 'failed_reason']);
    expect(lines.slice(1).map(cells => [cells[1], ...cells.slice(-3, -1)])).toEqual([
      ['Person 000002', '3', '500'],
      ['Person 000005', '3', '500'],
    ]);
  },
  async badInput() {
    const owner = await saver();
    const exportId = await ended(owner);
    for (const query of ['delimiter=x', 'byte_order_mark=1', 'more=1']) {
      expect(await codeOf(owner.get(`/exports/${exportId}/failed-rows?${query}`))).toBe('invalid_request');
    }
  },
  async noCredentials() {
    expect((await stranger().get(`/exports/${newId('export')}/failed-rows`)).status).toBe(401);
  },
  anotherTenant: () =>
    expectNotFound((other, exportId) => codeOf(other.get(`/exports/${exportId}/failed-rows`))),
});
