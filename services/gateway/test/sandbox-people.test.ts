import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openWebhookReceiver, simulatedProviders, type WebhookReceiver } from '@mailproof/dev-house';
import { newId, sandboxAccountOf, sandboxCredits, sandboxDomain } from '@mailproof/shared-types';
import type pg from 'pg';
import { poolOf } from './exported-records.ts';
import { type Customer, openSharedHouse, type TestHouse } from './house.ts';
import { post as postAsProvider } from './outcome-sources-in.ts';
import { blocksOf } from './page-commands.ts';
import { newSandboxAccount, type SandboxAccount } from './sandbox-accounts.ts';
import { until } from './until.ts';

/* What test keys find, save and export, in a house in which live keys find the real people. */

const harbor = `harbor.${sandboxDomain}`;
let test: TestHouse;
let receiver: WebhookReceiver;
let account: SandboxAccount;
let pool: pg.Pool;

beforeAll(async () => {
  test = await openSharedHouse();
  receiver = await openWebhookReceiver();
  account = await newSandboxAccount(test);
  pool = poolOf(test, 'enrichment');
}, 120_000);

afterAll(async () => {
  await receiver?.close();
  await pool?.end();
  await test?.stop();
});

const post = (who: Customer, path: string, body: object, headers = {}) =>
  who.post(path, JSON.stringify(body), headers);
const codeOf = ({ status, body }: { status: number; body: Record<string, unknown> }) => [
  status,
  body['code'],
];
const searchFor = (who: Customer, ...company_domains: string[]) =>
  post(who, '/people-searches', { name: 'Test', filters: { company_domains } });
const errors = [
  ['error-402', 402, 'credits_exhausted'],
  ['error-429', 429, 'rate_limited'],
  ['error-500', 500, 'internal_error'],
  ['error-503', 503, 'service_unavailable'],
] as const;

async function ended(who: Customer, path: string) {
  return until(
    `the end of ${path}`,
    async () => (await who.get(path)).body,
    body => ['succeeded', 'failed', 'cancelled'].includes(String(body['state'] ?? body['status'])),
  );
}

