import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { limitedTo, openWebhookReceiver, type WebhookReceiver } from '@mailproof/dev-house';
import {
  cancelExport,
  exportRecord,
  newId,
  pauseExport,
  putExportDestination,
  resendFailedRows,
  resumeExport,
  testWebhookRow,
} from '@mailproof/shared-types';
import { savePeople } from '../exported-records.ts';
import { type Answer, openSharedHouse, type Person, type TestHouse } from '../house.ts';
import { describeOperation } from '../operation-suite.ts';
import { openPeopleStore, ownerWith, type PeopleStore } from '../people-store.ts';
import { until } from '../until.ts';

const people = 30;
const source = { kind: 'saved_people' };

let test: TestHouse;
let store: PeopleStore;
let domain: string;
let receiver: WebhookReceiver;

beforeAll(async () => {
  receiver = await openWebhookReceiver();
  test = await openSharedHouse();
  store = await openPeopleStore(test);
  domain = await store.add(people);
}, 120_000);

afterAll(async () => {
  await store?.close();
  await test?.stop();
  await receiver?.close();
});

beforeEach(() => receiver.react(() => ({ status: 200 })));

const stranger = () => test.stranger();
const codeOf = ({ status, body }: Answer) => [status, body['code']];

/** An owner who has saved all people of the company. */
async function saver(): Promise<Person> {
  const owner = await ownerWith(test, 0);
  await savePeople(store, owner, domain);
  return owner;
}

/** A push that takes a while. */
async function slowPush(owner: Person): Promise<string> {
  const started = await owner.post('/exports', {
    source,
    target: 'webhook',
    options: { rows_per_second_max: 2 },
    destination: { url: `${receiver.url}/slow` },
  });
  expect(codeOf(started)).toEqual([202, undefined]);
  return String(started.body['export_id']);
}

const exportOf = async (owner: Person, exportId: string) =>
  exportRecord.parse((await owner.get(`/exports/${exportId}`)).body);

/** Checks that operations with an export in their path refuse malformed and unknown ids. */
async function refusesIds(send: (owner: Person, exportId: string) => Promise<Answer>): Promise<void> {
  const owner = await ownerWith(test, 0);
  expect(codeOf(await send(owner, 'exp_1'))).toEqual([400, 'invalid_request']);
  expect(codeOf(await send(owner, newId('export')))).toEqual([404, 'export_not_found']);
}

async function refusesOthers(send: (owner: Person, exportId: string) => Promise<Answer>): Promise<void> {
  const [owner, other] = [await saver(), await ownerWith(test, 0)];
  const exportId = await slowPush(owner);
  expect(codeOf(await send(other, exportId))).toEqual([404, 'export_not_found']);
  expect((await exportOf(owner, exportId)).failure).toBeNull();
  await owner.post(`/exports/${exportId}/cancellation`, undefined);
}

