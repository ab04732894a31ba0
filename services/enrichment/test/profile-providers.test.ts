import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type OpenTestDatabase, openTestDatabase } from '@mailproof/dev-house';
import { createAddressGuard, createOutside } from '@mailproof/service-kit';
import { newId, type ProfileProviderSettings, profileProviderSettings } from '@mailproof/shared-types';
import { type ProviderPresetName, providerPresets } from '@mailproof/shared-types/provider-presets';
import { createAskProvider } from '../src/adapters/outside/ask-provider.ts';
import { openDatabase } from '../src/adapters/postgres/open.ts';
import {
  createOperatorSpend,
  createProfileProviderStore,
} from '../src/adapters/postgres/profile-provider-store.ts';
import { readOperatorProviders } from '../src/adapters/read-operator-providers.ts';
import { createOperatorProviderSource } from '../src/domain/profile-provider/operator-providers.ts';
import { createOwnProviderSource } from '../src/domain/profile-provider/own-provider-source.ts';
import { partSecrets, settingsFaults, stepsOf } from '../src/domain/profile-provider/provider-settings.ts';
import { type ProfileUrl, parseProfileUrl } from '../src/domain/profile-url/parse-profile-url.ts';

/** What the vendors' documentation shows of their responses, with made-up people and companies. */
const shapes = {
  peopleDataLabsPerson: {
    status: 200,
    likelihood: 10,
    data: {
      id: 'geOZltvqXDfpKzxgrzmJZj_0000',
      full_name: 'Kim Example',
      first_name: 'Kim',
      last_name: 'Example',
      headline: null,
      work_email: true,
      linkedin_url: 'linkedin.com/in/kim-example',
      industry: 'Wireless',
      job_title: 'Tax Adviser',
      job_title_levels: ['entry'],
      job_company_name: 'Ordinary',
      job_company_website: 'ordinary.example',
      job_company_industry: 'Accounting',
      location_country: 'United States',
      location_region: 'California',
      location_locality: 'San Francisco',
      skills: ['Taxes', 'Law'],
      linkedin_connections: 320,
    },
  },
  peopleDataLabsUnknown: { status: 404, error: { type: 'not_found', message: 'No records were found' } },
  peopleDataLabsCompany: {
    status: 200,
    name: 'Ordinary',
    display_name: 'Ordinary',
    size: '51-200',
    employee_count: 84,
    founded: 2015,
    industry: 'Accounting',
    location: { locality: 'Berlin', region: 'Berlin', country: 'Germany' },
    website: 'ordinary.example',
    headline: 'Books in order',
    summary: 'Ordinary keeps books.',
    tags: ['accounting', 'audit'],
  },
  apolloPerson: {
    person: {
      id: '64a7ff0cc4dfae00013df1a5',
      first_name: 'Kim',
      last_name: 'Example',
      name: 'Kim Example',
      title: 'Head of Tax',
      headline: 'Head of Tax at Ordinary',
      email: null,
      city: 'Vienna',
      state: 'Vienna',
      country: 'Austria',
      organization: {
        name: 'Ordinary',
        website_url: 'http://www.ordinary.example',
        primary_domain: 'ordinary.example',
        industry: 'accounting',
        estimated_num_employees: 84,
      },
    },
  },
  apolloUnknown: { person: null },
  enrichLayerPerson: {
    public_identifier: 'kim-example',
    first_name: 'Kim',
    last_name: 'Example',
    full_name: 'Kim Example',
    headline: 'Tax, mostly',
    occupation: 'Head of Tax at Ordinary',
    country: 'US',
    country_full_name: 'United States of America',
    city: 'Redmond',
    state: 'Washington',
    experiences: [{ company: 'Ordinary', title: 'Head of Tax', starts_at: { day: 1, month: 2, year: 2020 } }],
    follower_count: 12,
    connections: 320,
    skills: ['Taxes'],
  },
  enrichLayerCompany: {
    name: 'Ordinary',
    tagline: 'Books in order',
    description: 'Ordinary keeps books.',
    website: 'https://www.ordinary.example/',
    industry: 'Accounting',
    company_size: [51, 200],
    company_size_on_linkedin: 84,
    hq: { country: 'DE', city: 'Berlin', state: 'Berlin', is_hq: true },
    founded_year: 2015,
    specialities: ['Audit'],
    follower_count: 1_200,
  },
} as const;

