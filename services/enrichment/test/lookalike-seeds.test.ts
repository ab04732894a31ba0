import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createTestDatabase,
  type TestDatabase,
  testRedisUrl,
  testServiceKeys,
  waitFor,
} from '@mailproof/dev-house';
import {
  createOperationClient,
  createTokenSigner,
  type OperationClient,
  type RunningService,
  startService,
} from '@mailproof/service-kit';
import {
  beginLookalikeSearch,
  changeLookalikeSearch,
  forwarded,
  getLookalikeSearch,
  limits,
  newId,
} from '@mailproof/shared-types';
import pg from 'pg';
import { compose } from '../src/compose.ts';
import { loadConfig } from '../src/config.ts';
import { syntheticCompany } from '../src/fixtures/synthetic-company.ts';
import { load, soon, synthetic } from './lookalike-replicas.ts';
import { PageSite } from './page-site.ts';

const suppressionKey = 'a key for tests alone, 32 characters';
const known = syntheticCompany(1, 3);
const names =
  'good later www-only forbidden noindex missing failing parked empty german suppressed private other slow mailto leads';
const hosts = [
  ...names.split(' ').map(name => `${name}.example`),
  ...Array.from({ length: 14 }, (_, at) => `many${at}.example`),
];

let site: PageSite;
let database: TestDatabase;
let pool: pg.Pool;
let service: RunningService;
let gateway: OperationClient;
let keys: Awaited<ReturnType<typeof testServiceKeys>>;
let nowMs = Date.parse('2026-06-01T12:00:00Z');

async function start(settings: NodeJS.ProcessEnv = {}): Promise<RunningService> {
  const config = loadConfig({
    PORT: '0',
    LOG_LEVEL: 'silent',
    DATABASE_URL: database.databaseUrl,
    REDIS_URL: await testRedisUrl('enrichment'),
    CREDIT_LEDGER_URL: 'http://127.0.0.1:9',
    SUPPRESSION_HASH_KEY: suppressionKey,
    PROVIDER_ENCRYPTION_KEYS: `ring-1:${Buffer.alloc(32, 1).toString('base64')}`,
    OUTBOUND_ALLOWED_PRIVATE_RANGES: '127.0.0.1/32',
    LOOKALIKE_REFRESH_INTERVAL_MS: '100',
    LOOKALIKE_QUESTION_DEADLINE_MS: '60000',
    LOOKALIKE_REBUILD_SHARE: '10',
    PUBLIC_PAGES_ENABLED: 'true',
    PUBLIC_PAGES_CONTACT_URL: 'https://mailproof.example/bot',
    PUBLIC_PAGES_DENIED_HOSTS: 'denied.example',
    ...settings,
    ...keys.settingsOf('enrichment'),
  });
  const { lookup, connectPort, extraCa } = site;
  const composed = await compose(config, {
    now: () => new Date(nowMs),
    outside: { lookup, connectPort, extraCa },
  });
  return startService(composed, config);
}

async function clientOf({ port }: RunningService): Promise<OperationClient> {
  return createOperationClient({
    baseUrl: `http://127.0.0.1:${port}`,
    audience: 'enrichment',
    sign: await createTokenSigner(keys.signingKeys.gateway as Parameters<typeof createTokenSigner>[0]),
  });
}

beforeAll(async () => {
  keys = await testServiceKeys();
  site = await PageSite.start(hosts.flatMap(host => [host, `www.${host}`]));
  database = await createTestDatabase('enrichment');
  pool = new pg.Pool({ connectionString: database.databaseUrl, options: '-c search_path=enrichment' });
  await load(pool, synthetic(200));
  service = await start();
  gateway = await clientOf(service);
  const ready = () =>
    begin([known.domain ?? '']).then(
      () => true,
      () => false,
    );
  await waitFor('a model', ready, soon);
}, 180_000);

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
  // What an earlier test made a replica remember has expired.
  nowMs += 2 * 3_600_000;
});

