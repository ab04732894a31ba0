import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type HubSpotSimulator,
  openHubSpot,
  openSalesforce,
  type SalesforceSimulator,
} from '@mailproof/crm-lab';
import { asRedisUser, createTestDatabase, testRedisUrl, waitFor } from '@mailproof/dev-house';
import {
  beginCrmConnection,
  type CrmConnectionId,
  type CrmProvider,
  completeCrmConnection,
  createExport,
  disconnectCrm,
  type ExportId,
  type ExportRecord,
  listExportRows,
  newId,
  resumeExport,
  suggestCrmMapping,
  undoExport,
} from '@mailproof/shared-types';
import { type Dispatcher, openDispatcherOn, valuesOf } from './open-dispatcher.ts';

const isLong = process.env['MAILPROOF_LONG_FAULTS'] === 'true';
/** Tests that take minutes run only with `MAILPROOF_LONG_FAULTS`. */
const itWhenLong: (name: string, test: () => Promise<void>, timeoutMs: number) => void = isLong
  ? it
  : () => undefined;

/* Pushes by the service's own process, through the makers' clients, to CRMs that are simulated on loopback. */

const redirectUri = 'http://127.0.0.1:9/crm/callback';

let dispatcher: Dispatcher;
let hubspot: HubSpotSimulator;
let salesforce: SalesforceSimulator;
let connectionId: CrmConnectionId;

beforeAll(async () => {
  const [database, redisUrl] = await Promise.all([createTestDatabase('webhook-dispatcher'), testRedisUrl()]);
  hubspot = await openHubSpot({ redirectUris: [redirectUri] });
  salesforce = await openSalesforce({ oauth: { redirectUris: [redirectUri] } });
  dispatcher = await openDispatcherOn({
    databaseUrl: database.databaseUrl,
    redisUrl,
    ownRedisUrl: asRedisUser('webhook-dispatcher', redisUrl),
    env: {
      HUBSPOT_CLIENT_ID: hubspot.clientId,
      HUBSPOT_CLIENT_SECRET: hubspot.clientSecret,
      HUBSPOT_API_BASE_URL: hubspot.baseUrl,
      HUBSPOT_APP_BASE_URL: hubspot.baseUrl,
      SALESFORCE_CLIENT_ID: 'lab-client',
      SALESFORCE_CLIENT_SECRET: 'lab-secret',
      SALESFORCE_LOGIN_URL: salesforce.baseUrl,
    },
    clear: () => database.drop(),
  });
  connectionId = await connect('hubspot');
}, 90_000);

afterAll(async () => {
  await dispatcher?.close();
  await hubspot?.close();
  await salesforce?.close();
});

async function connect(provider: CrmProvider): Promise<CrmConnectionId> {
  const started = await dispatcher.ask(beginCrmConnection, { body: { provider } });
  const answer = await fetch(started.authorization_url, { redirect: 'manual' });
  const back = new URL(answer.headers.get('location') ?? '').searchParams;
  const body = { state: back.get('state') ?? '', code: back.get('code') ?? '' };
  return (await dispatcher.ask(completeCrmConnection, { body })).connection_id;
}

const hasEnded = ({ status }: ExportRecord) => status === 'succeeded' || status === 'failed';

const fields = [
  { column: 'name', property: 'lastname', policy: 'overwrite' },
  { column: 'email', property: 'email', policy: 'overwrite' },
  { column: 'result_status', property: 'jobtitle', policy: 'fill_blank' },
] as const;

async function begin(
  rows: number,
  options: Partial<Extract<Parameters<typeof bodyOf>[1], object>> = {},
): Promise<ExportId> {
  return (await dispatcher.ask(createExport, { body: bodyOf(rows, options) })).export_id;
}

function bodyOf(rows: number, options: object = {}) {
  return {
    target: 'crm' as const,
    source: dispatcher.sourceOf(rows),
    options: { connection_id: connectionId, object: 'contact' as const, fields, ...options },
  };
}

const untilEnded = (exportId: ExportId, deadlineMs = 90_000) =>
  dispatcher.until(exportId, 'the push has ended', hasEnded, deadlineMs);