describeOperation(testWebhookRow, {
  async success() {
    const owner = await saver();
    const url = `${receiver.url}/test`;
    receiver.react(() => ({ status: 201, body: 'Thank you.' }));
    const sent = await owner.post('/export-test-rows', { source, destination: { url } });
    expect(codeOf(sent)).toEqual([200, undefined]);
    const result = testWebhookRow.success.schema.parse(sent.body);
    const got = receiver.requests.filter(({ path }) => path === '/test');
    expect(result).toMatchObject({
      outcome: 'delivered',
      status_code: 201,
      failure: null,
      answer: 'Thank you.',
      push: { preset: 'none', notices: [], signing_secret: expect.stringMatching(/^whsec_/) },
    });
    expect(got).toHaveLength(1);
    expect(got[0]?.body).toBe(result.row);
    expect(got[0]?.headers['webhook-id']).toMatch(/^test_/);
    receiver.react(() => ({ status: 404 }));
    const refused = await owner.post('/export-test-rows', { source, destination: { url } });
    expect(refused.body).toMatchObject({
      outcome: 'failed',
      status_code: 404,
      failure: { reason: 'refused' },
    });
    const named = { source, destination: { url }, options: { preset: 'clay' } };
    expect((await owner.post('/export-test-rows', named)).body['push']).toMatchObject({
      preset: 'clay',
      rows_per_second_max: 10,
      notices: [expect.stringContaining('50,000')],
    });
  },
  async badInput() {
    const owner = await saver();
    const before = receiver.requests.length;
    const to = (destination: object) => owner.post('/export-test-rows', { source, destination });
    for (const destination of [
      {},
      { url: 'ftp://receiver.example/' },
      { url: receiver.url, header: { name: 'Two Words', value: 'x' } },
      { url: receiver.url, header: { name: 'X-A', value: 'a\r\nX-B: b' } },
      { url: receiver.url, signing_secret: 'whsec_c2hvcnQ=' },
    ]) {
      expect(codeOf(await to(destination))).toEqual([400, 'invalid_request']);
    }
    for (const url of [
      'http://127.0.0.2/',
      'http://169.254.169.254/',
      'https://10.0.0.1/',
      'http://8.8.8.8/',
    ]) {
      expect(codeOf(await to({ url }))).toEqual([422, 'destination_not_valid']);
    }
    const header = { name: 'Host', value: 'canary-header.example' };
    const answer = await to({ url: receiver.url, header });
    expect(answer.body['errors']).toEqual([
      { pointer: '/destination/header/name', detail: expect.any(String) },
    ]);
    expect(JSON.stringify(answer.body)).not.toContain('canary-header');
    expect(receiver.requests.length).toBe(before);
  },
  async noCredentials() {
    const body = { source, destination: { url: receiver.url } };
    expect((await stranger().post('/export-test-rows', body)).status).toBe(401);
  },
  async anotherTenant() {
    const other = await ownerWith(test, 0);
    const body = { source, destination: { url: receiver.url } };
    expect(codeOf(await other.post('/export-test-rows', body))).toEqual([409, 'nothing_to_export']);
  },
});

describeOperation(pauseExport, {
  async success() {
    const owner = await saver();
    const exportId = await slowPush(owner);
    const paused = await owner.post(`/exports/${exportId}/pause`, undefined);
    expect(codeOf(paused)).toEqual([200, undefined]);
    expect(paused.body).toMatchObject({ status: 'running', pause: { reason: 'asked', resumes_at: null } });
    expect((await owner.post(`/exports/${exportId}/pause`, undefined)).body).toMatchObject({
      pause: { reason: 'asked' },
    });
    const file = await owner.post('/exports', { source, target: 'csv' });
    const ofFile = await owner.post(`/exports/${file.body['export_id']}/pause`, undefined);
    expect(codeOf(ofFile)).toEqual([409, 'export_is_no_push']);
    await owner.post(`/exports/${exportId}/cancellation`, undefined);
    expect(codeOf(await owner.post(`/exports/${exportId}/pause`, undefined))).toEqual([409, 'export_ended']);
  },
  badInput: () => refusesIds((owner, exportId) => owner.post(`/exports/${exportId}/pause`, undefined)),
  async noCredentials() {
    expect((await stranger().post(`/exports/${newId('export')}/pause`, undefined)).status).toBe(401);
  },
  anotherTenant: () =>
    refusesOthers((owner, exportId) => owner.post(`/exports/${exportId}/pause`, undefined)),
});

describeOperation(resumeExport, {
  async success() {
    const owner = await saver();
    const exportId = await slowPush(owner);
    await owner.post(`/exports/${exportId}/pause`, undefined);
    const resumed = await owner.post(`/exports/${exportId}/resumption`, undefined);
    expect(codeOf(resumed)).toEqual([200, undefined]);
    expect(resumed.body).toMatchObject({ status: 'running', pause: null });
    await until(
      'it continues',
      () => exportOf(owner, exportId),
      ({ rows }) => rows.delivered > 0,
      30_000,
    );
    expect((await owner.post(`/exports/${exportId}/resumption`, undefined)).status).toBe(200);
    await owner.post(`/exports/${exportId}/cancellation`, undefined);
  },
  badInput: () => refusesIds((owner, exportId) => owner.post(`/exports/${exportId}/resumption`, undefined)),
  async noCredentials() {
    expect((await stranger().post(`/exports/${newId('export')}/resumption`, undefined)).status).toBe(401);
  },
  anotherTenant: () =>
    refusesOthers((owner, exportId) => owner.post(`/exports/${exportId}/resumption`, undefined)),
});

