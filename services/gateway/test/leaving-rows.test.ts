import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  freePort,
  openWebhookReceiver,
  type ReceivedRequest,
  services,
  type WebhookReceiver,
} from '@mailproof/dev-house';
import { catchAllPostfix, type DomainScript, postfix } from '@mailproof/mail-lab';
import { newId } from '@mailproof/shared-types';
import { Redis } from 'ioredis';
import pg from 'pg';
import { getText, readyJob, untilExportEnded } from './exported-records.ts';
import { followTrace, lineOf } from './followed-trace.ts';
import type { Answer, Person } from './house.ts';
import { type Collector, logsOf, type Span, startCollector } from './house-telemetry.ts';
import { type JobHouse, openJobHouse, startJob, untilJobEnded } from './job-house.ts';
import { ownerWith } from './people-store.ts';
import { metricsNamed, readMetrics, type ServedMetrics, withoutPart } from './served-metrics.ts';
import { everythingIn, tablesWith, withCanaries } from './traces-of.ts';
import { until } from './until.ts';

/*
 * Takes one list through the whole system: uploads it, validates it at the lab, downloads and pushes it. Compares what
 * arrives with what was sent and with the lab's verdicts; then searches for the data in every place where it must not
 * be.
 */

const mark = randomBytes(5).toString('hex');
/** The address of a person; nothing of it may be left after the job and its exports are deleted. */
const person = `canary.person.${mark}`;
const secretOctets = randomBytes(32);

const mx = 'mx.canaries.test';
const openMx = 'mx.open.test';
const story = 'A domain of a test.';
const catalog: readonly DomainScript[] = [
  {
    domain: 'canaries.test',
    story,
    dns: { mx: [[10, mx]] },
    hosts: { [mx]: postfix(['ada', person]) },
    expected: [],
  },
  {
    domain: 'open.test',
    story,
    dns: { mx: [[10, openMx]] },
    hosts: { [openMx]: catchAllPostfix() },
    expected: [],
  },
];

/**
 * Our own column names, a number, a formula, a quoted line break, leading zeros, and a duplicate, a missing and a wrong
 * address.
 */
