import { createHmac, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase, testRedisUrl, testServiceKeys } from '@mailproof/dev-house';
import {
  createOperationClient,
  createTokenSigner,
  inTransaction,
  type OperationClient,
  type RunningService,
  startService,
} from '@mailproof/service-kit';
import { enrichProfile, newId } from '@mailproof/shared-types';
import pg from 'pg';
import { profileAnswerTrace, sweepProfileAnswers } from '../src/adapters/postgres/profile-answers.ts';
import { compose } from '../src/compose.ts';
import { loadConfig } from '../src/config.ts';
import { PageSite } from './page-site.ts';

const suppressionKey = 'a key for tests alone, 32 characters';
let site: PageSite;
let database: TestDatabase;
let pool: pg.Pool;
let service: RunningService;
let gateway: OperationClient;
let nowMs = Date.parse('2026-06-01T12:00:00Z');

beforeAll(async () => {
  site = await PageSite.start();
  database = await createTestDatabase('enrichment');
  const keys = await testServiceKeys();
  const config = loadConfig({
    PORT: '0',
    LOG_LEVEL: 'silent',
    DATABASE_URL: database.databaseUrl,
    REDIS_URL: await testRedisUrl('enrichment'),
    CREDIT_LEDGER_URL: 'http://127.0.0.1:9',
    SUPPRESSION_HASH_KEY: suppressionKey,
    PROVIDER_ENCRYPTION_KEYS: `ring-1:${Buffer.alloc(32, 1).toString('base64')}`,
    OUTBOUND_ALLOWED_PRIVATE_RANGES: '127.0.0.1/32',
    PUBLIC_PAGES_ENABLED: 'true',
    PUBLIC_PAGES_CONTACT_URL: 'https://mailproof.example/bot',
    PUBLIC_PAGES_DENIED_HOSTS: 'denied.pages.example',
    ...keys.settingsOf('enrichment'),
  });
  const { lookup, connectPort, extraCa } = site;
  service = await startService(
    await compose(config, { now: () => new Date(nowMs), outside: { lookup, connectPort, extraCa } }),
    config,
  );
  gateway = createOperationClient({
    baseUrl: `http://127.0.0.1:${service.port}`,
    audience: 'enrichment',
    sign: await createTokenSigner(keys.signingKeys.gateway as Parameters<typeof createTokenSigner>[0]),
  });
  pool = new pg.Pool({ connectionString: database.databaseUrl, options: '-c search_path=enrichment' });
  await pool.query(
    `INSERT INTO source (kind, name, licence, retrieved_on) VALUES ('import', 'Names', 'CC0-1.0', '2026-05-01')`,
  );
});

afterAll(async () => {
  await gateway?.close();
  await service?.stop();
  await pool?.end();
  await database?.drop();
  await site?.stop();
});

beforeEach(() => {
  site.asked.length = 0;
  site.headers.length = 0;
});

const accountId = newId('account');

function ask(profileUrl: string, maxAgeSeconds?: number) {
  const body = { accountId, profileUrl, maxAgeSeconds, deadlineMs: 20_000 };
  return gateway.call(enrichProfile, { params: {}, body }, { deadlineMs: 22_000 });
}

/** A page on its own host, of which the store knows only a name. */
async function held(path = '/ada', subdomain = `h${randomUUID().slice(0, 8)}`): Promise<string> {
  const location = `${subdomain}.pages.example${path}`;
  await pool.query(
    `INSERT INTO person (person_id, profile_key, profile_url, full_name, source_id)
     SELECT $1, $2, 'https://' || $2, 'Ada Example', source_id FROM source WHERE name = 'Names'`,
    [newId('person'), location],
  );
  return location;
}

function suppress(profileKey: string): Promise<unknown> {
  const hash = createHmac('sha256', suppressionKey).update(`profile:${profileKey}`).digest();
  return pool.query(`INSERT INTO suppression (key_hash, reason) VALUES ($1, 'opt_out')`, [hash]);
}