async function pushed(rows: number, options: object = {}): Promise<ExportRecord> {
  return untilEnded(await begin(rows, options));
}

const contacts = () => hubspot.records('contacts');
const emailOf = (row: number) => String(valuesOf(row)[2]);

/** The contents of the CRM, except for its timestamps. */
const written = () =>
  contacts().map(({ id, values: { email, lastname, jobtitle } }) => ({ id, email, lastname, jobtitle }));

describe('a push to HubSpot', () => {
  it('has each row there once, with exact counts, regardless of faults on the way, and is undone', async () => {
    hubspot.seed('contacts', 3, index => ({
      email: emailOf(index + 1),
      lastname: index === 0 ? `Row ${index + 1}` : 'Somebody',
      ...(index === 0 && { jobtitle: 'CEO' }),
    }));
    const before = written();
    const rows = 620;
    const would = await pushed(rows, { dry_run: true });
    expect(written()).toEqual(before);
    expect(would).toMatchObject({
      status: 'succeeded',
      actions: { created: 617, updated: 2, skipped: 1 },
      rows: { total: rows, delivered: rows, failed: 0 },
    });

    const exportId = await begin(rows);
    await waitFor('some records are there', async () => contacts().length > 100, { deadlineMs: 30_000 });
    hubspot.oauth.expireAccessTokens();
    hubspot.switches.throttleNext();
    await waitFor('it continues', async () => contacts().length > 250, { deadlineMs: 60_000 });
    // A batch is written, its answer never arrives, and the process is killed.
    const answers = Promise.withResolvers<void>();
    let isHeld = false;
    hubspot.refuseRecords('contacts', () => {
      if (!isHeld) {
        isHeld = true;
        hubspot.switches.holdAnswers(answers.promise);
      }
      return undefined;
    });
    await waitFor('a batch is being written', async () => isHeld, { deadlineMs: 30_000 });
    await dispatcher.kill('SIGKILL');
    answers.resolve();
    hubspot.refuseRecords('contacts', () => undefined);
    hubspot.switches.failNext(502);
    hubspot.switches.dropNextAnswers({ path: /batch\/upsert/ });
    await dispatcher.restart();
    const ended = await untilEnded(exportId);
    expect(ended).toMatchObject({ status: 'succeeded', actions: would.actions, rows: would.rows });
    expect(contacts()).toHaveLength(rows);
    expect(new Set(contacts().map(({ values }) => values['email'])).size).toBe(rows);
    expect(hubspot.oauth.counts.refreshed).toBeGreaterThan(0);

    const after = written();
    const second = await pushed(rows);
    expect(second.actions).toEqual({ created: 0, updated: 0, skipped: rows });
    expect(written()).toEqual(after);

    await dispatcher.ask(undoExport, { params: { export_id: exportId } });
    const undone = await dispatcher.until(exportId, 'it is undone', ({ undo }) => undo?.ended_at != null);
    expect(undone.undo).toMatchObject({
      status: 'succeeded',
      records: { total: 617, removed: 617, failed: 0 },
    });
    expect(contacts().map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    expect(await rowsOf(exportId, 'created')).toEqual(
      Array.from({ length: 617 }, (_, at) => [at + 4, 'removed']),
    );
  }, 240_000);

  it('stores no row contents and no credentials anywhere', async () => {
    const tables = await Promise.all(
      ['export', 'export_row', 'export_row_mark', 'outbox'].map(async name =>
        JSON.stringify((await dispatcher.pool.query(`SELECT * FROM ${name}`)).rows),
      ),
    );
    const keys = await dispatcher.redis.keys('*');
    const kept = await Promise.all(keys.map(async key => JSON.stringify(await dispatcher.redis.dump(key))));
    expect(tables[1]?.length).toBeGreaterThan(1_000);
    expect(keys.length).toBeGreaterThan(0);
    for (const text of [dispatcher.told(), ...tables, ...keys, ...kept]) {
      expect(text).not.toMatch(
        /canary\.person|ordinary\.example|lab-(?:access|refresh|code)-|lab-hubspot-secret/,
      );
    }
    const { rows } = await dispatcher.pool.query('SELECT count(*)::int AS marks FROM export_row_mark');
    expect(rows).toEqual([{ marks: 0 }]);
    expect(dispatcher.told()).toContain('mailproof.crm.rows');
  });

  it('says for each row why HubSpot refuses it, and continues with the others', async () => {
    hubspot.refuseRecords('contacts', ({ lastname }) =>
      lastname === 'Row 7'
        ? { category: 'VALIDATION_ERROR', message: 'Property values were not valid: canary.person' }
        : undefined,
    );
    const ended = await pushed(20);
    hubspot.refuseRecords('contacts', () => undefined);
    expect(ended).toMatchObject({ status: 'succeeded', rows: { delivered: 19, failed: 1 } });
    const [failed] = await dispatcher.rows(ended.export_id, 'failed');
    expect(failed).toMatchObject({ row: 7, fault: expect.stringMatching(/^The /) });
    // The address is read from the list, and the CRM's words about it are not kept.
    expect(JSON.stringify({ ...failed, source_name: null })).not.toContain('canary');
    await dispatcher.ask(undoExport, { params: { export_id: ended.export_id } });
    await dispatcher.until(ended.export_id, 'it is undone', ({ undo }) => undo?.ended_at != null);
  }, 60_000);

  it('waits when a user has revoked our access, and continues when it is connected again', async () => {
    const exportId = await begin(350);
    await waitFor('some records are there', async () => contacts().length > 100, { deadlineMs: 30_000 });
    hubspot.oauth.revokeAll();
    const paused = await dispatcher.until(exportId, 'it waits', ({ pause }) => pause !== null);
    expect(paused).toMatchObject({
      status: 'running',
      pause: { reason: 'access_revoked', resumes_at: expect.any(String) },
    });
    await expect(begin(5)).rejects.toMatchObject({ code: 'crm_access_revoked' });
    expect(await connect('hubspot')).toBe(connectionId);
    await dispatcher.ask(resumeExport, { params: { export_id: exportId } });
    const ended = await untilEnded(exportId);
    expect(ended).toMatchObject({ status: 'succeeded', rows: { delivered: 350, failed: 0 } });
    expect(ended.actions?.created).toBe(347);
    await dispatcher.ask(undoExport, { params: { export_id: exportId } });
    await dispatcher.until(exportId, 'it is undone', ({ undo }) => undo?.ended_at != null);
    expect(contacts()).toHaveLength(3);
  }, 120_000);
});

itWhenLong(
  'fifty thousand rows arrive once, though the process is killed twice, within its memory',
  async () => {
    const rows = 50_000;
    const there = contacts().length;
    const from = performance.now();
    const exportId = await begin(rows);
    for (const share of [0.3, 0.7]) {
      await waitFor('a part is there', async () => contacts().length > share * rows, {
        deadlineMs: 600_000,
        everyMs: 500,
      });
      await dispatcher.kill('SIGKILL');
      await dispatcher.restart();
    }
    const ended = await untilEnded(exportId, 900_000);
    const tookMs = performance.now() - from;
    const status = readFileSync(`/proc/${dispatcher.pid()}/status`, 'utf8');
    const peakMiB = Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]) / 1_024;
    process.stdout.write(
      `${rows} rows in ${Math.round(tookMs / 1_000)} s with two kills, peak ${Math.round(peakMiB)} MiB\n`,
    );
    const created = rows - there;
    expect(ended).toMatchObject({ status: 'succeeded', rows: { delivered: rows }, actions: { created } });
    expect(contacts()).toHaveLength(rows);
    expect(peakMiB).toBeLessThan(300);
    await dispatcher.ask(undoExport, { params: { export_id: exportId } });
    const undone = await dispatcher.until(
      exportId,
      'it is undone',
      ({ undo }) => undo?.ended_at != null,
      600_000,
    );
    expect(undone.undo?.records).toEqual({ total: created, removed: created, failed: 0 });
    expect(contacts()).toHaveLength(there);
  },
  1_800_000,
);