describe('a people search of a test key', () => {
  it('finds the documented people, counts them, and costs nothing', async () => {
    const { tester } = account;
    const all = await post(tester, '/people-counts', { filters: {} });
    expect(all).toMatchObject({ status: 200, body: { total: 20 } });
    const named = await post(tester, '/people-counts', { filters: { person_names: ['birch a', 'quin'] } });
    expect(named.body['total']).toBe(2);
    const founded = { filters: { company_founded: { min: 2_000, max: 2_016 } } };
    expect((await post(tester, '/people-counts', founded)).body['total']).toBe(10);
    const users = {
      filters: { company_technologies: ['react'], excluded_company_technologies: ['Salesforce'] },
    };
    expect((await post(tester, '/people-counts', users)).body['total']).toBe(5);
    const funded = { filters: { company_funding: { min: 12_000_000 }, excluded_countries: ['US'] } };
    expect((await post(tester, '/people-counts', funded)).body['total']).toBe(5);
    const renamed = { filters: { countries: ['USA'], regions: ['co'], excluded_countries: ['Germany'] } };
    expect((await post(tester, '/people-counts', renamed)).body).toMatchObject({
      total: 5,
      read: [
        { filter: 'countries', value: 'USA', read_as: ['US'] },
        { filter: 'excluded_countries', value: 'Germany', read_as: ['DE'] },
        { filter: 'regions', value: 'co', read_as: ['Colorado'] },
      ],
    });
    const searched = await post(tester, '/people-searches', { name: 'Test', ...renamed });
    expect(searched.body).toMatchObject({ total: 5, filters: renamed.filters, read: [{}, {}, {}] });
    const sellers = { filters: { job_titles: ['head of sales'], countries: ['DE', 'FR'] } };
    expect((await post(tester, '/people-counts', sellers)).body['total']).toBe(2);
    const { status, body } = await searchFor(tester, harbor);
    expect([status, body['detail']]).toEqual([201, undefined]);
    expect(body).toMatchObject({
      total: 5,
      preview: { kind: 'allowance', credits: 0, previews_left: 50 },
      estimate: { deliverable: 5, price: 0, credits_max: 0 },
      people: Array.from({ length: 5 }, () => ({
        company: { name: 'Harbor Software', domain: harbor },
        is_synthetic: true,
      })),
    });
    const names = (body['people'] as { name: string }[]).map(each => each.name);
    expect(names).toEqual(['Ada Birch', 'Boris Cedar', 'Carla Dogwood', 'Dmitri Elm', 'Elena Fir']);
    const path = `/people-searches/${body['search_id']}/people?limit=2`;
    const first = (await tester.get(path)).body;
    const second = (await tester.get(`${path}&cursor=${encodeURIComponent(String(first['next_cursor']))}`))
      .body;
    const shown = [first, second].flatMap(page => page['people'] as { name: string }[]);
    expect(shown.map(each => each.name)).toEqual(names.slice(0, 4));
  });

  it('shows 10 people on the first page, so that a program asks for the next one', async () => {
    const { tester } = account;
    const { body } = await post(tester, '/people-searches', { name: 'Test', filters: {} });
    expect(body['total']).toBe(20);
    const again = (await tester.get(`/people-searches/${body['search_id']}`)).body;
    expect(again['people']).toEqual(body['people']);
    const cursor = encodeURIComponent(String(body['next_cursor']));
    const next = await tester.get(`/people-searches/${body['search_id']}/people?cursor=${cursor}`);
    expect(Object.keys(next.body)).toEqual(['people']);
    const pages = [body, next.body].map(page => page['people'] as { person_id: string }[]);
    expect(pages.map(page => page.length)).toEqual([10, 10]);
    expect(new Set(pages.flat().map(each => each.person_id)).size).toBe(20);
  });

  it('refuses unknown values as a live one does', async () => {
    const answer = await post(account.tester, '/people-searches', {
      name: 'Test',
      filters: { countries: ['ATLANTIS'] },
    });
    expect(codeOf(answer)).toEqual([422, 'unknown_filter_value']);
  });

  it.each([...errors, ['not-ready', 503, 'search_not_ready'] as const])(
    'simulates %s at the search, and at the start of its run',
    async (name, status, code) => {
      const { tester } = account;
      const refused = await searchFor(tester, `${name}.${sandboxDomain}`);
      expect(codeOf(refused)).toEqual([status, code]);
      expect(refused.headers.get('x-mailproof-simulated')).toBe('true');
      const { body: search } = await searchFor(tester, harbor, `run-${name}.${sandboxDomain}`);
      const started = await post(tester, `/people-searches/${search['search_id']}/runs`, { people: 1 });
      expect(codeOf(started)).toEqual([status, code]);
      expect(started.headers.get('x-mailproof-simulated')).toBe('true');
    },
  );
});