const accountId = newId('account');
const now = () => new Date('2026-06-01T12:00:00Z');
const outside = createOutside({
  guard: createAddressGuard(['127.0.0.0/8']),
  allowsHttp: true,
  connectionsMax: 4,
});
const classifyHost = () => 'lab' as const;
const ask = createAskProvider({ outside, classifyHost, userAgent: 'Mailproof/1.0' });

let open: OpenTestDatabase;
let server: Server;
let origin: string;
/** The requests that the vendor got, and how it answers them. */
let asked: { path: string; method: string; headers: IncomingMessage['headers'] }[] = [];
let answer: (request: IncomingMessage, response: ServerResponse) => void;

beforeAll(async () => {
  open = await openTestDatabase('enrichment', openDatabase);
  server = createServer((request, response) => {
    asked.push({ path: request.url ?? '', method: request.method ?? '', headers: request.headers });
    answer(request, response);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await outside.close();
  await new Promise(resolve => server?.close(resolve));
  await open?.close();
});

beforeEach(async () => {
  asked = [];
  await open.pool.query('DELETE FROM profile_provider');
  await open.pool.query('DELETE FROM operator_provider_spend');
});

function json(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** The settings with the vendors' hosts replaced by the server's. */
function atServer(settings: ProfileProviderSettings): ProfileProviderSettings {
  const moved = (url: string) => url.replace(/^https:\/\/[^/]+/, origin);
  return {
    ...settings,
    url: moved(settings.url),
    fallbacks: settings.fallbacks.map(step => ({ ...step, url: moved(step.url) })),
  };
}

function preset(name: ProviderPresetName, change: object = {}): ProfileProviderSettings {
  const parsed = profileProviderSettings.parse(providerPresets[name].settings);
  const [first] = parsed.headers;
  const headers = [
    { name: first?.name ?? '', value: 'vendor-key', is_secret: true },
    ...parsed.headers.slice(1),
  ];
  return atServer(profileProviderSettings.parse({ ...parsed, headers, ...change }));
}

const urlOf = (text: string) => parseProfileUrl(text) as ProfileUrl;
const person = urlOf('linkedin.com/in/kim-example');
const company = urlOf('linkedin.com/company/ordinary');

async function source(asked: ProfileProviderSettings) {
  const { settings, secrets, faults } = partSecrets(asked, undefined);
  expect([...settingsFaults(settings, classifyHost), ...faults]).toEqual([]);
  const providers = createProfileProviderStore(open.pool);
  await providers.put({ accountId, settings, sealedSecrets: null, updatedAt: now() });
  return createOwnProviderSource({
    providers,
    openSecrets: async () => secrets,
    awaitTurn: async () => undefined,
    ask,
    now,
  });
}

async function find(settings: ProfileProviderSettings, profile: ProfileUrl) {
  const { signal } = new AbortController();
  return (await source(settings)).find({ accountId, profile, signal });
}

describe('presets', () => {
  it.each([
    ['people_data_labs', person, shapes.peopleDataLabsPerson, '/v5/person/enrich', 'GET', 'US'],
    ['people_data_labs', company, shapes.peopleDataLabsCompany, '/v5/company/enrich', 'GET', 'DE'],
    ['apollo', person, shapes.apolloPerson, '/api/v1/people/match', 'POST', 'AT'],
    ['enrich_layer', person, shapes.enrichLayerPerson, '/api/v2/profile', 'GET', 'US'],
    ['enrich_layer', company, shapes.enrichLayerCompany, '/api/v2/company', 'GET', 'DE'],
  ] as const)('of %s read %j', async (name, profile, shape, path, method, country) => {
    answer = (_request, response) => json(response, 200, shape);
    const found = await find(preset(name), profile);
    expect(found).toMatchObject({
      outcome: 'found',
      profile: { company: 'Ordinary', country },
    });
    expect(asked).toHaveLength(1);
    expect(new URL(asked[0]?.path ?? '', origin).pathname).toBe(path);
    expect(asked[0]?.method).toBe(method);
    expect(asked[0]?.path).toContain(encodeURIComponent(profile.profileUrl));
    expect(JSON.stringify(asked[0]?.headers)).toContain('vendor-key');
    if (found?.outcome === 'found' && profile === person) {
      expect(found.profile).toMatchObject({
        first_name: 'Kim',
        last_name: 'Example',
        full_name: 'Kim Example',
      });
      expect(found.provenance.first_name).toMatchObject({ source: stepsOf(preset(name))[0]?.name });
    }
  });

  it.each([
    ['people_data_labs', 404, shapes.peopleDataLabsUnknown],
    ['apollo', 200, shapes.apolloUnknown],
    ['enrich_layer', 404, { code: 404, description: 'Person profile does not exist', name: 'Not Found' }],
  ] as const)('of %s know by %d that the profile is unknown', async (name, status, body) => {
    answer = (_request, response) => json(response, status, body);
    expect(await find(preset(name), person)).toMatchObject({ outcome: 'notFound' });
  });

  it('never send a company to an endpoint for people', async () => {
    answer = (_request, response) => json(response, 200, shapes.apolloPerson);
    expect(await find(preset('apollo'), company)).toBeUndefined();
    const single = preset('people_data_labs', { fallbacks: [], kinds: null });
    expect(await find(single, company)).toBeUndefined();
    expect(asked).toEqual([]);
  });
});

describe('several providers', () => {
  const steps = (change: object = {}) => ({ ...preset('apollo', { kinds: null, ...change }) });
  const two = (first: object = {}, second: object = {}) => {
    const [next] = stepsOf(preset('enrich_layer'));
    return { ...steps(first), fallbacks: [{ ...next, ...second }] } as ProfileProviderSettings;
  };

  it('are asked in order, until one knows the profile', async () => {
    answer = (request, response) =>
      request.method === 'POST'
        ? json(response, 200, shapes.apolloUnknown)
        : json(response, 200, shapes.enrichLayerPerson);
    expect(await find(two(), person)).toMatchObject({
      outcome: 'found',
      provenance: { headline: { source: 'Enrich Layer', kind: 'own_provider' } },
    });
    expect(asked.map(({ method }) => method)).toEqual(['POST', 'GET']);
    asked = [];
    answer = (_request, response) => json(response, 200, shapes.apolloPerson);
    expect(await find(two(), person)).toMatchObject({ provenance: { headline: { source: 'Apollo' } } });
    expect(asked).toHaveLength(1);
  });

  it('continue after a failure, which keeps a profile from counting as unknown', async () => {
    answer = (request, response) =>
      request.method === 'POST' ? json(response, 401, {}) : json(response, 200, shapes.enrichLayerPerson);
    expect(await find(two(), person)).toMatchObject({ outcome: 'found' });
    const { rows } = await open.pool.query('SELECT last_failure, last_failure_of FROM profile_provider');
    expect(rows).toEqual([{ last_failure: 'refused', last_failure_of: 'Apollo' }]);
    answer = (request, response) => json(response, request.method === 'POST' ? 500 : 404, {});
    await expect(find(two(), person)).rejects.toThrow(
      /Apollo responded with an unexpected status \(HTTP 500\)/,
    );
  });

  it('pause after a refusal, also if another one failed before it', async () => {
    answer = (request, response) => json(response, request.method === 'POST' ? 500 : 401, {});
    const own = await source(two());
    const { signal } = new AbortController();
    const ask = () => own.find({ accountId, profile: person, signal });
    await expect(ask()).rejects.toThrow(/HTTP 500/);
    await expect(ask()).rejects.toThrow(/HTTP 500/);
    expect(asked.map(({ method }) => method)).toEqual(['POST', 'GET', 'POST']);
  });

  it('spend their budgets exactly, and then count as failed', async () => {
    answer = (_request, response) => json(response, 200, shapes.apolloUnknown);
    const own = await source(steps({ requests_per_month: 3 }));
    const { signal } = new AbortController();
    const ends = await Promise.allSettled(
      Array.from({ length: 8 }, () => own.find({ accountId, profile: person, signal })),
    );
    expect(asked).toHaveLength(3);
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    await expect(own.find({ accountId, profile: person, signal })).rejects.toThrow(/budget of this month/);
    const { rows } = await open.pool.query('SELECT spent FROM profile_provider');
    expect(rows).toEqual([{ spent: { month: '2026-06', requests: { Apollo: 3 } } }]);
  });

  it('have different names, and take the key of an earlier one at the same host', () => {
    const twice = preset('people_data_labs', { fallbacks: [{ ...stepsOf(preset('people_data_labs'))[0] }] });
    expect(settingsFaults(twice, classifyHost)).toMatchObject([{ pointer: '/fallbacks/0/name' }]);
    const { secrets, faults } = partSecrets(preset('people_data_labs'), undefined);
    expect([secrets, faults]).toEqual([{ 'x-api-key': 'vendor-key', '1 x-api-key': 'vendor-key' }, []]);
    const elsewhere = preset('people_data_labs');
    const [second] = elsewhere.fallbacks;
    const moved = { ...elsewhere, fallbacks: [{ ...second, url: 'https://evil.example/{handle}' }] };
    expect(partSecrets(moved as ProfileProviderSettings, undefined).faults).toMatchObject([
      { pointer: '/fallbacks/0/headers/0/value' },
    ]);
  });

  it('keep their keys at one host, in any order and under any name', () => {
    const [first, second] = stepsOf(preset('people_data_labs'));
    const withKey = (step: object | undefined, value?: string) => ({
      ...step,
      headers: [{ name: 'X-Api-Key', is_secret: true, ...(value && { value }) }],
    });
    const sent = (one: object, ...others: object[]) =>
      ({ ...one, fallbacks: others }) as ProfileProviderSettings;
    const keysOf = (settings: ProfileProviderSettings, before: Parameters<typeof partSecrets>[1]) =>
      Object.values(partSecrets(settings, before).secrets);
    const apart = partSecrets(sent(withKey(first, 'one'), withKey(second, 'two')), undefined);
    expect(keysOf(sent(withKey(first), withKey(second)), apart)).toEqual(['one', 'two']);
    expect(keysOf(sent(withKey(second), withKey(first)), apart)).toEqual(['two', 'one']);
    expect(keysOf(sent(withKey(first, 'new'), withKey(second)), apart)).toEqual(['new', 'two']);
    expect(keysOf(sent(withKey(first), { ...withKey(second), name: 'Renamed' }), apart)).toEqual([
      'one',
      'two',
    ]);
    const shared = partSecrets(sent(withKey(first, 'one'), withKey(second)), undefined);
    expect(keysOf(sent(withKey(first, 'new'), withKey(second)), shared)).toEqual(['new', 'new']);
  });

  it('keep an answer no longer than the license allows', async () => {
    answer = (_request, response) => json(response, 200, shapes.apolloPerson);
    expect(await find(steps({ kept_hours: 24 }), person)).toMatchObject({ keptForMs: 86_400_000 });
  });
});

describe('a provider that answers later', () => {
  const later = (change: object = {}) =>
    preset('generic', { timeout_ms: 3_000, poll: { url_path: null, every_ms: 250, ...change } });

  it('is polled until the answer is there', async () => {
    answer = (request, response) =>
      request.url?.startsWith('/runs/7') && asked.length >= 3
        ? json(response, 200, { first_name: 'Kim', country: 'Schweiz' })
        : json(response, 202, { id: 7 }, { location: '/runs/7' });
    expect(await find(later(), person)).toMatchObject({ profile: { first_name: 'Kim', country: 'CH' } });
    expect(asked.map(({ path }) => path.split('?')[0])).toEqual(['/v1/profiles', '/runs/7', '/runs/7']);
    expect(asked[2]?.headers.authorization).toBe('vendor-key');
  });

  it('may say in its body where and whether', async () => {
    answer = (_request, response) =>
      json(
        response,
        200,
        asked.length < 3 ? { state: 'running', links: { self: '/runs/8' } } : { first_name: 'Kim' },
      );
    const settings = later({ url_path: 'links.self', pending: { path: 'state', values: ['running'] } });
    expect(await find(settings, person)).toMatchObject({ profile: { first_name: 'Kim' } });
  });

  it('fails if its answer has no state that can be read', async () => {
    const settings = later({ url_path: 'next', pending: { path: 'state', values: ['running'] } });
    const odd = { toString: 'odd' };
    for (const body of [
      { state: 'running', next: odd },
      { state: odd, first_name: 'Kim' },
    ]) {
      answer = (_request, response) => json(response, 200, body);
      await (body.next
        ? expect(find(settings, person)).rejects.toThrow(/cannot be read/)
        : expect(find(settings, person)).resolves.toMatchObject({ profile: { first_name: 'Kim' } }));
    }
  });

  it('is given up at the deadline', async () => {
    answer = (_request, response) => json(response, 202, {}, { location: '/runs/9' });
    const startedAtMs = performance.now();
    await expect(find({ ...later(), timeout_ms: 900 }, person)).rejects.toThrow(/did not respond in time/);
    expect(performance.now() - startedAtMs).toBeLessThan(2_000);
    expect(asked.length).toBeLessThan(6);
  });

  it('gets its key at no other origin', async () => {
    answer = (_request, response) => json(response, 202, {}, { location: 'http://127.0.0.2/runs/1' });
    await expect(find(later(), person)).rejects.toThrow(/cannot be read/);
    expect(asked).toHaveLength(1);
  });
});

describe('the operator’s providers', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'providers-'));
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function fileOf(content: unknown): string {
    const file = join(folder, 'providers.json');
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    return file;
  }

  it('answer every account, within one budget', async () => {
    answer = (_request, response) => json(response, 200, shapes.apolloPerson);
    const file = fileOf(preset('apollo', { requests_per_month: 1 }));
    const providers = readOperatorProviders(file, classifyHost);
    const spend = createOperatorSpend(open.pool);
    const own = createOperatorProviderSource(
      { ask, awaitTurn: async () => undefined, spend, now },
      providers,
    );
    const { signal } = new AbortController();
    const question = { accountId: newId('account'), profile: person, signal };
    expect(await own.find(question)).toMatchObject({
      outcome: 'found',
      provenance: { headline: { source: 'Apollo', kind: 'provider' } },
    });
    await expect(own.find({ ...question, accountId: newId('account') })).rejects.toThrow(
      'A profile provider of this service has spent its budget of this month.',
    );
    expect(await own.find({ ...question, profile: company })).toBeUndefined();
    expect(asked).toHaveLength(1);
  });

  it('pause for a minute after a refusal', async () => {
    answer = (_request, response) => json(response, 401, {});
    let at = now().getTime();
    const source = createOperatorProviderSource(
      { ask, awaitTurn: async () => undefined, spend: async () => true, now: () => new Date(at) },
      readOperatorProviders(fileOf(preset('apollo')), classifyHost),
    );
    const { signal } = new AbortController();
    for (const [afterMs, requests] of [
      [0, 1],
      [59_999, 1],
      [1, 2],
    ] as const) {
      at += afterMs;
      await expect(source.find({ accountId, profile: person, signal })).rejects.toThrow(
        'A profile provider of this service rejected our request.',
      );
      expect(asked).toHaveLength(requests);
    }
  });

  it('are refused as a whole if they cannot work, without a word of their secrets', () => {
    for (const [content, fault] of [
      ['{', 'is not JSON'],
      [{ name: 'x' }, 'is not valid'],
      [{ ...preset('apollo'), url: `${origin}/none` }, '/url: Add a placeholder'],
      [{ ...preset('apollo'), headers: [{ name: 'X-Api-Key', is_secret: true }] }, '/headers/0/value'],
    ] as const) {
      const read = () => readOperatorProviders(fileOf(content), classifyHost);
      expect(read).toThrow(fault);
      expect(read).not.toThrow('vendor-key');
    }
  });
});