const page = (person: object, head = '') =>
  `<!doctype html><html><head>${head}<script type="application/ld+json">${JSON.stringify(person)}</script></head><body>`;
const ada = {
  '@context': 'https://schema.org',
  '@type': 'Person',
  givenName: 'Ada',
  familyName: 'Example',
  jobTitle: 'Engineer',
  worksFor: { '@type': 'Organization', name: 'Ordinary' },
  email: 'mailto:ada@ordinary.example',
  description: 'Write to ada@ordinary.example or ada (at) ordinary (dot) example.',
};

describe('a public page', () => {
  it('is read with our user agent after robots.txt, and has its URL as the source', async () => {
    site.pages.set('github.com/robots.txt', {
      body: 'User-agent: *\nDisallow: /private',
      headers: { 'content-type': 'text/plain' },
    });
    site.pages.set('github.com/ada', { body: gzipSync(page(ada)), headers: { 'content-encoding': 'gzip' } });
    const answer = await ask('https://www.github.com/Ada?tab=stars');
    expect(answer).toMatchObject({
      outcome: 'found',
      ageSeconds: 0,
      profile: {
        first_name: 'Ada',
        last_name: 'Example',
        headline: 'Engineer',
        company: 'Ordinary',
        kind: 'person',
      },
      provenance: { company: { source: 'https://github.com/ada', kind: 'page', date: '2026-06-01' } },
    });
    expect(JSON.stringify(answer)).not.toMatch(/@ordinary|\(at\)/);
    expect(site.asked).toEqual(['github.com/robots.txt', 'github.com/ada']);
    for (const headers of site.headers) {
      expect(headers['user-agent']).toBe('Mailproof/1.0 (+https://mailproof.example/bot)');
      expect(headers).not.toHaveProperty('traceparent');
    }
  });

  it('is remembered with its age, until it is too old or over', async () => {
    const location = await held();
    site.pages.set(location, { body: page(ada) });
    await ask(location);
    nowMs += 90_000;
    expect(await ask(location)).toMatchObject({ outcome: 'found', ageSeconds: 90 });
    expect(site.asked.filter(each => each === location)).toHaveLength(1);
    expect(await ask(location, 60)).toMatchObject({ outcome: 'found', ageSeconds: 0 });
    nowMs += 169 * 3_600_000;
    site.pages.delete(location);
    expect(await ask(location)).toEqual({ outcome: 'notFound' });
    const before = site.asked.length;
    expect(await ask(location)).toEqual({ outcome: 'notFound' });
    expect(site.asked).toHaveLength(before);
    expect(await sweepProfileAnswers(pool, new Date(nowMs + 25 * 3_600_000), 1_000)).toBeGreaterThan(0);
    const { rows } = await pool.query('SELECT FROM page_answer');
    expect(rows).toEqual([]);
  });

  it('of a person who opted out is neither fetched, cached, nor shown from the cache', async () => {
    const [before, later] = [await held(), await held()];
    await suppress(before);
    expect(await ask(before)).toEqual({ outcome: 'notFound' });
    expect(site.asked).toEqual([]);
    site.pages.set(later, { body: page(ada) });
    expect((await ask(later)).outcome).toBe('found');
    await suppress(later);
    expect(await ask(later, 0)).toEqual({ outcome: 'notFound' });
    await inTransaction(pool, client => profileAnswerTrace.forget(client, { profileKey: later }));
    const { rows } = await pool.query('SELECT answer FROM page_answer WHERE answer IS NOT NULL');
    expect(JSON.stringify(rows)).not.toContain(later);
  });

  it.each<[string, object, string]>([
    [
      'another profile',
      { sameAs: ['https://de.linkedin.com/in/Ada-Suppressed/'] },
      'profile:linkedin.com/in/ada-suppressed',
    ],
    [
      'name and the employer’s website',
      { worksFor: { url: 'https://www.kept-out.test/jobs' } },
      'name_at:ada example@kept-out.test',
    ],
    [
      'name and the employer’s name',
      { worksFor: { name: 'Kept Out, Inc.' } },
      'name_at_company:ada example@kept out',
    ],
  ])(
    'says nothing of who asked to be left out by %s, before and after it was kept',
    async (_, says, known) => {
      const [kept, fresh] = [await held(), await held()];
      for (const location of [kept, fresh]) site.pages.set(location, { body: page({ ...ada, ...says }) });
      expect((await ask(kept)).outcome).toBe('found');
      const hash = createHmac('sha256', suppressionKey).update(known).digest();
      await pool.query(`INSERT INTO suppression (key_hash, reason) VALUES ($1, 'opt_out')`, [hash]);
      expect(await ask(kept)).toEqual({ outcome: 'notFound' });
      expect(await ask(fresh)).toEqual({ outcome: 'notFound' });
      expect(site.asked).toContain(fresh);
      await pool.query('DELETE FROM suppression WHERE key_hash = $1', [hash]);
    },
  );

  it.each<[string, (host: string) => void]>([
    [
      'robots.txt forbids it',
      host => site.pages.set(`${host}/robots.txt`, { body: 'User-agent: mailproof\nDisallow: /' }),
    ],
    [
      'robots.txt forbids it after a redirect',
      host => {
        site.pages.set(`${host}/robots.txt`, { status: 301, headers: { location: '/rules.txt' } });
        site.pages.set(`${host}/rules.txt`, { body: 'User-agent: *\nDisallow: /ada' });
      },
    ],
  ])('is not asked for where %s', async (_why, forbid) => {
    const location = await held();
    const host = location.replace('/ada', '');
    site.pages.set(location, { body: page(ada) });
    forbid(host);
    expect(await ask(location)).toEqual({ outcome: 'notFound' });
    expect(site.asked).not.toContain(location);
  });

  it('is fetched if robots.txt forbids it only to others', async () => {
    const location = await held();
    site.pages.set(location, { body: page(ada) });
    site.pages.set(location.replace('/ada', '/robots.txt'), {
      body: 'User-agent: *\nDisallow: /\n\nUser-agent: Mailproof\nAllow: /\n',
    });
    expect((await ask(location)).outcome).toBe('found');
  });

  it.each(['www.linkedin.com/in/ada-example', 'denied.pages.example/ada'])(
    'at %s is never asked for',
    async location => {
      if (location.startsWith('denied')) await held('/ada', 'denied');
      expect(await ask(location)).toEqual({ outcome: 'notFound' });
      expect(site.asked).toEqual([]);
    },
  );

  it.each<[string, { status?: number; headers?: Record<string, string>; body?: string }]>([
    ['noindex in a header', { headers: { 'x-robots-tag': 'noindex, nofollow' }, body: page(ada) }],
    [
      'none for us in a header',
      { headers: { 'x-robots-tag': 'otherbot: all, mailproof: none' }, body: page(ada) },
    ],
    ['noindex in the page', { body: page(ada, '<meta name="ROBOTS" content="NOINDEX">') }],
    ['another type', { headers: { 'content-type': 'application/json' }, body: page(ada) }],
    ['that it is gone', { status: 410, body: page(ada) }],
    ['that it is not public', { status: 403, body: page(ada) }],
    ['nothing of a profile', { body: '<html><title>Ada</title>' }],
    ['broken JSON', { body: '<script type="application/ld+json">{"@type":"Person"</script>' }],
    [
      'several people',
      {
        body: page([
          ada,
          { ...ada, '@id': '#b', givenName: 'Bob', name: 'Bob' },
          { ...ada, '@id': '#c', name: 'Cy' },
        ]),
      },
    ],
  ])('that says %s is not found', async (_what, said) => {
    const location = await held();
    site.pages.set(location, said);
    expect(await ask(location)).toEqual({ outcome: 'notFound' });
    expect(site.asked).toContain(location);
  });

  it.each<[string, (location: string) => void]>([
    ['answers 500', location => site.pages.set(location, { status: 500 })],
    ['answers 429', location => site.pages.set(location, { status: 429 })],
    [
      'has a page without measure',
      location => site.pages.set(location, { body: Buffer.alloc(2_000_001, 'a') }),
    ],
    [
      'cannot say what its robots.txt is',
      location => site.pages.set(location.replace('/ada', '/robots.txt'), { status: 503 }),
    ],
    ['has a private address', location => site.elsewhere.set(location.replace('/ada', ''), '10.0.0.1')],
    [
      'has the address of a cloud’s credentials',
      location => site.elsewhere.set(location.replace('/ada', ''), '169.254.169.254'),
    ],
    [
      'has a mapped address',
      location => site.elsewhere.set(location.replace('/ada', ''), '::ffff:127.0.0.2'),
    ],
    [
      'leads to an address',
      location => site.pages.set(location, { status: 302, headers: { location: 'http://127.0.0.2/ada' } }),
    ],
    [
      'leads to another port',
      location =>
        site.pages.set(location, { status: 302, headers: { location: 'https://x.pages.example:8443/' } }),
    ],
    [
      'leads to a file',
      location => site.pages.set(location, { status: 302, headers: { location: 'file:///etc/passwd' } }),
    ],
  ])('whose host %s leaves it open whether there is a profile', async (_what, spoil) => {
    const location = await held();
    site.pages.set(location, { body: page(ada) });
    spoil(location);
    await expect(ask(location)).rejects.toMatchObject({ code: 'profile_source_unavailable' });
    // The failure is not remembered: the next question queries the page again.
    site.pages.set(location, { body: page(ada) });
    site.elsewhere.clear();
    nowMs += 61_000;
    site.pages.delete(location.replace('/ada', '/robots.txt'));
    expect((await ask(location)).outcome).toBe('found');
  });

  it('is followed to another host, whose robots.txt counts as well', async () => {
    const [from, to, forbidden] = [await held(), 'to.pages.example/a', 'no.pages.example/a'];
    site.pages.set(from, { status: 301, headers: { location: `http://${to}` } });
    site.pages.set(to, { body: page(ada) });
    expect(await ask(from)).toMatchObject({
      outcome: 'found',
      provenance: { company: { source: `http://${to}` } },
    });
    const second = await held();
    site.pages.set(second, { status: 301, headers: { location: `https://${forbidden}` } });
    site.pages.set('no.pages.example/robots.txt', { body: 'User-agent: *\nDisallow: /' });
    site.pages.set(forbidden, { body: page(ada) });
    expect(await ask(second)).toEqual({ outcome: 'notFound' });
    const third = await held();
    site.pages.set(third, { status: 301, headers: { location: 'https://www.linkedin.com/in/ada-example' } });
    expect(await ask(third)).toEqual({ outcome: 'notFound' });
    const round = await held();
    site.pages.set(round, {
      status: 302,
      headers: { location: `https://${await held('/b', round.split('.')[0])}` },
    });
    expect(await ask(round)).toEqual({ outcome: 'notFound' });
    expect(site.asked).not.toContain(forbidden);
    expect(site.asked.filter(each => each.includes('linkedin'))).toEqual([]);
  });
});

describe('the URL alone', () => {
  it('is checked without contacting any host', async () => {
    const check = (profileUrl: string) =>
      gateway.call(
        enrichProfile,
        { params: {}, body: { accountId, profileUrl, deadlineMs: 5_000, onlyChecksUrl: true } },
        { deadlineMs: 6_000 },
      );
    expect(await check('https://github.com/someone')).toEqual({ outcome: 'notFound' });
    await expect(check('https://nobody.pages.example/')).rejects.toMatchObject({
      code: 'invalid_profile_url',
    });
    expect(site.asked).toEqual([]);
  });
});