const caller = (accountId = newId('account')) => ({ accountId, callerId: newId('user') });

/** Creates a search; a refusal is thrown as the client's fault, with the problem. */
function begin(
  seedDomains: readonly string[],
  question: object = {},
  account = caller(),
  client = gateway,
  headers: Readonly<Record<string, string>> = {},
) {
  const body = {
    name: 'Like ours',
    seed_domains: [...seedDomains],
    unlike_domains: [],
    filters: {},
    ...question,
  };
  // The operation has no parameters, which its type does not say of the account's.
  const params = account as never;
  const request = { params, query: {}, body };
  return client.call(forwarded(beginLookalikeSearch), request, { deadlineMs: 60_000, headers });
}

/** The status of one seed next to one that can be used. */
async function statusOf(domain: string) {
  const { seeds } = await begin([known.domain ?? '', domain]);
  return seeds[1];
}

/** A page of a company that does what `known` does. */
const page = (head = '') =>
  `<!doctype html><html><head><title>Good</title>${head}<meta name="description" content="${known.description}"></head>
  <body><h1>${known.keywords.join(', ')}</h1><p>${known.description} Call +49 30 901820 or write to ada@good.example.</p></body>`;

async function queryOf(searchId: string): Promise<string> {
  const { rows } = await pool.query('SELECT query::text FROM discovery_search WHERE search_id = $1', [
    searchId,
  ]);
  return rows[0].query;
}