describeOperation(cancelExport, {
  async success() {
    const owner = await saver();
    const exportId = await slowPush(owner);
    const cancelled = await owner.post(`/exports/${exportId}/cancellation`, undefined);
    expect(codeOf(cancelled)).toEqual([200, undefined]);
    expect(cancelled.body).toMatchObject({ status: 'failed', failure: { reason: 'cancelled' } });
    expect((await owner.post(`/exports/${exportId}/cancellation`, undefined)).body).toMatchObject({
      status: 'failed',
    });
    const file = await owner.post('/exports', { source, target: 'csv' });
    const fileId = String(file.body['export_id']);
    await until(
      'the file is there',
      () => exportOf(owner, fileId),
      ({ status }) => status === 'succeeded',
      30_000,
    );
    expect(codeOf(await owner.post(`/exports/${fileId}/cancellation`, undefined))).toEqual([
      409,
      'export_ended',
    ]);
  },
  badInput: () => refusesIds((owner, exportId) => owner.post(`/exports/${exportId}/cancellation`, undefined)),
  async noCredentials() {
    expect((await stranger().post(`/exports/${newId('export')}/cancellation`, undefined)).status).toBe(401);
  },
  anotherTenant: () =>
    refusesOthers((owner, exportId) => owner.post(`/exports/${exportId}/cancellation`, undefined)),
});

describeOperation(putExportDestination, {
  async success() {
    const owner = await saver();
    receiver.react(({ path }) => ({ status: path === '/right' ? 200 : 410 }));
    const started = await owner.post('/exports', {
      source,
      target: 'webhook',
      destination: { url: `${receiver.url}/wrong` },
    });
    const exportId = String(started.body['export_id']);
    const ended = () =>
      until(
        'it has ended',
        () => exportOf(owner, exportId),
        ({ ended_at }) => ended_at !== null,
        30_000,
      );
    expect((await ended()).failure?.reason).toBe('destination_refused');
    const put = await owner.put(`/exports/${exportId}/destination`, {
      destination: { url: `${receiver.url}/right` },
    });
    expect(codeOf(put)).toEqual([200, undefined]);
    const answer = putExportDestination.success.schema.parse(put.body);
    expect(answer).toMatchObject({ export: { failure: null, ended_at: null }, push: { preset: 'none' } });
    expect(await ended()).toMatchObject({ status: 'succeeded', rows: { delivered: people, failed: 0 } });
    expect(receiver.requests.filter(({ path }) => path === '/right')).toHaveLength(people);
  },
  async badInput() {
    const right = { destination: { url: receiver.url } };
    await refusesIds((owner, exportId) => owner.put(`/exports/${exportId}/destination`, right));
    const owner = await saver();
    const exportId = await slowPush(owner);
    const put = (url: string) => owner.put(`/exports/${exportId}/destination`, { destination: { url } });
    expect(codeOf(await put('receiver.example'))).toEqual([400, 'invalid_request']);
    expect(codeOf(await put('http://127.0.0.2/'))).toEqual([422, 'destination_not_valid']);
    await owner.post(`/exports/${exportId}/cancellation`, undefined);
    expect(codeOf(await put(receiver.url))).toEqual([409, 'export_ended']);
  },
  async noCredentials() {
    const body = { destination: { url: receiver.url } };
    expect((await stranger().put(`/exports/${newId('export')}/destination`, body)).status).toBe(401);
  },
  anotherTenant: () =>
    refusesOthers((owner, exportId) =>
      owner.put(`/exports/${exportId}/destination`, { destination: { url: receiver.url } }),
    ),
});

it('a push through all services arrives complete, at the rate of its receiver', async () => {
  const owner = await saver();
  const isPush = ({ path }: { readonly path: string }) => path === '/whole';
  receiver.react(limitedTo(20, 'seconds'));
  const key = { 'idempotency-key': newId('request') };
  const body = { source, target: 'webhook', destination: { url: `${receiver.url}/whole` } };
  const started = await owner.post('/exports', body, key);
  const again = await owner.post('/exports', body, key);
  expect(started.body['push']).toMatchObject({ preset: 'none', signing_secret: expect.any(String) });
  expect(again.body['export_id']).toBe(started.body['export_id']);
  expect(again.body['push']).toEqual(started.body['push']);
  const ended = await until(
    'it has ended',
    () => exportOf(owner, String(started.body['export_id'])),
    ({ ended_at }) => ended_at !== null,
    60_000,
  );
  expect(ended).toMatchObject({ status: 'succeeded', rows: { delivered: people } });
  const names = [...receiver.taken().values()]
    .flat()
    .filter(isPush)
    .map(each => (JSON.parse(each.body) as { name: string }).name);
  expect(new Set(names).size).toBe(people);
}, 90_000);

