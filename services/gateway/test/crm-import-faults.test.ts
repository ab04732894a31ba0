import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { benchmarkCatalog, type MailLab, startMailLab } from '@mailproof/mail-lab';
import { Redis } from 'ioredis';
import type pg from 'pg';
import { type CrmHouse, openCrmHouse } from './crm-house.ts';
import { poolOf } from './exported-records.ts';
import { type Person, validating } from './house.ts';
import { logsOf } from './house-telemetry.ts';
import { beginImport, cellsOf, seedContacts, untilImport, untilImportEnded } from './imported-records.ts';
import { askingLab } from './job-house.ts';
import { ownerWith } from './people-store.ts';
import { until } from './until.ts';

/*
 * Imports through the whole house, and faults in the middle of them (ADR 0041). The simulated HubSpot withholds its
 * answers at a page, so that each fault occurs while records are in transit.
 */

const catalog = benchmarkCatalog({ domains: 20, addresses: 200, catchAllShare: 0.02, seed: 41 });
const expected = catalog.flatMap(domain => domain.expected);
const timeoutMs = 90_000;

let lab: MailLab;
let directory: string;
let crms: CrmHouse;
let engine: pg.Pool;
let dispatcher: pg.Pool;

beforeAll(async () => {
  lab = await startMailLab({ catalog });
  directory = await mkdtemp(join(tmpdir(), 'mailproof-imports-'));
  const caFile = join(directory, 'ca.pem');
  await writeFile(caFile, lab.caCertificatePem);
  crms = await openCrmHouse({
    killable: ['validation-engine', 'enrichment', 'webhook-dispatcher'],
    only: [...validating, 'enrichment', 'webhook-dispatcher'],
    lab: false,
    env: { 'validation-engine': askingLab(lab, caFile), 'webhook-dispatcher': { LOG_LEVEL: 'debug' } },
  });
  [engine, dispatcher] = [poolOf(crms.test, 'validation'), poolOf(crms.test, 'dispatcher')];
}, 120_000);

afterAll(async () => {
  await Promise.all([engine?.end(), dispatcher?.end()]);
  await crms?.stop();
  await lab?.close();
  await rm(directory, { recursive: true, force: true });
}, 60_000);

function service(name: 'webhook-dispatcher' | 'validation-engine' | 'enrichment') {
  const found = crms.test.house.services[name];
  if (!found) {
    throw new Error(`There is no service ${name}.`);
  }
  return found;
}

const basics = { object: 'contact', properties: ['email', 'firstname'], address_property: 'email' } as const;

async function connected(credits = 0): Promise<{ owner: Person; connection_id: string }> {
  const owner = await ownerWith(crms.test, credits);
  const { connection_id } = await crms.connect(owner, 'hubspot');
  return { owner, connection_id };
}

/** Starts an import that halts in the middle, while HubSpot withholds an answer. */
async function beginHeld(records: number, more: (owner: Person) => Promise<object> = async () => ({})) {
  const { owner, connection_id } = await connected();
  const { segmentId, ids } = seedContacts(crms.hubspot, records);
  let release: () => void = () => undefined;
  const held = new Promise<void>(resolve => {
    release = resolve;
  });
  // Two calls before the import, and two for each of its pages.
  crms.hubspot.switches.afterCalls(8, () => crms.hubspot.switches.holdAnswers(held));
  const importId = await beginImport(owner, {
    ...basics,
    connection_id,
    selection: { segment_id: segmentId },
    ...(await more(owner)),
  });
  await untilImport('some are read', owner, importId, record => readOf(record) > 0);
  return { owner, importId, ids, release, connection_id };
}

const readOf = (record: Record<string, unknown>) => (record['records'] as { read: number }).read;

/** Jobs of the account that are not marked as gone. */
async function jobsOf(owner: Person): Promise<unknown[]> {
  const { rows } = await engine.query(
    'SELECT state, rows_total FROM validation_job WHERE account_id = $1 AND gone_at IS NULL',
    [owner.accountId],
  );
  return rows;
}

/** Every record has become a row of the only job, in order. */
async function expectWhole(owner: Person, importId: string, ids: readonly string[]): Promise<void> {
  const record = await untilImportEnded(owner, importId, timeoutMs);
  expect(record).toMatchObject({
    state: 'succeeded',
    records: { total: ids.length, read: ids.length, shortened: 0 },
    addresses: ids.length,
    failure: null,
  });
  const cells = await cellsOf(owner, String(record['job_id']));
  expect(cells.map(([id]) => id)).toEqual(ids);
  expect(await jobsOf(owner)).toEqual([{ state: 'ready', rows_total: ids.length }]);
}