describe('a run of a test key', () => {
  it('saves people, announces its end, fills a list and is exported, free of charge', async () => {
    const { tester } = await newSandboxAccount(test);
    const path = `/${newId('request')}`;
    await post(tester, '/webhook-endpoints', {
      url: receiver.url + path,
      event_types: ['discovery_run.finished'],
    });
    const list = (await post(tester, '/saved-lists', { kind: 'people', name: 'Harbor' })).body;
    const { body: search } = await searchFor(tester, harbor);
    const started = await post(
      tester,
      `/people-searches/${search['search_id']}/runs`,
      { people: 3, list_id: list['list_id'] },
      { 'idempotency-key': newId('request') },
    );
    expect(started).toMatchObject({ status: 202, body: { price: 0 } });
    const run = await ended(tester, `/discovery-runs/${started.body['run_id']}`);
    expect(run).toMatchObject({ state: 'succeeded', delivered: 3, spent: 0, has_more: true });
    await until(
      'the event',
      async () => receiver.requests.filter(request => request.path === path),
      events => events.length > 0,
    );
    const { body: saved } = await tester.get(`/saved-people?list_id=${list['list_id']}&sort=name&limit=2`);
    const names = (page: Record<string, unknown>) =>
      (page['people'] as { name: string }[]).map(each => each.name);
    expect(names(saved)).toEqual(['Ada Birch', 'Boris Cedar']);
    const rest = await tester.get(
      `/saved-people?list_id=${list['list_id']}&sort=name&limit=2&cursor=${encodeURIComponent(String(saved['next_cursor']))}`,
    );
    expect(names(rest.body)).toEqual(['Carla Dogwood']);
    const source = { kind: 'saved_people', run_id: run['run_id'] };
    const exported = await post(tester, '/exports', { target: 'csv', source });
    await ended(tester, `/exports/${exported.body['export_id']}`);
    const lines = await fetch(
      `${test.house.gatewayUrls[0]}/api/v1/exports/${exported.body['export_id']}/file`,
      { headers: { 'x-api-key': tester.apiKey } },
    ).then(response => response.text());
    expect(lines.trim().split('\r\n')).toHaveLength(4);
    // The people saved already are not delivered again.
    const shown = (await tester.get(`/people-searches/${search['search_id']}/people`)).body['people'] as {
      person_id: string;
      is_saved: boolean;
    }[];
    const chosen = shown.filter(({ is_saved }) => !is_saved).at(-1)?.person_id;
    const person_ids = [shown.find(({ is_saved }) => is_saved)?.person_id, chosen];
    const one = await post(tester, `/people-searches/${search['search_id']}/runs`, { person_ids });
    expect(await ended(tester, `/discovery-runs/${one.body['run_id']}`)).toMatchObject({ delivered: 1 });
    expect((await tester.get('/saved-people?limit=1')).body).toMatchObject({
      people: [{ person_id: chosen }],
      total: 4,
    });
    const again = await post(tester, `/people-searches/${search['search_id']}/runs`, { people: 'all' });
    expect(await ended(tester, `/discovery-runs/${again.body['run_id']}`)).toMatchObject({ delivered: 1 });
    const none = await post(tester, `/people-searches/${search['search_id']}/runs`, { people: 'all' });
    expect(codeOf(none)).toEqual([409, 'nothing_to_deliver']);
    expect((await tester.me()).body).toEqual({ credits: sandboxCredits });
  });
});

