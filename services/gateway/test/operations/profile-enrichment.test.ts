import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  deleteProfileProvider,
  getProfileProvider,
  newId,
  profileEnrichment,
  profileEnrichmentResult,
  profileProviderAnswer,
  putProfileProvider,
  testProfileProvider,
} from '@mailproof/shared-types';
import { Redis } from 'ioredis';
import pg from 'pg';
import {
  type Answer,
  type Customer,
  findingPeople,
  openTestHouse,
  type Person,
  type TestHouse,
} from '../house.ts';
import { type Collector, idOf, startCollector } from '../house-telemetry.ts';
import { describeOperation } from '../operation-suite.ts';
import { LocalProvider } from '../profile-provider.ts';

let test: TestHouse;
let customer: Customer;
let provider: LocalProvider;
let database: pg.Pool;
let collector: Collector;

beforeAll(async () => {
  provider = await LocalProvider.start();
  collector = await startCollector();
  test = await openTestHouse({
    only: findingPeople,
    env: {
      gateway: { ...collector.settings('gateway'), AUTH_FAILURES_PER_MINUTE_MAX: '100' },
      enrichment: { ...collector.settings('enrichment'), OUTBOUND_ALLOWED_PRIVATE_RANGES: '127.0.0.0/8' },
    },
  });
  database = new pg.Pool({ connectionString: test.house.databaseUrls['enrichment']?.databaseUrl });
  await fillStore();
  customer = await test.open({ credits: 100, requestsPerSecond: 1_000 });
});

afterAll(async () => {
  await database?.end();
  await test?.stop();
  await provider?.stop();
  await collector?.stop();
});

beforeEach(() => {
  provider.failure = undefined;
  provider.asked.length = 0;
});

const profileOf = (slug: string) => `https://www.linkedin.com/in/${slug}`;

/** A person and a company from one source, and one field from a second source. */
async function fillStore(): Promise<void> {
  await database.query(`
    SET search_path = enrichment;
    INSERT INTO source (kind, name, licence, retrieved_on) VALUES
      ('import', 'Open People', 'CC0-1.0', '2026-03-01'), ('import', 'Registry', 'ODC-BY-1.0', '2026-04-02');
    INSERT INTO company (company_id, domain, profile_key, profile_url, name, industry, country, source_id)
      SELECT '${newId('company')}', 'ordinary.example', 'linkedin.com/company/ordinary',
        'https://www.linkedin.com/company/ordinary', 'Ordinary', 'software', 'DE', source_id
      FROM source WHERE name = 'Registry';
    INSERT INTO person (person_id, profile_key, profile_url, full_name, first_name, last_name, headline, city, company_no,
        source_id, field_sources)
      SELECT 'pers_' || md5(key), key, 'https://' || key, 'Ada Example', 'Ada', 'Example',
        'Engineer, write to ada@ordinary.example', 'Bonn', company_no, source.source_id,
        jsonb_build_object('city', company.source_id)
      FROM source, company,
        unnest(ARRAY['linkedin.com/in/ada-example', 'people.example/Ada', 'linkedin.com/in/ada-left-out']) AS key
      WHERE source.name = 'Open People' AND company.domain = 'ordinary.example';
  `);
}

function suppress(profileKey: string): Promise<unknown> {
  const key = test.house.environments.enrichment['SUPPRESSION_HASH_KEY'] ?? '';
  const hash = createHmac('sha256', key).update(`profile:${profileKey}`).digest();
  return database.query(
    `INSERT INTO enrichment.suppression (key_hash, reason) VALUES ($1, 'opt_out') ON CONFLICT DO NOTHING`,
    [hash],
  );
}

function enrich(
  who: Customer,
  profile_url: unknown,
  query = '',
  headers: Record<string, string> = {},
): Promise<Answer> {
  return who.post(`/profile-enrichment${query}`, JSON.stringify({ profile_url }), headers);
}

async function ownerWithCredits(credits = 10): Promise<{ owner: Person; api: Customer }> {
  const api = await test.open({ credits, requestsPerSecond: 1_000 });
  return { owner: await (await test.owner({ accountId: api.accountId })).signIn(), api };
}