describe('a seed that is not in the store', () => {
  it('is compared by the first page of its website, which robots.txt allows, with our user agent', async () => {
    site.pages.set('good.example/', { body: page() });
    const view = await begin(['https://www.good.example/about']);
    expect(view.seeds).toEqual([{ domain: 'good.example', name: null, use: 'used', detail: null }]);
    expect(view.preview.filter(({ industry }) => industry === known.industry).length).toBeGreaterThan(2);
    expect(site.asked).toEqual(['good.example/robots.txt', 'good.example/']);
    expect(site.headers.map(headers => headers['user-agent'])).toEqual([
      'Mailproof/1.0 (+https://mailproof.example/bot)',
      'Mailproof/1.0 (+https://mailproof.example/bot)',
    ]);
    const kept = await queryOf(view.search_id);
    expect(kept).toContain('seed_pages');
    expect(kept).not.toMatch(/901820|ada|@/);
    expect(kept).not.toContain(known.description);
  });

  it('is read once for all, and keeps its words in the search', async () => {
    site.pages.set('good.example/', { body: page() });
    const account = caller();
    const view = await begin(['good.example'], {}, account);
    await begin(['good.example']);
    expect(site.asked.filter(each => each === 'good.example/')).toHaveLength(1);
    site.pages.set('good.example/', { status: 404 });
    nowMs += 2 * 3_600_000;
    const params = { ...account, search_id: view.search_id };
    const request = { params, query: {}, body: undefined };
    const again = await gateway.call(forwarded(getLookalikeSearch), request, { deadlineMs: 60_000 });
    expect(again.preview).toEqual(view.preview);
    const body = { seed_domains: ['good.example'], unlike_domains: [], filters: { countries: ['US'] } };
    const changed = await gateway.call(
      forwarded(changeLookalikeSearch),
      { params, query: {}, body },
      { deadlineMs: 60_000 },
    );
    expect(changed.seeds[0]?.use).toBe('used');
    expect(site.asked.filter(each => each === 'good.example/')).toHaveLength(1);
  });

  it('is read again, if it failed, when the request that made the search is repeated', async () => {
    site.pages.set('later.example/', { status: 404 });
    const account = caller();
    const request = () =>
      begin([known.domain ?? '', 'later.example'], {}, account, gateway, { 'idempotency-key': 'the same' });
    const first = await request();
    expect(first.seeds[1]?.use).toBe('page_unreachable');
    site.pages.set('later.example/', { body: page() });
    nowMs += 2 * 3_600_000;
    const { search_id, updated_at, seeds } = await request();
    expect([search_id, updated_at]).toEqual([first.search_id, first.updated_at]);
    expect(seeds[1]?.use).toBe('used');
  });

  it('is read at www if it has no page itself', async () => {
    site.pages.set('www.www-only.example/', { body: page() });
    expect(await statusOf('www-only.example')).toMatchObject({ use: 'used' });
  });

  it.each([
    ['robots.txt forbids it', 'forbidden.example', 'page_forbidden'],
    ['its page asks programs not to store it', 'noindex.example', 'page_forbidden'],
    ['the operator denies its host', 'denied.example', 'page_forbidden'],
    ['the person whose site it is has opted out', 'suppressed.example', 'page_forbidden'],
    ['it leads to the site of a person who has opted out', 'leads.example', 'page_forbidden'],
    ['it leads to a mail program', 'mailto.example', 'page_unreachable'],
    ['it has no page', 'missing.example', 'page_unreachable'],
    ['its host fails', 'failing.example', 'page_unreachable'],
    ['its address is private', 'private.example', 'page_unreachable'],
    ['its domain is for sale', 'parked.example', 'page_parked'],
    ['its page has too few words', 'empty.example', 'too_little_text'],
    ['its page is in another language', 'german.example', 'other_language'],
  ])('is not used, and says so, if %s', async (_why, domain, use) => {
    site.pages.set('forbidden.example/robots.txt', {
      body: 'User-agent: Mailproof\nDisallow: /',
      headers: { 'content-type': 'text/plain' },
    });
    for (const name of ['forbidden', 'suppressed', 'denied', 'private']) {
      site.pages.set(`${name}.example/`, { body: page() });
    }
    site.pages.set('noindex.example/', { body: page('<meta name="robots" content="noindex">') });
    site.pages.set('leads.example/', {
      status: 302,
      headers: { location: 'https://suppressed.example/en/' },
    });
    site.pages.set('mailto.example/', { status: 302, headers: { location: 'mailto:ada@mailto.example' } });
    site.pages.set('failing.example/', { status: 503 });
    site.pages.set('parked.example/', { body: `<h1>This domain is for sale</h1>${page()}` });
    site.pages.set('empty.example/', { body: '<title>Empty</title><p>Coming soon</p>' });
    site.pages.set('german.example/', {
      body: `<p>Wir liefern Blumen, Kerzen und Geschenke in alle Orte der Umgebung. Unsere Werkstatt bindet Kränze für
        Hochzeiten, Taufen und Trauerfeiern, und unser Laden verkauft Vasen, Töpfe und Gießkannen.</p>`,
    });
    site.elsewhere.set('private.example', '10.0.0.1');
    site.elsewhere.set('www.private.example', '10.0.0.1');
    const hash = createHmac('sha256', suppressionKey).update('profile:suppressed.example').digest();
    await pool.query(
      `INSERT INTO suppression (key_hash, reason) VALUES ($1, 'opt_out') ON CONFLICT DO NOTHING`,
      [hash],
    );
    const seed = await statusOf(domain);
    expect(seed).toMatchObject({ domain, name: null, use });
    expect(seed?.detail).toMatch(new RegExp(`${domain}.*[Dd]escribe in a text what`));
    if (use === 'page_forbidden') {
      expect(site.asked.filter(each => each === `${domain}/`)).toHaveLength(
        ['noindex.example', 'leads.example'].includes(domain) ? 1 : 0,
      );
    }
    await expect(begin([domain])).rejects.toMatchObject({
      code: 'seed_not_found',
      extra: { errors: [{ pointer: '/seed_domains/0', detail: seed?.detail }] },
    });
  });

  it('waits for no site longer than ten seconds, and leaves other accounts room meanwhile', async () => {
    for (const host of hosts) {
      site.pages.set(`${host}/robots.txt`, { delayMs: 60_000 });
    }
    const account = caller();
    const seeds = [known.domain ?? '', ...hosts.filter(host => host.startsWith('many')).slice(0, 10)];
    const startedMs = performance.now();
    const slow = begin(seeds, {}, account);
    await waitFor('the requests', async () => site.asked.length >= 10, soon);
    site.pages.delete('good.example/robots.txt');
    site.pages.set('good.example/', { body: page() });
    const [same, other] = await Promise.all([
      begin([known.domain ?? '', 'good.example'], {}, account),
      begin([known.domain ?? '', 'good.example']),
    ]);
    expect([same.seeds[1]?.use, other.seeds[1]?.use]).toEqual(['page_not_read', 'used']);
    expect(new Set((await slow).seeds.map(({ use }) => use))).toEqual(new Set(['used', 'page_unreachable']));
    expect(performance.now() - startedMs).toBeLessThan(25_000);
    for (const host of hosts) {
      site.pages.delete(`${host}/robots.txt`);
    }
  }, 60_000);

  it('is read for at most a hundred websites an hour of one account', async () => {
    const account = caller();
    const uses = async (from: number, by = account) => {
      const unknown = Array.from({ length: limits.seedPagesMax }, (_, at) => `unknown${from + at}.example`);
      const { seeds } = await begin([known.domain ?? '', ...unknown], {}, by);
      return [...new Set(seeds.slice(1).map(({ use }) => use))];
    };
    for (let read = 0; read < 100; read += limits.seedPagesMax) {
      expect(await uses(read)).toEqual(['page_unreachable']);
    }
    expect(await uses(100)).toEqual(['page_not_read']);
    expect(await uses(100, caller())).toEqual(['page_unreachable']);
  }, 60_000);

  it('is not read if the operator has not turned on public pages', async () => {
    const other = await start({ PUBLIC_PAGES_ENABLED: 'false' });
    const client = await clientOf(other);
    try {
      const found = async () => {
        const view = await begin([known.domain ?? '', 'good.example'], {}, caller(), client).catch(
          () => null,
        );
        return view?.seeds[1]?.use === 'not_found';
      };
      await waitFor('a model', found, soon);
      expect(site.asked).toEqual([]);
    } finally {
      await client.close();
      await other.stop();
    }
  }, 120_000);
});

