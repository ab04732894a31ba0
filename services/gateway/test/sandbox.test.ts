import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createApiKey,
  isDeliverable,
  keyScopeNames,
  newId,
  type Operation,
  problemDocument,
  problemKinds,
  restOperations,
  sandboxCredits,
  sandboxDomain,
  sandboxEntries,
  sandboxGaps,
  validateSingleEmail,
} from '@mailproof/shared-types';
import pg from 'pg';
import { accounting, Customer, openTestHouse, type Person, type TestHouse } from './house.ts';
import { blocksOf } from './page-commands.ts';

/** No engine runs in this house, so an answer cannot come from it. */
let test: TestHouse;
let owner: Person;
let tester: Customer;

beforeAll(async () => {
  test = await openTestHouse({ only: accounting });
  const { accountId } = await test.accounts.create({
    name: 'Test',
    plan: 'custom',
    credits: 0,
    requestsPerSecond: 1_000,
  });
  owner = await (await test.owner({ accountId })).signIn();
  const { body } = await owner.post('/api-keys', { name: 'CI', mode: 'test', scopes: keyScopeNames });
  const { api_key, api_key_id, mode } = createApiKey.success.schema.parse(body);
  expect([mode, api_key]).toEqual(['test', expect.stringMatching(/^mp_test_/)]);
  tester = new Customer({ apiKey: api_key, apiKeyId: api_key_id, accountId }, test.house.gatewayUrls);
});

afterAll(() => test?.stop());

const validate = (email: string, headers: Record<string, string> = {}) =>
  tester.post('/validate-single-email?details=true', JSON.stringify({ email }), headers);

describe('a test key', () => {
  it.each([...sandboxEntries])('gets the documented answer of %s, without credits', async (name, entry) => {
    const email = `${name}@${sandboxDomain}`;
    const { status, headers, body } = await validate(email);
    expect(headers.get('x-ratelimit-remaining')).not.toBeNull();
    if (entry.kind === 'verdict') {
      expect([status, headers.get('x-credits-remaining')]).toEqual([200, String(sandboxCredits)]);
      expect(validateSingleEmail.success.schema.parse(body)).toMatchObject({
        email,
        result: entry.result,
        valid: isDeliverable(entry.result),
        credits_consumed: false,
        details: { reason: entry.reason },
      });
      const plain = await tester.validate(email);
      expect(plain.body).toEqual({ ...body, details: undefined });
      return;
    }
    expect(status).toBe(problemKinds[entry.code].status);
    expect(problemDocument.parse(body)).toMatchObject({
      code: entry.code,
      detail: expect.stringContaining('sandbox'),
    });
    expect(headers.get('retry-after')).toBe(status === 429 || status === 503 ? '1' : null);
  });

  it.each(['ada@ordinary.example', `nobody@${sandboxDomain}`, 'ok@mailproof.test'])(
    'validates no other address, such as %s, and is told which',
    async email => {
      expect(await validate(email)).toMatchObject({
        status: 400,
        body: { code: 'not_a_sandbox_address', detail: expect.stringContaining(`@${sandboxDomain}: ok, `) },
      });
    },
  );

  it('sees a balance that nothing changes, and leaves no trace in the account', async () => {
    const headers = { 'idempotency-key': newId('request') };
    const answers = [
      await validate(`ok@${sandboxDomain}`, headers),
      await validate(`invalid@${sandboxDomain}`, headers),
    ];
    expect(answers.map(({ body }) => body['result'])).toEqual(['ok', 'invalid']);
    expect((await tester.me()).body).toEqual({ credits: sandboxCredits });
    expect((await owner.get('/balance')).body).toMatchObject({ available: 0, held: 0 });
    expect((await owner.get('/statement')).body).toMatchObject({ entries: [] });
    expect((await owner.get('/receipts')).body).toMatchObject({ receipts: [] });
    const client = new pg.Client({ connectionString: test.house.databaseUrls['gateway']?.databaseUrl });
    await client.connect();
    const { rowCount } = await client.query('SELECT FROM gateway.idempotency_record');
    await client.end();
    expect(rowCount).toBe(0);
  });

  const closed = restOperations.filter(
    ({ access, sandbox }: Operation) => access.kind === 'apiKey' && sandbox === undefined,
  );

  it('opens operations that know the sandbox: four here, and those of services that know its account', () => {
    const opened = restOperations.filter(({ sandbox }: Operation) => sandbox === true);
    const own = ['get-me', 'validate-single-email', 'profile-enrichment', 'upload-outcomes'];
    const forwarded = (opened as Operation[]).filter(({ id }) => !own.includes(id));
    const forwardedTo = forwarded.map(({ answeredBy }) => answeredBy);
    expect(opened.length - forwarded.length).toBe(own.length);
    expect(new Set(forwardedTo)).toEqual(new Set(['validation-engine', 'webhook-dispatcher', 'enrichment']));
    expect(forwardedTo.length).toBeGreaterThan(55);
    expect(closed.length).toBeGreaterThan(20);
  });

  it.each(closed)('does not open $method $path, and says why', async ({ id, method, path }) => {
    const url = path.replace('/api/v1', '').replace(/:\w+/g, newId('request'));
    expect(await tester.send(url, { method: method.toUpperCase() })).toMatchObject({
      status: 403,
      body: { code: 'live_key_required', detail: sandboxGaps.get(id) },
    });
    expect(sandboxGaps.get(id)).toMatch(/\.$/);
  });

  it('needs the scope, and ends when it is revoked, like a live key', async () => {
    const { body } = await owner.post('/api-keys', { name: 'CI', mode: 'test', scopes: ['account.read'] });
    const key = createApiKey.success.schema.parse(body);
    const other = new Customer({ apiKey: key.api_key, accountId: owner.accountId }, test.house.gatewayUrls);
    expect((await other.me()).status).toBe(200);
    expect((await other.validate(`ok@${sandboxDomain}`)).body['code']).toBe('scope_required');
    await owner.delete(`/api-keys/${key.api_key_id}`);
    expect((await other.me()).body['code']).toBe('revoked_api_key');
  });
});

it('the request on the page about the sandbox works', async () => {
  const page = await readFile(new URL('../../../docs/sandbox.md', import.meta.url), 'utf8');
  const [command = ''] = blocksOf(page, 'sh');
  const { stdout } = await promisify(execFile)('sh', ['-c', command], {
    env: { ...process.env, MAILPROOF_URL: test.house.gatewayUrls[0], MAILPROOF_TEST_KEY: tester.apiKey },
    timeout: 30_000,
  });
  expect(JSON.parse(stdout)).toMatchObject({ result: 'unknown', details: { reason: 'greylisted' } });
});
