import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { packN8nNode, provideN8nTools } from '@mailproof/dev-house';
import { sandboxDomain } from '@mailproof/shared-types';
import type { Customer } from './house.ts';
import { type Account, contextOf, type Loaded, loadNodes } from './n8n-context.ts';
import { openPeopleHouse, type PeopleHouse } from './people-store.ts';
import { newSandboxAccount } from './sandbox-accounts.ts';
import { until } from './until.ts';

/**
 * Checks the nodes for n8n with n8n's linter and types, packs them, installs the tarball next to n8n's packages, and
 * executes them as n8n does, against a running house.
 */

const people = 8;
let folder: string;
let loaded: Loaded;
let opening: PeopleHouse;
let customer: Customer;
let account: Account;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailproof-n8n-'));
  const tools = provideN8nTools(line => process.stdout.write(`${line}\n`));
  const tarball = packN8nNode(tools, folder);
  const installed = join(folder, 'node_modules/n8n-nodes-mailproof');
  await mkdir(installed, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed]);
  await symlink(join(tools, 'n8n-workflow'), join(folder, 'node_modules/n8n-workflow'));
  await writeFile(join(folder, 'package.json'), '{}');
  loaded = loadNodes(folder);
  opening = await openPeopleHouse(people);
  customer = await opening.test.open({ credits: 100, requestsPerSecond: 1_000 });
  account = { baseUrl: opening.test.house.gatewayUrls[0] ?? '', apiKey: customer.apiKey };
}, 600_000);

afterAll(async () => {
  await opening?.stop();
  await rm(folder, { recursive: true, force: true });
});

type Given = Parameters<typeof contextOf>[3];

async function execute(given: Given, by = account) {
  const [made = []] = (await loaded.node.execute?.call(contextOf(loaded, loaded.node, by, given))) ?? [];
  return made.map(({ json }) => json);
}

it('the credentials are tested with a request that every key for lists can make', async () => {
  const { url } = loaded.credentials.test.request;
  expect((await customer.get(url.slice('/api/v1'.length))).status).toBe(200);
});