describe('a lookalike search of a test key', () => {
  const lookFor = (who: Customer, seed_domains: string[], more = {}) =>
    post(who, '/lookalike-searches', { name: 'Test', seed_domains, ...more });
  const domainOf = (label: string) => `${label}.${sandboxDomain}`;
  const found = (companies: unknown) =>
    (companies as { company: { domain: string }; match_strength: number }[]).map(each => [
      each.company.domain,
      each.match_strength,
    ]);

  it('ranks the other companies of the sandbox, and is free', async () => {
    const { tester } = account;
    const { status, body } = await lookFor(tester, [harbor]);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      seeds: [{ domain: harbor, name: 'Harbor Software', use: 'used' }],
      expected: { matches: 3, credits_per_company: 0, offers: [{ companies: 3, credits_max: 0 }] },
    });
    expect(found(body['preview'])).toEqual([
      [domainOf('quarry'), 0.6],
      [domainOf('lantern'), 0.45],
      [domainOf('meadow'), 0.4],
    ]);
    const unlike = await lookFor(tester, [`https://${harbor}/about`], {
      unlike_domains: [domainOf('lantern')],
      filters: { countries: ['FR'] },
    });
    expect(found(unlike.body['preview'])).toEqual([[domainOf('meadow'), 0.4]]);
  });

  it('ranks companies by the words of a text, and simulates websites that cannot be read', async () => {
    const { tester } = account;
    const text = await lookFor(tester, [], { seed_text: 'Scheduling software for ports and harbors.' });
    expect(found(text.body['preview'])).toEqual([
      [harbor, 0.5],
      [domainOf('quarry'), 0.5],
      [domainOf('meadow'), 0.2],
      [domainOf('lantern'), 0.2],
    ]);
    const labels = ['page-forbidden', 'page-parked', 'page-unreachable', 'other-language', 'not-indexed'];
    const { body } = await lookFor(tester, [harbor, ...labels.map(domainOf)]);
    expect((body['seeds'] as { use: string }[]).map(({ use }) => use)).toEqual([
      'used',
      'page_forbidden',
      'page_parked',
      'page_unreachable',
      'other_language',
      'not_indexed',
    ]);
    const refused = await lookFor(tester, [domainOf('page-parked')]);
    expect(codeOf(refused)).toEqual([422, 'seed_not_found']);
    expect(String(refused.body['detail'])).toContain('offers the domain for sale');
  });

  it('delivers companies page by page, into a list and a file, free of charge', async () => {
    const { tester } = await newSandboxAccount(test);
    const list = (await post(tester, '/saved-lists', { kind: 'companies', name: 'Like Harbor' })).body;
    const { body: search } = await lookFor(tester, [harbor]);
    const path = `/lookalike-searches/${search['search_id']}`;
    const started = await post(tester, `${path}/runs`, { companies: 2, list_id: list['list_id'] });
    expect(started).toMatchObject({ status: 202, body: { price: 0 } });
    const run = await ended(tester, `/discovery-runs/${started.body['run_id']}`);
    expect(run).toMatchObject({ state: 'succeeded', delivered: 2, spent: 0, has_more: true });
    const first = (await tester.get(`${path}/companies?limit=1`)).body;
    const cursor = encodeURIComponent(String(first['next_cursor']));
    const second = (await tester.get(`${path}/companies?limit=1&cursor=${cursor}`)).body;
    expect([...found(first['companies']), ...found(second['companies'])]).toEqual([
      [domainOf('quarry'), 0.6],
      [domainOf('lantern'), 0.45],
    ]);
    expect(first['companies']).toMatchObject([
      { paid: true, is_synthetic: true, location: { country: 'US', city: 'Denver' } },
    ]);
    const source = { kind: 'saved_companies', list_id: list['list_id'] };
    const exported = await post(tester, '/exports', { target: 'csv', source });
    expect(await ended(tester, `/exports/${exported.body['export_id']}`)).toMatchObject({
      rows: { total: 2, delivered: 2 },
    });
    const rest = await post(tester, `${path}/runs`, { companies: 'all' });
    expect(await ended(tester, `/discovery-runs/${rest.body['run_id']}`)).toMatchObject({ delivered: 1 });
    const none = await post(tester, `${path}/runs`, { companies: 'all' });
    expect(codeOf(none)).toEqual([409, 'nothing_to_deliver']);
    expect((await tester.me()).body).toEqual({ credits: sandboxCredits });
  });

  it.each([...errors, ['not-ready', 503, 'search_not_ready'] as const])(
    'simulates %s at the start of its run, and at the search unless it is about credits',
    async (name, status, code) => {
      const { tester } = account;
      const refused = await lookFor(tester, [domainOf(name)]);
      expect(codeOf(refused)).toEqual(status === 402 ? [422, 'seed_not_found'] : [status, code]);
      const { body: search } = await lookFor(tester, [harbor, domainOf(`run-${name}`)]);
      const started = await post(tester, `/lookalike-searches/${search['search_id']}/runs`, { companies: 1 });
      expect(codeOf(started)).toEqual([status, code]);
      expect(started.headers.get('x-mailproof-simulated')).toBe('true');
    },
  );

  it('knows no company of the store, and a live one knows none of the sandbox', async () => {
    const { rows } = await pool.query('SELECT domain FROM company WHERE company_no > 0 LIMIT 1');
    const real = String(rows[0]?.domain ?? 'ordinary.example');
    expect(codeOf(await lookFor(account.tester, [real]))).toEqual([422, 'seed_not_found']);
    const { body } = await lookFor(account.tester, [harbor, real]);
    expect(body['seeds']).toMatchObject([{ use: 'used' }, { domain: real, name: null, use: 'not_found' }]);
    const live = await lookFor(account.live, [harbor]);
    expect(codeOf(live)).toEqual([422, 'seed_not_found']);
    expect(String(live.body['detail'])).toContain('is not in the store');
  });
});