async function ownerWithProvider(more: object = {}): Promise<{ owner: Person; api: Customer }> {
  const both = await ownerWithCredits();
  const answer = await both.owner.put('/profile-provider', provider.settings(more));
  expect(answer).toMatchObject({ status: 200 });
  return both;
}

async function cost(who: Customer, work: () => Promise<unknown>): Promise<number> {
  const before = await who.credits();
  await work();
  // The charge is collected after the answer is delivered; until then, it is held and not part of the credits.
  return before - (await who.credits());
}

const refusedBodies = [
  ['no body', undefined, {}, 400, 'invalid_request'],
  ['malformed JSON', '{"profile_url":', {}, 400, 'malformed_json'],
  ['a number', '{"profile_url":5}', {}, 400, 'invalid_request'],
  ['null', '{"profile_url":null}', {}, 400, 'invalid_request'],
  ['no URL', '{}', {}, 400, 'invalid_request'],
  ['an array', '[]', {}, 400, 'invalid_request'],
  ['an unknown field', `{"profile_url":"${profileOf('x')}","extra":1}`, {}, 400, 'invalid_request'],
  ['an empty text', '{"profile_url":""}', {}, 400, 'invalid_profile_url'],
  ['a word', '{"profile_url":"ada"}', {}, 400, 'invalid_profile_url'],
  ['a script', '{"profile_url":"javascript:alert(1)"}', {}, 400, 'invalid_profile_url'],
  ['an email address', '{"profile_url":"ada@ordinary.example"}', {}, 400, 'invalid_profile_url'],
  [
    'a lookalike host',
    '{"profile_url":"https://linkedin.com.evil.example/in/ada-example"}',
    {},
    400,
    'invalid_profile_url',
  ],
  [
    'credentials',
    '{"profile_url":"https://a:b@linkedin.com/in/ada-example"}',
    {},
    400,
    'invalid_profile_url',
  ],
  [
    'a page that is no profile',
    '{"profile_url":"https://www.linkedin.com/jobs/view/1"}',
    {},
    400,
    'invalid_profile_url',
  ],
  [
    'a URL that the store does not hold',
    '{"profile_url":"https://people.example/Bob"}',
    {},
    400,
    'invalid_profile_url',
  ],
  ['an address of our network', '{"profile_url":"http://127.0.0.1/in/ada"}', {}, 400, 'invalid_profile_url'],
  ['a NUL', '{"profile_url":"https://linkedin.com/in/a\\u0000b"}', {}, 400, 'invalid_request'],
  ['3 kB', JSON.stringify({ profile_url: profileOf('a'.repeat(3_000)) }), {}, 400, 'invalid_profile_url'],
  ['1 MB', JSON.stringify({ profile_url: 'a'.repeat(1_000_000) }), {}, 413, 'body_too_large'],
  ['another media type', '{}', { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
] as const;

describeOperation(profileEnrichment, {
  /** In any spelling, for one credit, without an email address. */
  async success() {
    const before = await customer.credits();
    const { status, headers, body } = await enrich(customer, 'DE.linkedin.com/in/ADA-example/?trk=x#about');
    expect(status).toBe(200);
    expect(profileEnrichmentResult.strict().parse(body)).toEqual({
      first_name: 'Ada',
      last_name: 'Example',
      headline: 'Engineer, write to',
      company: 'Ordinary',
      kind: 'person',
      profile_url: 'https://www.linkedin.com/in/ada-example',
      full_name: 'Ada Example',
      company_domain: 'ordinary.example',
      industry: 'software',
      city: 'Bonn',
    });
    expect(Number(headers.get('age'))).toBeGreaterThanOrEqual(0);
    expect(headers.get('x-credits-remaining')).toBe(String(before - 1));
    for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) {
      expect(Number(headers.get(name))).toBeGreaterThanOrEqual(0);
    }
    expect(await customer.credits()).toBe(before - 1);
  },
  async badInput() {
    const spent = await cost(customer, async () => {
      for (const [what, body, headers, status, code] of refusedBodies) {
        const answer = await customer.post('/profile-enrichment', body, headers);
        expect([what, answer.status, answer.body['code']]).toEqual([what, status, code]);
      }
      for (const query of ['?provenance=yes', '?max_age=-1', '?max_age=x', '?more=1']) {
        const answer = await enrich(customer, profileOf('ada-example'), query);
        expect([query, answer.status, answer.body['code']]).toEqual([query, 400, 'invalid_request']);
      }
    });
    expect(spent).toBe(0);
    // Checked before the credits.
    const poor = await test.open({});
    expect((await enrich(poor, 'nothing')).body['code']).toBe('invalid_profile_url');
    const exhausted = await enrich(poor, profileOf('ada-example'));
    expect([exhausted.status, exhausted.body]).toEqual([
      402,
      expect.objectContaining({ code: 'credits_exhausted', required: 1, available: 0 }),
    ]);
  },
  async noCredentials() {
    for (const [apiKey, code] of [
      ['', 'missing_api_key'],
      ['hunter2', 'invalid_api_key'],
    ] as const) {
      const answer = await enrich(customer, profileOf('ada-example'), '', { 'x-api-key': apiKey });
      expect([answer.status, answer.body['code']]).toEqual([401, code]);
    }
  },
  /** Data from one account's provider is only for that account, cached or not. */
  async anotherTenant() {
    const url = profileOf('only-of-one');
    provider.knows(url, { person: { first: 'Only', last: 'One' } });
    const { api } = await ownerWithProvider();
    const other = await ownerWithCredits();
    expect((await enrich(api, url)).body).toMatchObject({ first_name: 'Only' });
    const theirs = await enrich(other.api, url, '', { 'x-account-id': api.accountId });
    expect([theirs.status, theirs.body]).toEqual([200, {}]);
    expect(await other.api.credits()).toBe(10);
    // A customer's own provider is called with that customer's settings.
    await other.owner.put('/profile-provider', provider.settings({ name: 'Theirs', headers: [] }));
    const own = await enrich(other.api, url, '?provenance=true');
    expect(own.body).toMatchObject({ provenance: { first_name: { source: 'Theirs' } } });
    expect(provider.asked.map(({ headers }) => headers['x-provider-key'])).toEqual([
      'canary-provider-secret',
      undefined,
    ]);
  },
});

describe('profile-enrichment', () => {
  it('answers an organization by its profile, and by its website', async () => {
    for (const url of ['https://linkedin.com/company/Ordinary/about/', 'http://www.ordinary.example']) {
      const { body } = await enrich(customer, url);
      expect(body).toMatchObject({ kind: 'organisation', company: 'Ordinary', country: 'DE' });
    }
  });

  it('answers a URL of no documented form that the store holds', async () => {
    expect((await enrich(customer, 'https://www.people.example/Ada?utm_source=x')).body).toMatchObject({
      first_name: 'Ada',
    });
  });

  it('names source, license and date of each field on request', async () => {
    const { body } = await enrich(customer, profileOf('ada-example'), '?provenance=true');
    const open = { source: 'Open People', kind: 'import', licence: 'CC0-1.0', date: '2026-03-01' };
    const registry = { source: 'Registry', kind: 'import', licence: 'ODC-BY-1.0', date: '2026-04-02' };
    expect(body['provenance']).toMatchObject({ first_name: open, city: registry, company: registry });
  });

  it('charges nothing for what is not found, and one credit for a request and its replays', async () => {
    expect(
      await cost(customer, async () => {
        const { status, headers, body } = await enrich(customer, profileOf('nobody-knows'));
        expect([status, body, headers.get('age')]).toEqual([200, {}, null]);
      }),
    ).toBe(0);
    expect(
      await cost(customer, async () => {
        const answers = [];
        for (let count = 0; count < 3; count += 1) {
          answers.push(
            await enrich(customer, profileOf('ada-example'), '', { 'idempotency-key': 'profile-1' }),
          );
        }
        expect(answers.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([
          null,
          'true',
          'true',
        ]);
        expect(answers[2]?.body).toEqual(answers[0]?.body);
      }),
    ).toBe(1);
    const reused = await enrich(customer, profileOf('someone-else'), '', { 'idempotency-key': 'profile-1' });
    expect(reused.body['code']).toBe('idempotency_key_reused');
  });

  it('says nothing of people who opted out, and asks no source about them', async () => {
    const { api } = await ownerWithProvider();
    const url = profileOf('left-out-later');
    provider.knows(url, { person: { first: 'Left', last: 'Out' } });
    expect((await enrich(api, url)).body).toMatchObject({ first_name: 'Left' });
    await suppress('linkedin.com/in/left-out-later');
    await suppress('linkedin.com/in/ada-left-out');
    await suppress('people.example/gone');
    provider.asked.length = 0;
    const spent = await cost(api, async () => {
      for (const each of [url, profileOf('ada-left-out'), 'https://people.example/gone']) {
        const { status, body } = await enrich(api, each, '?max_age=0');
        expect([status, body]).toEqual([200, {}]);
      }
    });
    expect([spent, provider.asked]).toEqual([0, []]);
  });

  it('asks the account’s own provider once, remembers what it said, and asks again when that is too old', async () => {
    const { api } = await ownerWithProvider();
    const url = profileOf('asked-once');
    provider.knows(url, { person: { first: 'Once', titles: ['Asked, once@ordinary.example'] } });
    const answers = await Promise.all([enrich(api, url), enrich(api, url), enrich(api, url)]);
    expect(answers.map(({ body }) => body['first_name'])).toEqual(['Once', 'Once', 'Once']);
    expect(provider.asked).toHaveLength(1);
    expect(JSON.stringify(answers[0]?.body)).not.toContain('@');
    expect((await enrich(api, url, '?max_age=3600')).body).toMatchObject({ first_name: 'Once' });
    expect(provider.asked).toHaveLength(1);
    await enrich(api, url, '?max_age=0');
    expect(provider.asked).toHaveLength(2);
    expect(await api.credits()).toBe(5);
  });

  it('says so, for free, when no source knows the profile and the provider did not answer', async () => {
    const { owner, api } = await ownerWithProvider();
    provider.failure = { status: 403 };
    const spent = await cost(api, async () => {
      const answer = await enrich(api, profileOf('who-knows'));
      expect([answer.status, answer.body]).toEqual([
        503,
        expect.objectContaining({
          code: 'profile_source_unavailable',
          detail: expect.stringContaining('403'),
        }),
      ]);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    });
    expect(spent).toBe(0);
    // Data from other sources is returned anyway.
    expect((await enrich(api, profileOf('ada-example'))).body).toMatchObject({ first_name: 'Ada' });
    // A provider that refuses us is not called for a while.
    await enrich(api, profileOf('who-knows-more'));
    expect(provider.asked).toHaveLength(1);
    const { body } = await owner.get('/profile-provider');
    expect(body).toMatchObject({ health: { last_failure: { reason: 'refused', status: 403 } } });
  });

  it('writes no profile, name or secret into logs, spans or queues, and tells the provider of no trace', async () => {
    const url = profileOf('canary-profile');
    provider.knows(url, { person: { first: 'Canaryfirst', last: 'Canarylast' } });
    const { owner, api } = await ownerWithProvider();
    const answers = [
      await enrich(api, url, '?provenance=true'),
      await owner.post('/profile-provider/tests', { profile_url: url }),
    ];
    provider.failure = { status: 500, body: 'Canaryfirst' };
    answers.push(await enrich(api, profileOf('canary-profile-2')));
    expect(provider.asked.length).toBeGreaterThan(0);
    expect(provider.asked.filter(({ headers }) => 'traceparent' in headers)).toEqual([]);
    const told = await collector.everythingOf(
      test.house,
      ...answers.map(idOf),
      'profile looked up',
      'profile source failed',
    );
    const redis = new Redis(test.house.redisUrl);
    const kept: string[] = [];
    for (const key of await redis.keys('*')) {
      kept.push(key, (await redis.dumpBuffer(key))?.toString('latin1') ?? '');
    }
    redis.disconnect();
    const everything = [told, ...kept].join('\n');
    expect(everything).toContain('/internal/v1/profile-enrichments');
    expect(everything).not.toMatch(/canary/i);
    const { rows } = await database.query(
      'SELECT to_jsonb(p)::text AS row FROM enrichment.profile_provider AS p',
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain('canary-provider-secret');
  });
});

const withoutSession = async (send: (person: Person) => Promise<Answer>) => {
  const answer = await send(test.stranger());
  expect([answer.status, answer.body['code']]).toEqual([401, 'not_signed_in']);
};

const ofAnother = async (send: (person: Person) => Promise<Answer>) => {
  await ownerWithProvider();
  const { owner } = await ownerWithCredits();
  const answer = await send(owner);
  expect([answer.status, answer.body['code']]).toEqual([404, 'profile_provider_not_found']);
};

describeOperation(getProfileProvider, {
  /** Members see it too, without the secrets. */
  async success() {
    const { owner } = await ownerWithProvider({ price_note: '0.02 a profile' });
    const member = await test.member(owner);
    const { status, body } = await member.get('/profile-provider');
    expect(status).toBe(200);
    expect(profileProviderAnswer.strict().parse(body)).toMatchObject({
      headers: [{ name: 'X-Provider-Key', is_secret: true }],
      no_match: { statuses: [404], empty_path: null },
      price_note: '0.02 a profile',
      health: { last_success_at: null, last_failure: null },
    });
    expect(JSON.stringify(body)).not.toContain('canary-provider-secret');
  },
  async badInput() {
    const { owner } = await ownerWithCredits();
    expect((await owner.get('/profile-provider?more=1')).body['code']).toBe('invalid_request');
  },
  noCredentials: () => withoutSession(person => person.get('/profile-provider')),
  anotherTenant: () => ofAnother(person => person.get('/profile-provider')),
});

describeOperation(putProfileProvider, {
  /** Replaces the settings: a secret is kept for the same host, and cached answers are dropped. */
  async success() {
    const { owner, api } = await ownerWithProvider();
    const url = profileOf('set-up-anew');
    provider.knows(url, { person: { first: 'Old' }, name: { first: 'New' } });
    expect((await enrich(api, url)).body).toMatchObject({ first_name: 'Old' });
    const keeping = {
      headers: [{ name: 'x-provider-key', is_secret: true }],
      fields: { first_name: 'name.first' },
    };
    expect((await owner.put('/profile-provider', provider.settings(keeping))).status).toBe(200);
    expect((await enrich(api, url)).body).toMatchObject({ first_name: 'New' });
    expect(provider.asked.map(({ headers }) => headers['x-provider-key'])).toEqual([
      'canary-provider-secret',
      'canary-provider-secret',
    ]);
    const elsewhere = { ...keeping, url: 'https://elsewhere.example/?p={profile_url}' };
    const moved = await owner.put('/profile-provider', provider.settings(elsewhere));
    expect([moved.status, moved.body]).toEqual([
      400,
      expect.objectContaining({
        code: 'profile_provider_not_valid',
        errors: [expect.objectContaining({ pointer: '/headers/0/value' })],
      }),
    ]);
  },
  async badInput() {
    const [{ owner }, second, third] = [
      await ownerWithCredits(),
      await ownerWithCredits(),
      await ownerWithCredits(),
    ];
    // Requests per person are limited, so several owners take turns.
    let turn = 0;
    const put = (more: object) => {
      turn += 1;
      const asking = [owner, second.owner, third.owner][turn % 3] ?? owner;
      return asking.put('/profile-provider', provider.settings(more));
    };
    for (const [more, pointer] of [
      [{ url: 'http://people.example/{profile_url}' }, '/url'],
      [{ url: 'https://{handle}.people.example/' }, '/url'],
      [{ url: 'https://people.example/{nobody}?p={handle}' }, '/url'],
      [{ url: 'https://people.example/' }, '/url'],
      [{ url: 'https://me:secret@people.example/{handle}' }, '/url'],
      [{ url: 'https://10.0.0.1/{handle}' }, '/url'],
      [{ url: 'http://169.254.169.254/{handle}' }, '/url'],
      [{ url: 'https://[::1]/{handle}' }, '/url'],
      [{ url: 'file:///etc/passwd?{handle}' }, '/url'],
      [{ body: { profile: '{profile_url}' } }, '/body'],
      [{ fields: { city: 'city' } }, '/fields'],
      [{ headers: [{ name: 'X-Key', is_secret: true }] }, '/headers/0/value'],
    ] as const) {
      const { status, body } = await put(more);
      const errors = body['errors'] as { pointer: string }[];
      expect([more, status, body['code'], errors?.[0]?.pointer]).toEqual([
        more,
        400,
        'profile_provider_not_valid',
        pointer,
      ]);
    }
    for (const more of [
      { method: 'DELETE' },
      { headers: [{ name: 'Host', value: 'a' }] },
      { headers: [{ name: 'X-A', value: 'a\r\nX-B: c' }] },
      {
        headers: [
          { name: 'X-A', value: 'a' },
          { name: 'x-a', value: 'b' },
        ],
      },
      { fields: { first_name: '$..*' } },
      { fields: { email: 'email' } },
      { requests_per_second: 0 },
      { timeout_ms: 60_000 },
      { extra: 1 },
    ]) {
      const { status, body } = await put(more);
      expect([more, status, body['code']]).toEqual([more, 400, 'invalid_request']);
    }
    expect((await owner.get('/profile-provider')).status).toBe(404);
    const member = await test.member(owner);
    expect((await member.put('/profile-provider', provider.settings())).body['code']).toBe('owner_required');
  },
  noCredentials: () => withoutSession(person => person.put('/profile-provider', provider.settings())),
  async anotherTenant() {
    const one = await ownerWithProvider({ name: 'One' });
    await ownerWithProvider({ name: 'Other' });
    expect((await one.owner.get('/profile-provider')).body).toMatchObject({ name: 'One' });
  },
});

describeOperation(deleteProfileProvider, {
  async success() {
    const { owner, api } = await ownerWithProvider();
    const url = profileOf('to-be-forgotten');
    provider.knows(url, { person: { first: 'Kept' } });
    await enrich(api, url);
    expect((await owner.delete('/profile-provider')).status).toBe(200);
    expect((await enrich(api, url)).body).toEqual({});
    const { rows } = await database.query('SELECT FROM enrichment.provider_answer WHERE account_id = $1', [
      api.accountId,
    ]);
    expect(rows).toEqual([]);
  },
  async badInput() {
    const { owner } = await ownerWithProvider();
    expect((await owner.delete('/profile-provider?more=1')).body['code']).toBe('invalid_request');
    const member = await test.member(owner);
    expect((await member.delete('/profile-provider')).body['code']).toBe('owner_required');
  },
  noCredentials: () => withoutSession(person => person.delete('/profile-provider')),
  anotherTenant: () => ofAnother(person => person.delete('/profile-provider')),
});

describeOperation(testProfileProvider, {
  /** Found, unknown and failed; free of charge and never cached. */
  async success() {
    const { owner, api } = await ownerWithProvider();
    const url = profileOf('tried-out');
    const trial = async () => (await owner.post('/profile-provider/tests', { profile_url: url })).body;
    expect(await trial()).toMatchObject({ outcome: 'no_match', profile: null, failure: null });
    provider.knows(url, { person: { first: 'Tried' } });
    expect(await trial()).toMatchObject({ outcome: 'found', profile: { first_name: 'Tried' } });
    for (const [failure, reason] of [
      [{ status: 401 }, 'refused'],
      [{ status: 429 }, 'rate_limited'],
      [{ status: 500 }, 'unexpected_status'],
      [{ status: 302, headers: { location: profileOf('elsewhere') } }, 'unexpected_status'],
      [{ status: 200, body: '<html>', headers: { 'content-type': 'text/html' } }, 'not_json'],
      [{ status: 200, body: '{"person":' }, 'not_json'],
      [{ status: 200, body: JSON.stringify('x'.repeat(300_000)) }, 'too_large'],
      [
        {
          status: 200,
          body: 'x',
          headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
        },
        'not_readable',
      ],
    ] as const) {
      provider.failure = failure;
      expect(await trial()).toMatchObject({ outcome: 'failed', failure: { reason } });
    }
    expect(await api.credits()).toBe(10);
    const { rows } = await database.query('SELECT FROM enrichment.provider_answer WHERE account_id = $1', [
      api.accountId,
    ]);
    expect(rows).toEqual([]);
  },
  async badInput() {
    const { owner } = await ownerWithProvider();
    expect((await owner.post('/profile-provider/tests', { profile_url: 'x' })).body['code']).toBe(
      'invalid_profile_url',
    );
    expect((await owner.post('/profile-provider/tests', {})).body['code']).toBe('invalid_request');
  },
  noCredentials: () =>
    withoutSession(person => person.post('/profile-provider/tests', { profile_url: profileOf('a') })),
  anotherTenant: () =>
    ofAnother(person => person.post('/profile-provider/tests', { profile_url: profileOf('a') })),
});