describe('a company that was just loaded', () => {
  it('is compared at once', async () => {
    await load(pool, [{ ...known, domain: 'newcomer.example', name: 'Newcomer', profileKey: null }]);
    const view = await begin(['newcomer.example']);
    expect(view.seeds).toEqual([{ domain: 'newcomer.example', name: 'Newcomer', use: 'used', detail: null }]);
    expect(view.preview.filter(({ industry }) => industry === known.industry).length).toBeGreaterThan(2);
  });

  it('is said to be not indexed yet if the model knows none of its words, and never to have too few', async () => {
    const strange = {
      ...known,
      name: 'Strange',
      profileKey: null,
      keywords: [],
      description: 'Zzyx qwerty uiop.',
    };
    await load(pool, [{ ...strange, domain: 'strange.example' }]);
    expect(await statusOf('strange.example')).toMatchObject({
      use: 'not_indexed',
      detail: expect.stringContaining('not indexed yet'),
    });
  });
});

describe('a text', () => {
  it('finds companies, and keeps neither addresses nor telephone numbers', async () => {
    const text = `${known.description} Write to ada@good.example or call +49 30 901820.`;
    const view = await begin([], { seed_text: text });
    expect(view.preview.filter(({ industry }) => industry === known.industry).length).toBeGreaterThan(2);
    expect(view.seed_text).toMatch(/^\w.* Write to or call/);
    expect(await queryOf(view.search_id)).not.toMatch(/901820|@/);
  });

  it('is refused if it has too few words, with what to do', async () => {
    await expect(begin([], { seed_text: 'software' })).rejects.toMatchObject({
      code: 'seed_not_found',
      extra: { errors: [{ pointer: '/seed_text', detail: expect.stringContaining('too few words') }] },
    });
  });
});