describe('a profile of the sandbox', () => {
  const enrich = (who: Customer, profile_url: string, query = '') =>
    post(who, `/profile-enrichment${query}`, { profile_url });
  const ada = `https://people.${sandboxDomain}/ada-birch`;

  it('is found by a test key, free of charge', async () => {
    const found = await enrich(account.tester, ada, '?provenance=true');
    expect(found).toMatchObject({
      status: 200,
      body: {
        full_name: 'Ada Birch',
        job_title: 'Chief Executive Officer',
        company_domain: harbor,
        is_synthetic: true,
        provenance: { full_name: { source: 'Sandbox', kind: 'synthetic' } },
      },
    });
    expect(found.headers.get('x-credits-remaining')).toBe(String(sandboxCredits));
    expect((await enrich(account.tester, `https://${harbor}/`)).body).toMatchObject({
      kind: 'organisation',
      company: 'Harbor Software',
    });
  });

  it.each([
    ['a name that no source knows', `https://people.${sandboxDomain}/not-found`, [200, undefined]],
    ['a profile of a network', 'https://www.linkedin.com/in/ada-lovelace', [200, undefined]],
    ['a page that is no profile', 'https://ordinary.example/ada', [400, 'invalid_profile_url']],
    [
      'a name that the sandbox does not have',
      `https://people.${sandboxDomain}/no-one`,
      [400, 'invalid_profile_url'],
    ],
  ])('is not %s', async (_what, url, outcome) => {
    const answer = await enrich(account.tester, url);
    expect(codeOf(answer)).toEqual(outcome);
    if (answer.status === 200) expect(answer.body).toEqual({});
  });

  it.each(errors)('simulates %s', async (name, status, code) => {
    const answer = await enrich(account.tester, `https://people.${sandboxDomain}/${name}`);
    expect(codeOf(answer)).toEqual([status, code]);
    expect(answer.headers.get('x-mailproof-simulated')).toBe('true');
  });

  it('does not exist for a live key, and cannot be opted out', async () => {
    const customer = await test.open({ credits: 5 });
    expect(codeOf(await enrich(customer, ada))).toEqual([400, 'invalid_profile_url']);
    expect(await customer.credits()).toBe(5);
    const email = 'ada@ordinary.example';
    const opted = await test.stranger().post('/opt-outs', { profile_url: ada, email });
    expect(codeOf(opted)).toEqual([400, 'invalid_profile_url']);
  });
});

it('a source of outcomes of a test key counts what its provider sends, and stores no outcome', async () => {
  const { tester, live } = await newSandboxAccount(test);
  const provider = simulatedProviders.json();
  const asked = { provider: 'json', verification_key: provider.key };
  const created = await post(tester, '/outcome-sources', asked);
  expect(created.status).toBe(201);
  const url = `${test.house.gatewayUrls[0]}${new URL(String(created.body['url'])).pathname}`;
  const address = `${newId('request')}@ordinary.example`;
  const outcome = { email: address, outcome: 'delivered', date: new Date().toISOString() };
  const forged = { ...provider.post({ outcomes: [outcome] }), headers: {} };
  expect((await postAsProvider(url, forged)).status).toBe(401);
  const outcomes = [outcome, { ...outcome, email: 'no address' }];
  expect((await postAsProvider(url, provider.post({ outcomes }))).status).toBe(200);
  const at = `/outcome-sources/${created.body['source_id']}`;
  expect((await tester.get(at)).body).toMatchObject({ recorded: 1, repeated: 0 });
  expect(codeOf(await live.get(at))).toEqual([404, 'outcome_source_not_found']);
  expect((await live.get('/outcome-sources')).body).toEqual({ sources: [] });
  const engine = poolOf(test, 'validation');
  const accountId = sandboxAccountOf(live.accountId as Parameters<typeof sandboxAccountOf>[0]);
  const { rows } = await engine.query('SELECT FROM outcome WHERE account_id = $1', [accountId]);
  await engine.end();
  expect(rows).toEqual([]);
});