describe('an import', () => {
  it(
    'reads more records than HubSpot lets a client search through, by their ids',
    async () => {
      const { owner, connection_id } = await connected();
      const { ids } = seedContacts(crms.hubspot, 12_000, () => ({ city: 'Long List' }));
      const filters = [{ property: 'city', operator: 'is', values: ['Long List'] }];
      const importId = await beginImport(owner, { ...basics, connection_id, selection: { filters } });
      await expectWhole(owner, importId, ids);
    },
    timeoutMs,
  );

  it(
    'reads leads of Salesforce as well, page by page',
    async () => {
      const owner = await ownerWith(crms.test, 0);
      const { connection_id } = await crms.connect(owner, 'salesforce');
      const leads = (count: number, City: string) =>
        crms.salesforce.seed(
          'Lead',
          Array.from({ length: count }, (_, index) => ({
            LastName: `L ${index}`,
            Company: 'Leads & <b>Sons</b>',
            Email: index === 3 ? null : `l${index}@${City.toLowerCase()}.example`,
            City,
          })),
        );
      leads(20, 'Elsewhere');
      const ids = leads(450, 'Here');
      const importId = await beginImport(owner, {
        object: 'lead',
        connection_id,
        selection: { filters: [{ property: 'City', operator: 'is', values: ['Here'] }] },
        properties: ['LastName', 'Email', 'Company'],
        address_property: 'Email',
      });
      const record = await untilImportEnded(owner, importId, timeoutMs);
      expect(record).toMatchObject({
        state: 'succeeded',
        records: { total: 450, read: 450 },
        addresses: 449,
      });
      const cells = await cellsOf(owner, String(record['job_id']));
      expect(cells.map(([id]) => id)).toEqual(ids);
      expect(cells[3]).toEqual([ids[3], 'L 3', '', 'Leads & <b>Sons</b>']);
    },
    timeoutMs,
  );

  it(
    'that is with a dispatcher that is killed starts again, and leaves one job',
    async () => {
      const { owner, importId, ids, release } = await beginHeld(1_000);
      await service('webhook-dispatcher').kill('SIGKILL');
      release();
      await service('webhook-dispatcher').restart();
      await expectWhole(owner, importId, ids);
    },
    timeoutMs,
  );

  it(
    'whose engine is killed starts again, and leaves one job',
    async () => {
      const { owner, importId, ids, release } = await beginHeld(1_000);
      await service('validation-engine').kill('SIGKILL');
      release();
      await service('validation-engine').restart();
      await expectWhole(owner, importId, ids);
    },
    timeoutMs,
  );

  it.each(['webhook-dispatcher', 'enrichment'] as const)(
    'into a list continues after %s is killed in the middle, and counts exactly',
    async name => {
      let listId = '';
      const { owner, importId, release } = await beginHeld(1_000, async of => {
        const { body } = await of.post('/saved-lists', { kind: 'companies', name: 'Customers' });
        listId = String(body['list_id']);
        return { properties: ['email'], list_id: listId };
      });
      await service(name).kill('SIGKILL');
      release();
      await service(name).restart();
      expect(await untilImportEnded(owner, importId, timeoutMs)).toMatchObject({
        state: 'succeeded',
        records: { total: 1_000, read: 1_000, without_domain: 0 },
        domains: { added: 1, present: 0 },
        job_id: null,
      });
      expect((await owner.get(`/saved-lists/${listId}`)).body['domains']).toBe(1);
      expect(await jobsOf(owner)).toEqual([]);
    },
    timeoutMs,
  );

  it(
    'whose CRM has no calls left for the day pauses, says until when, and leaves nothing when it is canceled',
    async () => {
      const { owner, importId, release } = await beginHeld(1_000);
      crms.hubspot.switches.throttleNext('DAILY');
      release();
      const paused = await untilImport('it is paused', owner, importId, ({ pause }) => pause !== null);
      expect(paused).toMatchObject({ state: 'reading', pause: { reason: 'crm_exhausted' }, job_id: null });
      const { resumes_at } = paused['pause'] as { resumes_at: string };
      expect(Date.parse(resumes_at)).toBeGreaterThan(Date.now());
      await until(
        'no request finds a job',
        () => jobsOf(owner),
        jobs => jobs.length === 0,
      );
      const cancelled = await owner.post(`/crm-imports/${importId}/cancellation`, undefined);
      expect(cancelled.body).toMatchObject({ state: 'cancelled', pause: null });
    },
    timeoutMs,
  );

  it(
    'whose CRM takes our access away ends, and says what to do',
    async () => {
      const { owner, importId, release, connection_id } = await beginHeld(1_000);
      crms.hubspot.oauth.revokeAll();
      release();
      expect(await untilImportEnded(owner, importId)).toMatchObject({
        state: 'failed',
        failure: { reason: 'access_revoked', detail: expect.stringContaining('Reconnect it') },
      });
      await until(
        'no request finds a job',
        () => jobsOf(owner),
        jobs => jobs.length === 0,
      );
      const again = { ...basics, connection_id, selection: {} };
      expect((await owner.post('/crm-imports', again)).body['code']).toBe('crm_access_revoked');
    },
    timeoutMs,
  );
});