async function rowsOf(exportId: ExportId, action: 'created'): Promise<unknown[]> {
  const found: unknown[] = [];
  let cursor: string | undefined;
  do {
    const query = { action, limit: 200, ...(cursor !== undefined && { cursor }) };
    const page = await dispatcher.ask(listExportRows, { params: { export_id: exportId }, query });
    found.push(...page.rows.map(({ row, undone }) => [row, undone]));
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  return found;
}

describe('a push that cannot go well', () => {
  it('is refused before any work, with what is wrong and where', async () => {
    const before = hubspot.calls.length;
    const options = {
      fields: [
        { column: 'nickname', property: 'lastname', policy: 'never' },
        { column: 'name', property: 'no_such_property', policy: 'never' },
        { column: 'name', property: 'createdate', policy: 'never' },
        { column: 'name', property: 'mailproof_id', policy: 'never' },
      ],
    };
    await expect(begin(5, options)).rejects.toMatchObject({
      code: 'crm_mapping_not_valid',
      extra: {
        errors: [
          { pointer: '/options/fields/0/column' },
          { pointer: '/options/fields/1/property' },
          { pointer: '/options/fields/2/property' },
          { pointer: '/options/fields/3/property' },
        ],
      },
    });
    await expect(begin(5, { object: 'lead' })).rejects.toMatchObject({ code: 'crm_mapping_not_valid' });
    await expect(begin(5, { connection_id: newId('crmConnection') })).rejects.toMatchObject({
      code: 'crm_connection_not_found',
    });
    expect(hubspot.calls.slice(before).every(({ method }) => method === 'GET')).toBe(true);
  });

  it('never reaches the CRM of another account', async () => {
    const by = { accountId: newId('account'), callerId: newId('user') };
    const calls = hubspot.calls.length;
    const { source, options } = bodyOf(5);
    await expect(dispatcher.ask(createExport, { body: bodyOf(5), by })).rejects.toMatchObject({
      code: 'crm_connection_not_found',
    });
    const question = { connection_id: options.connection_id, object: options.object, source };
    await expect(dispatcher.ask(suggestCrmMapping, { body: question, by })).rejects.toMatchObject({
      code: 'crm_connection_not_found',
    });
    expect(hubspot.calls.length).toBe(calls);
  });
});

it('suggests a mapping that can be sent as it is', async () => {
  const { source, options } = bodyOf(8);
  const question = { connection_id: options.connection_id, object: options.object, source };
  const suggested = await dispatcher.ask(suggestCrmMapping, { body: question });
  expect(suggested).toMatchObject({ rows: 8, missing_properties: [] });
  expect(suggested.fields.map(({ field }) => field)).toContainEqual({
    column: 'email',
    property: 'email',
    policy: 'fill_blank',
  });
  expect(suggested.fields[0]?.samples).toHaveLength(5);
  expect(suggested.unmatched_columns.map(({ column }) => column)).toContain('2019');
  const ended = await pushed(8, { fields: suggested.fields.map(({ field }) => field), dry_run: true });
  expect(ended).toMatchObject({ status: 'succeeded', rows: { delivered: 8, failed: 0 } });
}, 60_000);

it('pushes to Salesforce in the same way', async () => {
  const salesforceId = await connect('salesforce');
  const options = {
    connection_id: salesforceId,
    object: 'contact',
    fields: [
      { column: 'name', property: 'LastName', policy: 'overwrite' },
      { column: 'email', property: 'Email', policy: 'overwrite' },
    ],
  };
  await expect(begin(5, { ...options, fields: options.fields.slice(1) })).rejects.toMatchObject({
    code: 'crm_mapping_not_valid',
  });
  const would = await pushed(230, { ...options, dry_run: true });
  const first = await pushed(230, options);
  expect(first).toMatchObject({ status: 'succeeded', actions: { created: 230, updated: 0, skipped: 0 } });
  expect(would.actions).toEqual(first.actions);
  expect((await pushed(230, options)).actions).toEqual({ created: 0, updated: 0, skipped: 230 });
  await dispatcher.ask(undoExport, { params: { export_id: first.export_id } });
  const undone = await dispatcher.until(
    first.export_id,
    'it is undone',
    ({ undo }) => undo?.ended_at != null,
  );
  expect(undone.undo).toMatchObject({ status: 'succeeded', records: { removed: 230, failed: 0 } });
  await dispatcher.ask(disconnectCrm, { params: { connection_id: salesforceId } });
}, 120_000);