it('the commands on the page about people of the sandbox work', async () => {
  const { tester } = await newSandboxAccount(test);
  const page = await readFile(new URL('../../../docs/sandbox.md', import.meta.url), 'utf8');
  const [, , commands = ''] = blocksOf(page, 'sh');
  const { stdout } = await promisify(execFile)('sh', ['-c', commands], {
    env: { ...process.env, MAILPROOF_URL: test.house.gatewayUrls[0], MAILPROOF_TEST_KEY: tester.apiKey },
    timeout: 60_000,
  });
  const { people } = JSON.parse(stdout) as { people: { name: string }[] };
  expect(people.map(each => each.name).sort()).toEqual(['Ada Birch', 'Boris Cedar', 'Carla Dogwood']);
  const companies = [...page.matchAll(/^\| `(\w+\.sandbox\S+)` .*\| .*\| (.+?) *\|$/gm)];
  expect(companies).toHaveLength(4);
  for (const [, domain = '', listed = ''] of companies) {
    const names = listed.split(', ');
    const { body } = await searchFor(tester, domain);
    expect((body['people'] as { name: string }[]).map(each => each.name)).toEqual(names);
  }
});

it('the commands on the page about companies of the sandbox work', async () => {
  const { tester } = await newSandboxAccount(test);
  const page = await readFile(new URL('../../../docs/sandbox.md', import.meta.url), 'utf8');
  const [, , , commands = ''] = blocksOf(page, 'sh');
  const { stdout } = await promisify(execFile)('sh', ['-c', commands], {
    env: { ...process.env, MAILPROOF_URL: test.house.gatewayUrls[0], MAILPROOF_TEST_KEY: tester.apiKey },
    timeout: 60_000,
  });
  const { companies } = JSON.parse(stdout) as { companies: { name: string }[] };
  expect(companies.map(each => each.name).sort()).toEqual(['Meadow Systems', 'Quarry Analytics']);
});