const header = ['name', 'email', '2019', 'valid', 'result_status', 'note'];
const lines: readonly (readonly string[])[] = [
  ['Ada', 'ada@canaries.test', '007', 'yes', 'new', '=1+1'],
  [`Canary-Cell-${mark}`, `${person}@canaries.test`, '1', 'no', '', 'two\nlines, "quoted"'],
  ['Nobody', 'nobody@canaries.test', '', '', '', ''],
  ['Again', 'ada@CANARIES.test', '3', '', '', ''],
  ['Anna', 'ada@canaries.test', '2', '', '', '+49 30 901820'],
  ['Open', 'someone@open.test', '-5', '', '', ''],
  ['Broken', 'no address', '', '', '', ''],
  ['Blank', '', '', '', '', ''],
];
const csv = [header, ...lines]
  .map(cells => cells.map(cell => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(','))
  .join('\n');

/** The number of distinct addresses with a verdict. */
const addressesAsked = 4;

const columns = ['name', '2019', 'input_valid', 'input_result_status', 'note'];
const ours = ['email', 'result_status', 'valid', 'mx_domain', 'mx_provider', 'email_type'];

const secret = `whsec_${secretOctets.toString('base64')}`;
const urlCanary = `canary-url-${mark}`;
const headerCanary = `canary-header-${mark}`;
const secrets = [urlCanary, headerCanary, secret.slice('whsec_'.length)];
const personal = [person, `Canary-Cell-${mark}`];

let collector: Collector;
const metricsPorts: Record<string, number> = {};
let house: JobHouse;
let receiver: WebhookReceiver;
let owner: Person;
let admin: pg.Pool;
let redis: Redis;
let jobId: string;
/** All answers about exports, except their rows and the answers that show a secret once. */
const answers: string[] = [];

beforeAll(async () => {
  collector = await startCollector();
  receiver = await openWebhookReceiver();
  for (const { name } of services) {
    metricsPorts[name] = await freePort();
  }
  const env = Object.fromEntries(
    services.map(({ name }) => [
      name,
      {
        ...collector.settings(name),
        OTEL_METRICS_EXPORTER: 'prometheus',
        OTEL_EXPORTER_PROMETHEUS_PORT: String(metricsPorts[name]),
        ...(name === 'webhook-dispatcher' && { OUTBOUND_ALLOWED_PRIVATE_RANGES: '127.0.0.1/32' }),
        ...(name === 'credit-ledger' && { AUDIT_INTERVAL_MS: '1000' }),
        ...(name === 'validation-engine' && { VALIDATION_STANDING_CHECK_HOURS: '1' }),
      },
    ]),
  );
  house = await openJobHouse(catalog, {
    inOneProcess: false,
    only: services.map(({ name }) => name),
    env: { ...env, gateway: { ...env['gateway'], SESSION_REQUESTS_PER_SECOND_MAX: '1000' } },
  });
  const { databaseAdminUrl, databaseUrls, redisUrl } = house.test.house;
  const url = new URL(databaseAdminUrl);
  url.pathname = new URL(databaseUrls['dispatcher']?.databaseUrl ?? '').pathname;
  admin = new pg.Pool({ connectionString: url.href, max: 2 });
  redis = new Redis(redisUrl);
  owner = await ownerWith(house.test, 100);
  jobId = await readyJob(house.test, owner, csv);
  await startJob(owner, jobId);
  await untilJobEnded(owner, jobId);
}, 180_000);

afterAll(async () => {
  redis?.disconnect();
  await admin?.end();
  await house?.stop();
  await receiver?.close();
  await collector?.stop();
}, 60_000);

const source = () => ({ kind: 'validation_job', job_id: jobId });
const told = ({ body }: Answer) => {
  answers.push(JSON.stringify({ ...body, push: undefined }));
  return body;
};

/** Two rows, so that failing pushes fail soon. */
const fewRows = () => ({ ...source(), results: ['ok'], without_duplicates: true });

async function push(url: string, rows: object = source()): Promise<string> {
  const destination = {
    url,
    header: { name: 'Authorization', value: `Bearer ${headerCanary}` },
    signing_secret: secret,
  };
  const started = await owner.post(
    '/exports',
    { source: rows, target: 'webhook', destination },
    { 'idempotency-key': newId('request') },
  );
  expect([started.status, started.body['code']]).toEqual([202, undefined]);
  told(started);
  return String(started.body['export_id']);
}

/** The lab's verdict on each row, in the specification's fields. */
const verdicts: readonly (readonly [string | null, string | null, boolean | null])[] = [
  ['ada@canaries.test', 'ok', true],
  [`${person}@canaries.test`, 'ok', true],
  ['nobody@canaries.test', 'invalid', false],
  ['ada@CANARIES.test', 'ok', true],
  ['ada@canaries.test', 'ok', true],
  ['someone@open.test', 'catch_all', false],
  ['no address', 'invalid', false],
  [null, null, null],
];

describe('a list that is validated', () => {
  it('leaves as a file and by a webhook with its own columns and the verdicts of the mail hosts', async () => {
    const exportId = await push(`${receiver.url}/${urlCanary}?token=${urlCanary}`);
    const ended = await untilExportEnded(owner, exportId);
    expect(ended).toMatchObject({
      status: 'succeeded',
      columns: [...columns, ...ours],
      rows: { total: lines.length, delivered: lines.length, failed: 0, gone: 0 },
    });
    const rows = receiver.requests.filter(({ headers }) =>
      String(headers['webhook-id']).startsWith(exportId),
    );
    expect(rows).toHaveLength(lines.length);
    const file = await owner.post('/exports', { source: source(), target: 'csv' });
    const fileId = String(told(file)['export_id']);
    await untilExportEnded(owner, fileId);
    const { text } = await getText(house.test, owner, `/exports/${fileId}/file`);
    const records = recordsOf(text);
    expect(records[0]).toEqual([...columns, ...ours]);
    expect(records).toHaveLength(lines.length + 1);
    for (const [at, [name, , year, valid, status, note]] of lines.entries()) {
      const request = rows.find(({ headers }) => headers['webhook-id'] === `${exportId}_${at + 1}`);
      const row = JSON.parse(request?.body ?? '{}') as Record<string, unknown>;
      const [email, result, isValid] = verdicts[at] ?? [];
      expect(row).toMatchObject({
        name,
        '2019': year,
        input_valid: valid,
        input_result_status: status,
        note,
        email,
        result_status: result,
        valid: isValid,
      });
      // Checks the text as sent: a parsed object would list the numeric name first.
      const names = [...(request?.body ?? '').matchAll(/"([a-z0-9_]+)":/g)].map(([, key]) => key);
      expect(names).toEqual([...columns, ...ours]);
      expect(request?.headers.authorization).toBe(`Bearer ${headerCanary}`);
      expect(request?.headers['webhook-signature']).toBe(signatureOf(request));
      const inFile = Object.fromEntries(
        [...columns, ...ours].map((key, index) => [key, records[at + 1]?.[index]]),
      );
      for (const [key, value] of Object.entries(row)) {
        const cell = value === null ? '' : String(value);
        expect([at, key, inFile[key]]).toEqual([at, key, cell === '=1+1' ? `'${cell}` : cell]);
      }
      if (email?.includes('@')) {
        expect(row['mx_domain']).toBe(email.split('@')[1]?.toLowerCase());
        expect(row['email_type']).toBe('business');
      }
    }
    expect((await owner.get('/balance')).body).toMatchObject({ available: 100 - addressesAsked, held: 0 });
  }, 60_000);
});

describe('the telemetry of a list', () => {
  /** The span that an operation of a service left. */
  const operationSpan = (spans: readonly Span[], service: string, operation: string) =>
    spans.find(
      ({ service: from, attributes }) => from === service && attributes['mailproof.operation'] === operation,
    );

  it('leads from its upload to the rows that were delivered, through every service and queue', async () => {
    const delivered = await until(
      'the rows that were delivered',
      async () => {
        const spans = collector.spans();
        const upload = operationSpan(spans, 'gateway', 'create-validation-job');
        return upload ? followTrace(spans, upload.traceId) : [];
      },
      spans => spans.some(({ attributes }) => attributes['mailproof.rows.delivered'] === lines.length),
    );
    expect(new Set(delivered.map(({ service }) => service))).toEqual(
      // The engine asks enrichment about people at the domain that accepts every recipient.
      new Set(['gateway', 'validation-engine', 'enrichment', 'credit-ledger', 'webhook-dispatcher']),
    );
    const push = delivered.find(({ attributes }) => attributes['mailproof.rows.delivered'] === lines.length);
    const chunk = delivered.find(({ name }) => name === 'validate chunk');
    for (const [span, queue, operation] of [
      [push, 'webhook-dispatcher.run-export', 'create-export'],
      [chunk, 'validation-engine.run-validation-job', 'start-validation-job'],
    ] as const) {
      const line = lineOf(delivered, span as Span);
      expect(line.map(({ name }) => name)).toContain(`process ${queue}`);
      expect(line.at(-1)?.service).toBe('gateway');
      expect(line.map(({ attributes }) => attributes['mailproof.operation'])).toContain(operation);
    }
  }, 60_000);
  it('has no span for each row, neither of Postgres nor of Redis', () => {
    const spans = collector.spans();
    const turns = ['validate chunk', 'take export on'];
    const ofJobs = spans.filter(span =>
      lineOf(spans, span).some(({ name, service }) => service === span.service && turns.includes(name)),
    );
    expect(ofJobs.map(({ name }) => name)).toEqual(expect.arrayContaining(turns));
    expect(
      ofJobs.filter(({ attributes }) => 'db.system.name' in attributes || 'db.system' in attributes),
    ).toEqual([]);
  });

  it('counts requests by their routes, and shows nothing that a stranger has made up', async () => {
    await fetch(`${house.test.house.services['gateway']?.url}/${urlCanary}?token=${urlCanary}`);
    const { text } = await readMetrics(metricsPorts['gateway'] ?? 0);
    expect(text).toMatch(
      /http_server_request_duration_seconds_count\{.*http_route="\/app\/v1\/exports".*\} [1-9]/,
    );
    expect(text).toMatch(
      /http_server_request_duration_seconds_count\{.*http_response_status_code="404".*\} 1/,
    );
    expect(text).not.toContain(urlCanary);
  });

  it('is used in dashboards, alerts and their runbook', async () => {
    const { shown, labels } = await allMetrics();
    const { named, documented } = await metricsNamed(labels);
    expect(named.size).toBeGreaterThan(30);
    expect([...named].filter(name => !shown.has(name))).toEqual([]);
    const ours = [...shown].filter(name => name.startsWith('mailproof_')).map(withoutPart);
    expect([...documented].sort()).toEqual([...new Set(ours)].sort());
  }, 60_000);
});

describe('where rows go, and whom they name', () => {
  it('is revealed nowhere, however a push ends, and nothing is left when the job and its exports are deleted', async () => {
    const closed = await closedPort();
    receiver.react(({ path, body }) =>
      path.startsWith('/echo')
        ? { status: 500, body }
        : path.startsWith('/away')
          ? { status: 302, headers: { location: `https://${urlCanary}.example/${headerCanary}` } }
          : { status: 200 },
    );
    const failing = {
      echo: await push(`${receiver.url}/echo/${urlCanary}`, fewRows()),
      refused: await push(`http://127.0.0.1:${closed}/${urlCanary}`, fewRows()),
      notTls: await push(`${receiver.url.replace('http:', 'https:')}/${urlCanary}`, fewRows()),
      redirect: await push(`${receiver.url}/away/${urlCanary}`, fewRows()),
      nobody: await push(`https://${urlCanary}.invalid/`, fewRows()),
    };
    const bodies = await refusedAnswers(closed);
    const paused = await pausedAndCancelled();
    answers.push(await failedEvent());
    for (const [name, exportId] of Object.entries(failing)) {
      const ended = await untilExportEnded(owner, exportId);
      expect([name, ended['status'], (ended['failure'] as { reason: string }).reason]).toEqual([
        name,
        'failed',
        'nothing_delivered',
      ]);
      answers.push(
        JSON.stringify(ended),
        JSON.stringify((await owner.get(`/exports/${exportId}/rows`)).body),
      );
      const { text } = await getText(house.test, owner, `/exports/${exportId}/failed-rows`);
      expect(text).toContain(person);
      answers.push(text);
    }
    expect(withCanaries(secrets, [...answers, ...bodies].join('\n'))).toEqual([]);

    await untilTold([...Object.values(failing), paused]);
    const everywhere = async () => ({
      told: withCanaries(
        [...secrets, ...personal],
        `${collector.received()}\n${await servedText()}\n${await logsOf(house.test.house)}`,
      ),
      redis: withCanaries([...secrets, ...personal], await everythingIn(redis)),
      tables: Object.fromEntries(
        await Promise.all([...secrets, ...personal].map(async text => [text, await tablesWith(admin, text)])),
      ) as Record<string, string[]>,
    });
    const ofJob = ['validation.validation_job', 'validation.validation_job_row'];
    expect(await everywhere()).toEqual({
      told: [],
      redis: [],
      tables: {
        ...Object.fromEntries(secrets.map(text => [text, []])),
        [person]: ofJob.toSpliced(1, 0, 'validation.validation_job_address'),
        // The first cells of each column are shown with the job.
        [personal[1] ?? '']: ofJob,
      },
    });

    const { body } = await owner.get('/exports?limit=100');
    for (const { export_id } of body['exports'] as { export_id: string }[]) {
      expect((await owner.delete(`/exports/${export_id}`)).status).toBe(200);
    }
    expect((await owner.delete(`/validation-jobs/${jobId}`)).status).toBe(200);
    const nowhere = Object.fromEntries([...secrets, ...personal].map(text => [text, []]));
    // An engine looks for jobs to remove when it starts, so the restart saves the wait of a quarter of a minute.
    await house.test.house.services['validation-engine']?.restart();
    await until(
      'its rows are gone',
      async () =>
        (await admin.query('SELECT FROM validation.validation_job WHERE job_id = $1', [jobId])).rowCount,
      jobs => jobs === 0,
    );
    expect(await everywhere()).toEqual({ told: [], redis: [], tables: nowhere });
  }, 120_000);
});

/** What is shown of an event that an endpoint refuses, without the endpoint itself, whose URL its account may see. */
async function failedEvent(): Promise<string> {
  const { body: endpoint } = await owner.post('/webhook-endpoints', {
    url: `${receiver.url}/echo/${urlCanary}?token=${urlCanary}`,
    event_types: ['credits.low'],
  });
  const deliveries = `/webhook-endpoints/${endpoint['endpoint_id']}/deliveries`;
  const { body: sent } = await owner.post(`/webhook-endpoints/${endpoint['endpoint_id']}/test`, undefined);
  const { body } = await until(
    'the event is refused',
    () => owner.get(`${deliveries}/${sent['delivery_id']}`),
    ({ body: { attempts } }) => attempts === 1,
  );
  expect(body['status_code']).toBe(500);
  return JSON.stringify([body, (await owner.get(deliveries)).body]);
}

/** The answers to forbidden destinations and to failing test rows. */
async function refusedAnswers(closed: number): Promise<string[]> {
  const destination = { header: { name: 'X-Key', value: headerCanary }, signing_secret: secret };
  const asked = [
    `https://${urlCanary}:${urlCanary}@receiver.example/`,
    `http://10.0.0.1/${urlCanary}`,
    `https://receiver.example:25/${urlCanary}`,
    `ftp://receiver.example/${urlCanary}`,
    `${urlCanary} is no URL`,
    `http://127.0.0.1:${closed}/${urlCanary}`,
    `https://${urlCanary}.invalid/`,
  ];
  return Promise.all(
    asked
      .flatMap(url => [
        owner.post('/export-test-rows', { source: source(), destination: { ...destination, url } }),
        owner.post('/exports', {
          source: { ...source(), job_id: newId('validationJob') },
          target: 'webhook',
          destination: { ...destination, url },
        }),
      ])
      .map(async answer => {
        const { status, body } = await answer;
        expect([status, body['outcome']]).not.toEqual([200, 'delivered']);
        // The secret of a test row is shown, and so is the row.
        return JSON.stringify({ ...body, push: undefined, row: undefined });
      }),
  );
}

/** A push that is paused, hides its destination, and is then canceled. */
async function pausedAndCancelled(): Promise<string> {
  const exportId = await until(
    'there is room for one more push',
    async () => {
      const started = await owner.post('/exports', {
        source: source(),
        target: 'webhook',
        options: { rows_per_second_max: 0.1 },
        destination: { url: `${receiver.url}/${urlCanary}`, signing_secret: secret },
      });
      return started.status === 202 ? String(started.body['export_id']) : started.body['code'];
    },
    answer => answer !== 'too_many_exports',
  );
  expect((await owner.post(`/exports/${exportId}/pause`, undefined)).status).toBe(200);
  const kept = await everythingIn(redis);
  expect(kept).toContain(`destination:${exportId}`);
  expect(withCanaries([...secrets, ...personal], kept)).toEqual([]);
  expect((await owner.post(`/exports/${exportId}/cancellation`, undefined)).status).toBe(200);
  return String(exportId);
}

/** Waits until the end of each push is logged and its rows are in the metrics. */
async function untilTold(exportIds: readonly string[]): Promise<void> {
  await until(
    'the ends of the pushes are told',
    async () => {
      const log = await logsOf(house.test.house);
      const ends = log.split('\n').filter(line => line.includes('export ended'));
      return exportIds.filter(exportId => !ends.some(line => line.includes(exportId)));
    },
    missing => missing.length === 0,
  );
  expect(await servedText()).toMatch(/mailproof_push_rows_total\{outcome="failed".*\} [1-9]/);
}

/** What Prometheus would scrape from all services now. */
const servedMetrics = (): Promise<ServedMetrics[]> =>
  Promise.all(Object.values(metricsPorts).map(readMetrics));

async function servedText(): Promise<string> {
  return (await servedMetrics()).map(({ text }) => text).join('\n');
}

/** All metrics of the house, once the late ones are present: those of the first audit and the first standing check. */
async function allMetrics(): Promise<{ shown: Set<string>; labels: Set<string> }> {
  const late = ['mailproof_ledger_audit_last_clean', 'mailproof_standing_failed'];
  return until(
    'all metrics are shown',
    async () => {
      const served = await servedMetrics();
      return {
        shown: new Set(served.flatMap(({ names }) => [...names])),
        labels: new Set(served.flatMap(({ labels }) => [...labels])),
      };
    },
    ({ shown }) => late.every(name => shown.has(name)),
  );
}

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** The Standard Webhooks signature, made with the customer's secret. */
function signatureOf(request: ReceivedRequest | undefined): string {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp } = request?.headers ?? {};
  const signed = `${id}.${timestamp}.${request?.body}`;
  return `v1,${createHmac('sha256', secretOctets).update(signed).digest('base64')}`;
}

/** Reads CSV, including quotes and quoted line breaks. */
function recordsOf(text: string): string[][] {
  const records: string[][] = [[]];
  for (const [, quoted, bare, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    if (end === '' && quoted === undefined && bare === '' && records.at(-1)?.length === 0) {
      break;
    }
    records.at(-1)?.push(quoted?.replaceAll('""', '"') ?? bare ?? '');
    if (end === '\r\n') {
      records.push([]);
    }
  }
  return records.filter(record => record.length > 0);
}
