import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openWebhookReceiver, type WebhookReceiver } from '@mailproof/dev-house';
import {
  type AccountId,
  accountHeader,
  type KeyScope,
  newId,
  sandboxAccountOf,
  sandboxDomain,
  sandboxEntries,
  validationJob,
  validationResults,
} from '@mailproof/shared-types';
import type pg from 'pg';
import { Webhook } from 'standardwebhooks';
import { poolOf, untilExportEnded } from './exported-records.ts';
import { type Customer, openSharedHouse, type Person, type TestHouse } from './house.ts';
import { untilJob, untilJobEnded } from './job-house.ts';
import { blocksOf } from './page-commands.ts';
import { newSandboxAccount, newKey as newSandboxKey } from './sandbox-accounts.ts';
import { until } from './until.ts';

/* Jobs of test keys, in a house in which live keys have the real ones. */

let test: TestHouse;
let engine: pg.Pool;
let receiver: WebhookReceiver;

beforeAll(async () => {
  test = await openSharedHouse();
  engine = poolOf(test, 'validation');
  receiver = await openWebhookReceiver();
}, 120_000);

afterAll(async () => {
  await receiver?.close();
  await engine?.end();
  await test?.stop();
});

const newKey = (owner: Person, mode: 'live' | 'test', scopes?: readonly KeyScope[]) =>
  newSandboxKey(test, owner, mode, scopes);
const newAccount = () => newSandboxAccount(test);

const verdicts = [...sandboxEntries].filter(([, { kind }]) => kind === 'verdict').map(([name]) => name);
const at = (name: string) => `${name}@${sandboxDomain}`;