describe('a company search of a test key', () => {
  it('finds the documented companies, counts them, saves them, and costs nothing', async () => {
    const { tester } = await newSandboxAccount(test);
    const search = await post(tester, '/company-searches', { name: 'Test', filters: {} });
    expect(search).toMatchObject({
      status: 201,
      body: { total: 4, estimate: { price: 0, credits_max: 0 }, preview: { credits: 0, previews_left: 50 } },
    });
    const counts = await post(tester, '/company-counts', { filters: { company_technologies: ['React'] } });
    expect(counts.body['total']).toBe(2);
    const path = `/company-searches/${search.body['search_id']}/runs`;
    const run = await post(tester, path, { companies: 3 });
    expect(run.body).toMatchObject({ requested: 3, price: 0, reserved: 0 });
    expect(await ended(tester, `/discovery-runs/${run.body['run_id']}`)).toMatchObject({
      kind: 'companies',
      state: 'succeeded',
      delivered: 3,
      spent: 0,
    });
    const rest = await post(tester, path, { companies: 'all' });
    expect(rest.body).toMatchObject({ requested: 1 });
    await ended(tester, `/discovery-runs/${rest.body['run_id']}`);
    const saved = (await tester.get('/saved-companies')).body['companies'] as { domain: string }[];
    expect(saved.map(({ domain }) => domain).sort()).toEqual(
      ['harbor', 'lantern', 'meadow', 'quarry'].map(name => `${name}.${sandboxDomain}`),
    );
  });

  it.each(errors)('simulates %s', async (domain, status, code) => {
    const { tester } = account;
    const filters = { company_domains: [`${domain}.${sandboxDomain}`] };
    expect(codeOf(await post(tester, '/company-counts', { filters }))).toEqual([status, code]);
    expect(codeOf(await post(tester, '/company-searches', { name: 'Test', filters }))).toEqual([
      status,
      code,
    ]);
    const later = { company_domains: [`run-${domain}.${sandboxDomain}`] };
    const search = await post(tester, '/company-searches', { name: 'Test', filters: later });
    const run = await post(tester, `/company-searches/${search.body['search_id']}/runs`, { companies: 1 });
    expect(codeOf(run)).toEqual([status, code]);
  });

  it('is apart from live keys, which find no company of the sandbox', async () => {
    const filters = { company_domains: [harbor] };
    expect((await post(account.live, '/company-counts', { filters })).body['total']).toBe(0);
    expect((await post(account.tester, '/company-counts', { filters })).body['total']).toBe(1);
  });
});

it('the commands on the page about similar companies of the sandbox work', async () => {
  const { tester } = await newSandboxAccount(test);
  const page = await readFile(new URL('../../../docs/sandbox.md', import.meta.url), 'utf8');
  const [, , , , commands = ''] = blocksOf(page, 'sh');
  const { stdout } = await promisify(execFile)('sh', ['-c', commands], {
    env: { ...process.env, MAILPROOF_URL: test.house.gatewayUrls[0], MAILPROOF_TEST_KEY: tester.apiKey },
    timeout: 60_000,
  });
  const { companies } = JSON.parse(stdout) as { companies: { company: { name: string } }[] };
  expect(companies.map(each => each.company.name)).toEqual(['Quarry Analytics', 'Lantern Media']);
  const rows = [...page.matchAll(/^\| `(\w+\.sandbox\S+)` +\| ([^|]+ \d[^|]*?) *\|$/gm)];
  expect(rows).toHaveLength(4);
  for (const [, domain = '', listed = ''] of rows) {
    const { body } = await post(tester, '/lookalike-searches', { name: 'Test', seed_domains: [domain] });
    const preview = body['preview'] as { company: { name: string }; match_strength: number }[];
    expect(preview.map(each => `${each.company.name} ${each.match_strength}`).join(', ')).toBe(listed);
  }
});

it('a live key finds no one of the sandbox, by search, count or vocabulary', async () => {
  const { live } = account;
  const filters = { company_domains: [harbor] };
  expect((await post(live, '/people-counts', { filters })).body['total']).toBe(0);
  const everyone = (await post(live, '/people-counts', { filters: { keywords: ['negotiation'] } })).body;
  const { rows } = await pool.query(
    "SELECT count(*)::int AS people FROM person WHERE person_no > 0 AND 'negotiation' = ANY (keywords)",
  );
  expect(everyone['total']).toBe(rows[0]?.people);
});

it('the export and the deletion of an account include what its test keys saved', async () => {
  const { tester, owner } = await newSandboxAccount(test);
  await post(tester, '/saved-lists', { kind: 'people', name: 'From a test key' });
  const lists = async () => {
    const accountId = sandboxAccountOf(owner.accountId as Parameters<typeof sandboxAccountOf>[0]);
    const { rows } = await pool.query('SELECT FROM saved_list WHERE account_id = $1', [accountId]);
    return rows.length;
  };
  expect(await lists()).toBe(1);
  await owner.send('/account', {
    method: 'DELETE',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ password: owner.password, account_name: 'Test' }),
  });
  await until('the deletion', lists, left => left === 0);
});