const resend = (owner: Person, exportId: string, body: object, headers?: Record<string, string>) =>
  owner.post(`/exports/${exportId}/resend`, body, headers);
const to = (path: string) => ({ destination: { url: `${receiver.url}${path}` } });
const ended = (owner: Person, exportId: unknown) =>
  until(
    'the end of the push',
    () => exportOf(owner, String(exportId)),
    ({ ended_at }) => ended_at !== null,
    60_000,
  );
const nameOf = ({ body }: { readonly body: string }) => (JSON.parse(body) as { name: string }).name;

/** A push of all people, of whom the receiver rejects some. */
async function pushWithFailedRows(owner: Person) {
  const refused = new Set<string>();
  receiver.react(request => {
    if (refused.size < 7) refused.add(nameOf(request));
    return { status: refused.has(nameOf(request)) ? 422 : 200 };
  });
  const body = { source, name: 'Partners', target: 'webhook', options: { preset: 'none' }, ...to('/picky') };
  const { export_id: exportId } = (await owner.post('/exports', body)).body;
  expect((await ended(owner, exportId)).rows).toMatchObject({ delivered: people - 7, failed: 7 });
  receiver.react(() => ({ status: 200 }));
  return { exportId: String(exportId), refused };
}

describeOperation(resendFailedRows, {
  async success() {
    const owner = await saver();
    const { exportId, refused } = await pushWithFailedRows(owner);
    const key = { 'idempotency-key': newId('request') };
    const sent = await resend(owner, exportId, to('/again'), key);
    expect(codeOf(sent)).toEqual([202, undefined]);
    expect(sent.body).toMatchObject({
      ...{ failed_rows_of: exportId, name: 'Partners', options: { preset: 'none' }, source },
      ...{ rows: { total: 7 }, push: { signing_secret: expect.any(String) } },
    });
    const repeated = await resend(owner, exportId, to('/again'), key);
    expect(repeated.body['export_id']).toBe(sent.body['export_id']);
    const reused = await resend(owner, exportId, { ...to('/again'), name: 'Others' }, key);
    expect(codeOf(reused)).toEqual([422, 'idempotency_key_reused']);
    expect(await ended(owner, sent.body['export_id'])).toMatchObject({
      status: 'succeeded',
      rows: { total: 7, delivered: 7, failed: 0 },
    });
    const names = receiver.requests.filter(({ path }) => path === '/again').map(nameOf);
    expect(names.toSorted()).toEqual([...refused].toSorted());
    // The first push is unchanged, and nothing of the second one failed.
    expect((await exportOf(owner, exportId)).rows.failed).toBe(7);
    expect(codeOf(await resend(owner, String(sent.body['export_id']), to('/again')))).toEqual([
      409,
      'nothing_to_export',
    ]);
  },
  async badInput() {
    await refusesIds((owner, exportId) => resend(owner, exportId, to('/again')));
    const owner = await saver();
    const slow = await slowPush(owner);
    expect(codeOf(await resend(owner, slow, to('/again')))).toEqual([409, 'export_in_progress']);
    await owner.post(`/exports/${slow}/cancellation`, undefined);
    const { exportId } = await pushWithFailedRows(owner);
    const without = await resend(owner, exportId, {});
    expect(codeOf(without)).toEqual([422, 'destination_not_valid']);
    expect(without.body['errors']).toEqual([{ pointer: '/destination', detail: expect.any(String) }]);
    const forbidden = { destination: { url: 'http://127.0.0.2/' } };
    expect(codeOf(await resend(owner, exportId, forbidden))).toEqual([422, 'destination_not_valid']);
    expect(codeOf(await resend(owner, exportId, { ...to('/again'), source }))).toEqual([
      400,
      'invalid_request',
    ]);
  },
  async noCredentials() {
    const path = `/exports/${newId('export')}/resend`;
    expect((await stranger().post(path, to('/again'))).status).toBe(401);
  },
  anotherTenant: () => refusesOthers((owner, exportId) => resend(owner, exportId, to('/again'))),
});