describe('the node', () => {
  it('validates the address of each item, once for a repeated execution', async () => {
    const items = [{ email: 'ada@ordinary.example' }, { email: 'nobody@ordinary.example' }];
    const before = await customer.credits();
    const results = await execute({ items });
    expect(results).toMatchObject([{ result: 'ok', valid: true }, { result: 'invalid' }]);
    expect(await execute({ items })).toEqual(results);
    expect(await customer.credits()).toBe(before - 2);
    await execute({ items, executionId: '2' });
    expect(await customer.credits()).toBe(before - 4);
  });

  it('says what is wrong, and continues with the other items if it may', async () => {
    const items = [{ email: 'ada' }, { email: 'ada@ordinary.example' }];
    await expect(execute({ items, executionId: '3' })).rejects.toMatchObject({
      name: 'NodeApiError',
      httpCode: '400',
      description: expect.stringMatching(/^invalid_email_address \(request req_/),
    });
    const rest = await execute({ items, executionId: '4', continueOnFail: true });
    expect(rest).toMatchObject([{ error: expect.any(String) }, { result: 'ok' }]);
    const stranger = { ...account, apiKey: `mp_live_${'0'.repeat(36)}` };
    await expect(execute({ items }, stranger)).rejects.toMatchObject({ httpCode: '401' });
  });

  it('waits after a 429', async () => {
    const slow = await opening.test.open({ credits: 10, requestsPerSecond: 2 });
    const items = Array.from({ length: 6 }, () => ({ email: 'ada@ordinary.example' }));
    const results = await execute({ items }, { ...account, apiKey: slow.apiKey });
    expect(results.map(({ result }) => result)).toEqual(items.map(() => 'ok'));
  });

  it('uploads all items as one list, waits for it, and reads its results', async () => {
    const items = ['ada', 'grace', 'nobody'].map(name => ({ email: `${name}@ordinary.example` }));
    const list = { resource: 'list', operation: 'upload', name: 'A list' };
    const [job] = await execute({ parameters: list, items });
    expect(job).toMatchObject({ name: 'A list', addresses: 3 });
    const of = { items: [{ job_id: job?.['job_id'] }] };
    const [ended] = await execute({ ...of, parameters: { resource: 'list', operation: 'wait' } });
    expect(ended).toMatchObject({ state: 'succeeded', done: 3 });
    const get = { resource: 'list', operation: 'getResults' };
    const rows = await execute({ ...of, parameters: { ...get, returnAll: true } });
    expect(rows.map(({ email }) => email)).toEqual(items.map(({ email }) => email));
    const invalid = await execute({ ...of, parameters: { ...get, result: 'invalid' } });
    expect(invalid).toMatchObject([{ email: 'nobody@ordinary.example' }]);
  });

  it('uploads and charges a list once for a repeated attempt', async () => {
    const parameters = { resource: 'list', operation: 'upload', name: 'Again' };
    const given = { parameters, items: [{ email: 'ada@ordinary.example' }], executionId: '5', kept: {} };
    const [first] = await execute(given);
    expect((await execute(given))[0]?.['job_id']).toBe(first?.['job_id']);
    const { body } = await customer.get('/validation-jobs');
    const names = (body['jobs'] as { name: string }[]).map(({ name }) => name);
    expect(names.filter(name => name === 'Again')).toHaveLength(1);
  });

  it('searches people, saves some of them, and enriches a profile', async () => {
    const filters = { company_domains: [opening.domain] };
    const search = { resource: 'person', operation: 'search', filters: JSON.stringify(filters) };
    const found = await execute({ parameters: search });
    expect(found).toHaveLength(people);
    const save = { resource: 'person', operation: 'save', people: 2 };
    const saved = await execute({ parameters: save, items: [{ search_id: found[0]?.['search_id'] }] });
    expect(saved).toHaveLength(2);
    const { tester } = await newSandboxAccount(opening.test);
    const profileUrl = `https://people.${sandboxDomain}/ada-birch`;
    const enrich = { resource: 'profile', operation: 'enrich', profileUrl };
    const profiles = await execute({ parameters: enrich }, { ...account, apiKey: tester.apiKey });
    expect(profiles).toMatchObject([{ full_name: 'Ada Birch' }]);
  });

  it('searches companies and similar ones, and saves those of either search', async () => {
    const { tester } = await newSandboxAccount(opening.test);
    const inSandbox = { ...account, apiKey: tester.apiKey };
    const domains = ['harbor', 'meadow'].map(label => `${label}.${sandboxDomain}`);
    const filters = JSON.stringify({ company_domains: domains });
    const search = { resource: 'company', operation: 'search', filters };
    const found = await execute({ parameters: search }, inSandbox);
    expect(found).toMatchObject([{ total: 2, company: { domain: expect.any(String) } }, { total: 2 }]);
    const similar = { resource: 'company', operation: 'findSimilar', seedDomains: domains.join(', ') };
    const matches = await execute({ parameters: similar }, inSandbox);
    expect(matches).toMatchObject([{ total: 2, match_strength: expect.any(Number) }, { total: 2 }]);
    const saved = async (searchKind: string, search_id: unknown) => {
      const parameters = { resource: 'company', operation: 'save', searchKind, companies: 1 };
      return execute({ parameters, items: [{ search_id }] }, inSandbox);
    };
    expect(await saved('company-searches', found[0]?.['search_id'])).toHaveLength(1);
    expect(await saved('lookalike-searches', matches[0]?.['search_id'])).toMatchObject([
      { domain: expect.stringMatching(/^(quarry|lantern)/) },
    ]);
  });
});

describe('the trigger', () => {
  const kept: Record<string, unknown> = {};
  const statuses: number[] = [];
  const started: Record<string, unknown>[] = [];
  let server: Server;
  let url: string;
  const hooks = () =>
    contextOf(loaded, loaded.trigger, account, {
      parameters: { events: ['validation_job.finished'] },
      more: { getNodeWebhookUrl: () => url, getWorkflowStaticData: () => kept },
    });
  const hook = (name: 'checkExists' | 'create' | 'delete') =>
    loaded.trigger.webhookMethods?.default[name].call(hooks());

  beforeAll(async () => {
    server = createServer(async (request, response) => {
      const rawBody = await buffer(request);
      const answer = await loaded.trigger.webhook?.call({
        ...hooks(),
        getRequestObject: () => ({ rawBody, headers: request.headers }),
        getBodyData: () => JSON.parse(rawBody.toString()),
        getResponseObject: () => ({
          status: (code: number) => ({ end: () => statuses.push(response.writeHead(code).end().statusCode) }),
        }),
      });
      if (!answer?.workflowData) return;
      started.push(...answer.workflowData.flat().map(({ json }) => json));
      response.writeHead(200).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook`;
  });

  afterAll(() => void server?.close());

  it('adds an endpoint, starts with each event whose signature is right, and removes the endpoint', async () => {
    expect(await hook('checkExists')).toBe(false);
    expect(await hook('create')).toBe(true);
    expect(await hook('checkExists')).toBe(true);
    const parameters = { resource: 'list', operation: 'upload' };
    const [job] = await execute({
      parameters,
      items: [{ email: 'grace@ordinary.example' }],
      executionId: '9',
    });
    await until(
      'the event',
      async () => started.length,
      length => length > 0,
    );
    expect(started).toMatchObject([
      { type: 'validation_job.finished', data: { job_id: job?.['job_id'], state: 'succeeded' } },
    ]);
    const headers = { 'webhook-id': 'evt_1', 'webhook-signature': 'v1,AAAA' };
    for (const timestamp of [String(Math.floor(Date.now() / 1_000)), '1', '']) {
      const forged = { ...headers, 'webhook-timestamp': timestamp };
      expect((await fetch(url, { method: 'POST', headers: forged, body: '{}' })).status).toBe(401);
    }
    expect(started).toHaveLength(1);
    expect(await hook('delete')).toBe(true);
    expect((await customer.get('/webhook-endpoints')).body['endpoints']).toEqual([]);
    expect(kept).toEqual({});
    await hook('create');
    const path = `/webhook-endpoints/${kept['endpointId']}`;
    expect((await customer.send(path, { method: 'DELETE' })).status).toBe(200);
    expect(await hook('delete')).toBe(true);
    expect(kept).toEqual({});
  });
});