function upload(who: Customer | Person, rows: readonly unknown[], query = '') {
  return who.send(`/validation-jobs${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: rows.map(row => `${JSON.stringify(row)}\n`).join(''),
  });
}

async function readyJob(who: Customer, rows: readonly unknown[]): Promise<string> {
  const { status, body } = await upload(who, rows);
  expect([status, body['detail']]).toEqual([201, undefined]);
  return validationJob.strict().parse(body).job_id;
}

const start = (who: Customer | Person, jobId: string) =>
  who.send(`/validation-jobs/${jobId}/start`, { method: 'POST' });

async function fileOf(who: Customer, exportId: unknown): Promise<string> {
  const response = await fetch(`${test.house.gatewayUrls[0]}/api/v1/exports/${exportId}/file`, {
    headers: { 'x-api-key': who.apiKey },
  });
  expect(response.status).toBe(200);
  return response.text();
}

describe('a job of a test key', () => {
  it('gets every documented verdict at once, costs nothing, and is exported', async () => {
    const { tester, owner } = await newAccount();
    const rows = [
      ...verdicts.map((name, index) => ({ email: at(name), position: index })),
      at('OK'),
      'no address',
    ];
    const { body: ready } = await upload(tester, rows, '?name=CI');
    expect(ready).toMatchObject({
      name: 'CI',
      state: 'ready',
      test: true,
      addresses: verdicts.length,
      price: 0,
      cost_max: 0,
      created_by: tester.apiKeyId,
    });
    const jobId = String(ready['job_id']);
    expect((await start(tester, jobId)).status).toBe(202);
    const job = validationJob.parse(await untilJobEnded(tester, jobId, 20_000));
    expect(job).toMatchObject({
      state: 'succeeded',
      done: verdicts.length,
      spent: 0,
      reserved: 0,
      waiting: 0,
    });
    const expected = Object.fromEntries(validationResults.map(result => [result, 0]));
    for (const [name, entry] of [...sandboxEntries, ['ok', sandboxEntries.get('ok')] as const]) {
      if (entry?.kind === 'verdict') {
        expected[entry.result] = (expected[entry.result] ?? 0) + 1;
        const { body } = await tester.get(`/validation-jobs/${jobId}/rows?limit=200`);
        const found = (body['rows'] as { email: string; verdict: object }[]).find(
          row => row.email === at(name),
        );
        expect(found?.verdict).toMatchObject({ result: entry.result, reason: entry.reason });
      }
    }
    // The row that is no address.
    expect(job.results).toEqual({ ...expected, invalid: (expected['invalid'] ?? 0) + 1 });
    const { body: summary } = await tester.get(`/validation-jobs/${jobId}/summary`);
    expect(summary['reasons']).toContainEqual({ result: 'unknown', reason: 'greylisted', rows: 1 });
    const source = { kind: 'validation_job', job_id: jobId, results: ['catch_all_validated'] };
    const made = await tester.post('/exports', JSON.stringify({ target: 'csv', source }));
    await untilExportEnded(tester, String(made.body['export_id']));
    expect((await fileOf(tester, made.body['export_id'])).replaceAll('\r\n', '\n').split('\n')).toEqual([
      'position,email,result_status,valid,mx_domain,mx_provider,email_type',
      `1,${at('catch-all-validated')},catch_all_validated,true,${sandboxDomain},,business`,
      `${verdicts.indexOf('evidence-confirms')},${at('evidence-confirms')},catch_all_validated,true,${sandboxDomain},,business`,
      '',
    ]);
    expect((await owner.get('/statement')).body).toMatchObject({ entries: [] });
    expect((await owner.get('/receipts')).body).toMatchObject({ receipts: [] });
  }, 120_000);

  it('can be changed, started and deleted like any other', async () => {
    const { tester } = await newAccount();
    const jobId = await readyJob(tester, [{ email: at('ok'), backup: at('invalid') }]);
    const change = { name: 'Other', address_column: 1 };
    const changed = await tester.send(`/validation-jobs/${jobId}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(change),
    });
    expect(changed.body).toMatchObject({ name: 'Other', test: true, address_column: 1 });
    const early = await tester.send(`/validation-jobs/${jobId}/pause`, { method: 'POST' });
    expect([early.status, early.body['code']]).toEqual([409, 'job_not_under_way']);
    await start(tester, jobId);
    await untilJob('its result', tester, jobId, ({ state }) => state === 'succeeded');
    const { body } = await tester.get(`/validation-jobs/${jobId}/rows`);
    expect(body['rows']).toMatchObject([{ email: at('invalid'), verdict: { result: 'invalid' } }]);
    expect((await tester.send(`/validation-jobs/${jobId}`, { method: 'DELETE' })).status).toBe(200);
    expect((await tester.get(`/validation-jobs/${jobId}`)).body['code']).toBe('job_not_found');
  });

  it.each([
    ['ada@ordinary.example', /^Row 2 has another address\. The sandbox has only .*: ok, /],
    [at('nobody'), /^Row 2 has another address/],
  ])('is refused with another address, such as %s, and leaves nothing behind', async (email, words) => {
    const { tester } = await newAccount();
    for (const type of ['json', 'csv'] as const) {
      const answer = await tester.send('/validation-jobs', {
        method: 'POST',
        headers: { 'content-type': type === 'csv' ? 'text/csv' : 'application/json' },
        body: type === 'csv' ? `email\n${at('ok')}\n${email}\n` : JSON.stringify([at('ok'), email]),
      });
      expect([answer.status, answer.body['code']]).toEqual([400, 'not_a_sandbox_address']);
      expect(answer.body['detail']).toMatch(words);
    }
    expect((await tester.get('/validation-jobs')).body).toEqual({ jobs: [] });
    const jobId = await readyJob(tester, [{ email: at('ok'), other: email }]);
    const changed = await tester.send(`/validation-jobs/${jobId}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ address_column: 1 }),
    });
    expect(changed.body['code']).toBe('not_a_sandbox_address');
    expect((await tester.get(`/validation-jobs/${jobId}`)).body['address_column']).toBe(0);
  });

  it.each([
    ['error-402', 402, 'credits_exhausted'],
    ['error-429', 429, 'rate_limited'],
    ['error-500', 500, 'internal_error'],
    ['error-503', 503, 'service_unavailable'],
  ])('with %s is refused at its start with %s, and can be started without it', async (name, status, code) => {
    const { tester } = await newAccount();
    const jobId = await readyJob(tester, [at('ok'), at(name)]);
    const answer = await start(tester, jobId);
    expect([answer.status, answer.body['code'], answer.headers.get('x-mailproof-simulated')]).toEqual([
      status,
      code,
      'true',
    ]);
    expect(answer.headers.get('retry-after')).toBe(status === 429 || status === 503 ? '1' : null);
    if (status === 402) {
      expect(answer.body).toMatchObject({ required: 2, available: 0 });
    }
    expect((await tester.get(`/validation-jobs/${jobId}`)).body['state']).toBe('ready');
    const { body } = await tester.get('/validation-jobs?state=ready');
    expect(body['jobs']).toMatchObject([{ job_id: jobId, test: true }]);
  });

  it('needs the scope of its operation', async () => {
    const { owner } = await newAccount();
    const other = await newKey(owner, 'test', ['exports']);
    expect((await upload(other, [at('ok')])).body['code']).toBe('scope_required');
  });
});

it('the commands on the page about the sandbox work', async () => {
  const { tester } = await newAccount();
  const page = await readFile(new URL('../../../docs/sandbox.md', import.meta.url), 'utf8');
  const [, commands = ''] = blocksOf(page, 'sh');
  const { stdout } = await promisify(execFile)('sh', ['-c', commands], {
    env: { ...process.env, MAILPROOF_URL: test.house.gatewayUrls[0], MAILPROOF_TEST_KEY: tester.apiKey },
    timeout: 60_000,
  });
  expect(stdout).toContain('"reason":"greylisted"');
  const rows = stdout.split('\n').filter(line => line.includes('result_status'));
  expect(rows.at(-1)).toContain(
    `"id":null,"email":"${at('greylisted')}","result_status":"unknown","valid":false`,
  );
  expect(rows).toHaveLength(2);
}, 90_000);

describe('the sandbox of an account', () => {
  it('is apart from its live side, by both doors, and from other accounts', async () => {
    const [one, other] = [await newAccount(), await newAccount()];
    const jobId = await readyJob(one.tester, [at('ok')]);
    await start(one.tester, jobId);
    await untilJobEnded(one.tester, jobId);
    const source = { kind: 'validation_job', job_id: jobId };
    const made = await one.tester.post('/exports', JSON.stringify({ target: 'csv', source }));
    const exportId = String(made.body['export_id']);
    const sandbox = { [accountHeader]: sandboxAccountOf(one.owner.accountId as AccountId) };
    for (const reader of [one.live, one.owner, other.live, other.tester, other.owner]) {
      expect((await reader.get('/validation-jobs')).body).toEqual({ jobs: [] });
      expect((await reader.get('/exports')).body).toEqual({ exports: [] });
      expect((await reader.get(`/validation-jobs/${jobId}`)).body['code']).toBe('job_not_found');
      expect((await reader.get(`/validation-jobs/${jobId}/rows`)).body['code']).toBe('job_not_found');
      expect((await reader.get(`/exports/${exportId}`)).body['code']).toBe('export_not_found');
    }
    const stolen = await one.live.post('/exports', JSON.stringify({ target: 'csv', source }));
    expect(stolen.body['code']).toBe('export_source_not_found');
    // The application names the sandbox as the account that it shows.
    expect((await one.owner.get('/validation-jobs', sandbox)).body).toMatchObject({
      jobs: [{ job_id: jobId, test: true }],
    });
    expect((await one.owner.get(`/exports/${exportId}`, sandbox)).body).toMatchObject({
      export_id: exportId,
    });
    expect((await other.owner.get('/validation-jobs', sandbox)).body['code']).toBe('other_account');
    expect((await one.owner.get('/balance', sandbox)).body['code']).toBe('other_account');
  });

  it('shows no live job to a test key', async () => {
    const { owner, live, tester } = await newAccount();
    const jobId = await readyJob(live, ['ada@ordinary.example']);
    expect((await owner.get(`/validation-jobs/${jobId}`)).body).toMatchObject({ test: false, price: 1 });
    expect((await tester.get('/validation-jobs')).body).toEqual({ jobs: [] });
    expect((await start(tester, jobId)).body['code']).toBe('job_not_found');
    expect((await tester.send(`/validation-jobs/${jobId}`, { method: 'DELETE' })).body['code']).toBe(
      'job_not_found',
    );
  });

  it('has its own endpoints: a live one hears nothing of it', async () => {
    const { live, tester } = await newAccount();
    const endpoints = await Promise.all(
      [live, tester].map(async client => {
        const path = `/${newId('request')}`;
        const body = { url: receiver.url + path, event_types: ['validation_job.finished'] };
        const { status, body: created } = await client.post('/webhook-endpoints', JSON.stringify(body));
        expect(status).toBe(201);
        return { path, webhook: new Webhook(String(created['signing_secret'])) };
      }),
    );
    const receivedAt = (index: number) =>
      receiver.requests.filter(({ path }) => path === endpoints[index]?.path);
    const jobId = await readyJob(tester, [at('ok'), at('unknown')]);
    await start(tester, jobId);
    await until(
      'the event',
      async () => receivedAt(1),
      events => events.length > 0,
    );
    const [event] = receivedAt(1);
    expect(
      endpoints[1]?.webhook.verify(event?.body ?? '', event?.headers as Record<string, string>),
    ).toMatchObject({
      type: 'validation_job.finished',
      data: { job_id: jobId, state: 'succeeded', spent: 0, results: { ok: 1, unknown: 1 } },
    });
    expect(receivedAt(0)).toEqual([]);
    expect((await live.get('/webhook-endpoints')).body['endpoints']).toHaveLength(1);
  }, 60_000);

  it('is exported and deleted with the account', async () => {
    const { owner, tester } = await newAccount();
    const sandbox = sandboxAccountOf(owner.accountId as AccountId);
    const jobId = await readyJob(tester, [{ email: at('ok'), note: 'a note about a person' }]);
    const cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(`${test.house.gatewayUrls[0]}/app/v1/account/export`, {
      headers: { cookie },
    });
    const lines = (await response.text()).split('\n');
    expect(lines.find(line => line.includes(jobId))).toContain(sandbox);
    const deletion = { password: owner.password, account_name: 'Test' };
    const deleted = await owner.send('/account', {
      method: 'DELETE',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(deletion),
    });
    expect(deleted.status).toBe(200);
    await until(
      'the end of the rows',
      async () =>
        (await engine.query('SELECT FROM validation_job WHERE account_id = $1', [sandbox])).rowCount ?? 0,
      count => count === 0,
    );
    expect((await tester.get('/validation-jobs')).status).toBe(401);
  }, 60_000);
});