/** Record contents are in no table of the dispatcher, in no log and nowhere in Redis. */
async function expectNothingKept(texts: readonly string[]): Promise<void> {
  const kept: string[] = [await logsOf(crms.test.house)];
  for (const table of ['crm_import', 'export', 'export_row', 'export_row_mark', 'outbox']) {
    const { rows } = await dispatcher.query<{ text: string }>(
      `SELECT coalesce(string_agg(to_jsonb(t)::text, ' '), '') AS text FROM ${table} t`,
    );
    kept.push(rows[0]?.text ?? '');
  }
  const redis = new Redis(crms.test.house.redisUrl);
  await redis.config('SET', 'rdbcompression', 'no');
  for await (const keys of redis.scanStream({ count: 1_000 })) {
    for (const key of keys as string[]) {
      kept.push(key, (await redis.dumpBuffer(key))?.toString('latin1') ?? '');
    }
  }
  redis.disconnect();
  const all = kept.join('\n');
  const controls = ['import ended', 'run-crm-import'];
  expect(controls.filter(text => !all.includes(text))).toEqual([]);
  expect(texts.filter(text => all.includes(text))).toEqual([]);
}

/** The contacts in the simulated HubSpot, without their modification times. */
function contactsOf(ids: readonly string[]) {
  const wanted = new Set(ids);
  return crms.hubspot
    .records('contacts')
    .filter(({ id }) => wanted.has(id))
    .map(({ id, values: { hs_lastmodifieddate: _changed, lastmodifieddate: _too, ...values } }) => ({
      id,
      values,
    }));
}

describe('a filtered validation', () => {
  it(
    'writes its results back into the records that were read, and changes nothing else',
    async () => {
      const { owner, connection_id } = await connected(300);
      const special = [
        { email: '', company: '<b>Nobody</b>, "Ltd"\nSecond line' },
        { email: 'two..dots@family.example', company: '=cmd|1' },
      ];
      const { segmentId, ids } = seedContacts(crms.hubspot, expected.length + special.length, index => ({
        email: expected[index]?.address ?? '',
        jobtitle: 'Engineer',
        ...(index % 2 === 0 && { country: 'Kept' }),
        ...special[index - expected.length],
      }));
      const { ids: others } = seedContacts(crms.hubspot, 10, () => ({ city: 'Elsewhere' }));
      const before = contactsOf(ids);
      const othersBefore = contactsOf(others);
      const field = (column: string, property: string, policy = 'overwrite') => ({
        column,
        property,
        policy,
      });
      const importId = await beginImport(owner, {
        object: 'contact',
        connection_id,
        selection: { segment_id: segmentId },
        properties: ['email', 'company'],
        address_property: 'email',
        start_when_ready: true,
        credits_max: 300,
        write_back: {
          fields: [
            field('result_status', 'city'),
            field('valid', 'website'),
            field('validated_at', 'closedate'),
            field('result_status', 'country', 'fill_blank'),
          ],
        },
      });
      const record = await untilImportEnded(owner, importId, timeoutMs);
      expect(record).toMatchObject({
        state: 'succeeded',
        failure: null,
        addresses: expected.length,
        validated: expected.length,
        written_back: { total: expected.length + 1, done: expected.length + 1 },
      });
      expect((await owner.get(`/validation-jobs/${record['job_id']}`)).body).toMatchObject({
        state: 'succeeded',
        rows: { total: ids.length, valid: expected.length, broken: 1, blank: 1 },
      });
      expect((await owner.get(`/exports/${record['export_id']}`)).body).toMatchObject({
        status: 'succeeded',
        target: 'crm',
        rows: { delivered: expected.length + 1, failed: 0 },
        actions: { created: 0, updated: expected.length + 1, skipped: 0 },
      });
      const cells = await cellsOf(owner, String(record['job_id']));
      expect(cells.slice(-2).map(row => row[2])).toEqual(special.map(({ company }) => company));
      const after = contactsOf(ids);
      for (const [index, { id, values }] of after.entries()) {
        const was = before[index]?.values ?? {};
        if (index === expected.length) {
          expect({ id, values }).toEqual(before[index]);
          continue;
        }
        const result = expected[index]?.result ?? 'invalid';
        const { closedate, ...rest } = values;
        expect({ id, rest }).toEqual({
          id,
          rest: {
            ...was,
            city: result,
            website: String(result === 'ok' || result === 'catch_all_validated'),
            country: was['country'] ?? result,
          },
        });
        expect(index > expected.length || Date.parse(closedate ?? '') > Date.now() - 600_000).toBe(true);
      }
      expect(contactsOf(others)).toEqual(othersBefore);
      await expectNothingKept([expected[0]?.address ?? '', 'Nobody</b>']);
    },
    timeoutMs,
  );
});
