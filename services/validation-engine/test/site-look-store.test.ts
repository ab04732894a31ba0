import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@mailproof/dev-house';
import { catchAllPostfix, type DomainScript, type MailLab, startMailLab } from '@mailproof/mail-lab';
import { type EmailAddress, parseEmailAddress } from '@mailproof/shared-types';
import pg from 'pg';
import { keyedHash } from '../src/adapters/keyed-hash.ts';
import { createSiteLookStore } from '../src/adapters/postgres/site-look-store.ts';
import { clock, composeContact, composeSiteLooks, composeWeb } from '../src/compose/validation.ts';
import { loadValidationConfig } from '../src/config.ts';
import type { SiteLook } from '../src/domain/catch-all/site/site-look.ts';
import { createSiteLooks, type SiteLookStore } from '../src/domain/catch-all/site/site-looks.ts';
import { deadlineAfter } from '../src/domain/concurrency/deadline.ts';
import { createDoNotProbeList } from '../src/domain/standing/do-not-probe.ts';
import { accountId, labSettings, startEngine } from './engine-in-lab.ts';

const domains = 100;
const addressesPerDomain = 50;

/** A site that prints half of the addresses of its domain. */
function siteNo(index: number): DomainScript {
  const domain = `site-${index}.example`;
  const printed = Array.from(
    { length: addressesPerDomain / 2 },
    (_, at) => `<li>${nameNo(at * 2)}@${domain}</li>`,
  );
  return {
    domain,
    story: 'A catch-all with a site.',
    dns: { mx: [[10, `mx.${domain}`]] },
    hosts: { [`mx.${domain}`]: catchAllPostfix() },
    web: {
      [domain]: {
        pages: {
          '/': { body: '<a href="/contact">Contact</a>' },
          '/contact': { body: `<ul>${printed.join('')}</ul>` },
        },
      },
    },
    expected: [],
  };
}

/** A name without digits. */
function nameNo(at: number): string {
  return `ada.${[...String(at)].map(digit => 'abcdefghij'.charAt(Number(digit))).join('')}lace`;
}

let database: TestDatabase;
let lab: MailLab;
const pools: pg.Pool[] = [];

beforeAll(async () => {
  database = await createTestDatabase('validation-engine');
  lab = await startMailLab({ catalog: Array.from({ length: domains }, (_, index) => siteNo(index)) });
});

beforeEach(() => lab.resetCounts());

afterAll(async () => {
  await Promise.all(pools.map(pool => pool.end()));
  await lab?.close();
  await database?.drop();
});

/** The store as another process sees it. */
function openStore(rules?: number): ReturnType<typeof createSiteLookStore> & { readonly pool: pg.Pool } {
  const pool = new pg.Pool({
    connectionString: database.databaseUrl,
    options: '-c search_path=validation',
    max: 4,
  });
  pools.push(pool);
  return {
    pool,
    ...createSiteLookStore(pool, keyedHash(Buffer.from('a key for tests, long enough to be one')), rules),
  };
}

function emailOf(text: string): EmailAddress {
  const email = parseEmailAddress(text);
  if (!email.ok) {
    throw new Error(email.fault.message);
  }
  return email.value;
}

const soon = (ms = 30_000, signal = new AbortController().signal) => deadlineAfter(clock, ms, signal);
const printed = {
  kind: 'read',
  printed: [{ email: emailOf('ada@a.example'), place: 'on_contact_page' }],
} as const;

function looksWith(store: SiteLookStore, look: () => Promise<SiteLook>) {
  return createSiteLooks({ store, clock, look, inTurn: (_domain, work) => work(), roles: new Set(['info']) });
}

describe('a look', () => {
  it('is stored without the domain and without an address', async () => {
    const store = openStore();
    const email = emailOf('Ada@A.example');
    expect(await looksWith(store, async () => printed).about(email, soon())).toEqual({
      kind: 'read',
      place: 'on_contact_page',
      patterns: { initials: 1 },
    });
    const { rows } = await store.pool.query('SELECT * FROM site_look');
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toMatch(/ada|example/i);
    expect(await store.find(emailOf('bob@a.example'))).toEqual({ kind: 'read', patterns: { initials: 1 } });
  });

  it.each([
    ['read', 30],
    ['no_site', 30],
    ['forbidden', 30],
    ['prints_anything', 30],
    ['failed', 1],
  ] as const)('that is %s expires after %s days', async (kind, days) => {
    const store = openStore();
    const email = emailOf(`ada@${kind.replace('_', '-')}.example`);
    const look: SiteLook = kind === 'read' ? { kind, printed: [] } : { kind };
    await looksWith(store, async () => look).about(email, soon());
    const { rows } = await store.pool.query(
      'SELECT round(extract(epoch FROM expires_at - looked_at) / 86400)::int AS days FROM site_look WHERE kind = $1 ORDER BY looked_at DESC LIMIT 1',
      [kind],
    );
    expect(rows).toEqual([{ days }]);
  });

  it('is made again once it has expired, and deleted by then', async () => {
    const store = openStore();
    const email = emailOf('ada@expires.example');
    let looks = 0;
    const sites = looksWith(store, async () => {
      looks += 1;
      return { kind: 'failed' };
    });
    await sites.about(email, soon());
    await sites.about(email, soon());
    expect(looks).toBe(1);
    await store.pool.query(`UPDATE site_look SET expires_at = now() - interval '1 second'`);
    expect(await store.find(email)).toBeUndefined();
    await sites.about(email, soon());
    expect(looks).toBe(2);
    await store.pool.query(`UPDATE site_look SET expires_at = now() - interval '1 second'`);
    expect(await store.purge(1_000)).toBeGreaterThan(0);
    expect((await store.pool.query('SELECT FROM site_look')).rowCount).toBe(0);
  });

  it('by older rules does not count', async () => {
    const email = emailOf('ada@ruled.example');
    const look = async () => printed;
    await looksWith(openStore(1), look).about(email, soon());
    expect(await openStore(1).find(email)).toBeDefined();
    expect(await openStore(2).find(email)).toBeUndefined();
  });

  it('is not kept if no one waits for it any more, and can be made again', async () => {
    const store = openStore();
    const email = emailOf('ada@gone.example');
    const caller = new AbortController();
    let begun = () => {};
    const looking = new Promise<void>(resolve => {
      begun = resolve;
    });
    const slow = createSiteLooks({
      store,
      clock,
      look: (_domain, { signal }) => {
        begun();
        return new Promise(resolve => {
          signal.addEventListener('abort', () => resolve({ kind: 'failed' }), { once: true });
        });
      },
      inTurn: (_domain, work) => work(),
      roles: new Set(),
    });
    const asking = slow.about(email, soon(30_000, caller.signal));
    await looking;
    caller.abort();
    expect(await asking).toBeUndefined();
    // Another process takes over as soon as the reservation is released.
    expect(await looksWith(openStore(), async () => printed).about(email, soon())).toMatchObject({
      kind: 'read',
    });
  });

  it('of a process that died is made by another one after the reservation has expired', async () => {
    const store = openStore();
    const email = emailOf('ada@died.example');
    expect(await store.claim(email, 500)).toBe(true);
    expect(await store.claim(email, 500)).toBe(false);
    expect(await looksWith(store, async () => printed).about(email, soon())).toMatchObject({ kind: 'read' });
  });

  it('is one for callers in several processes at once', async () => {
    let looks = 0;
    const look = async (): Promise<SiteLook> => {
      looks += 1;
      await wait(300);
      return printed;
    };
    const processes = [openStore(), openStore(), openStore()].map(store => looksWith(store, look));
    const found = await Promise.all(
      processes.flatMap(sites =>
        Array.from({ length: 20 }, (_, at) => sites.about(emailOf(`p${at}@shared.example`), soon())),
      ),
    );
    expect(found.every(known => known?.kind === 'read')).toBe(true);
    expect(looks).toBe(1);
  });
});

describe('a list of 5,000 addresses at 100 catch-all domains', () => {
  it('visits each site once, from two replicas together', async () => {
    const config = loadValidationConfig(labSettings(lab));
    const web = composeWeb(config, composeContact(config));
    const replicas = [openStore(), openStore()].map(store => composeSiteLooks(web, store, new Set()));
    const addresses = Array.from({ length: domains * addressesPerDomain }, (_, at) => ({
      // By domain, as many lists are: both replicas come to a site at the same time.
      email: emailOf(
        `${nameNo(at % addressesPerDomain)}@site-${Math.floor(at / addressesPerDomain)}.example`,
      ),
      isPrinted: (at % addressesPerDomain) % 2 === 0,
    }));
    const queue = [...addresses.entries()];
    let right = 0;
    await Promise.all(
      // Few at once: on a busy machine, a look at one of many would take longer than it may.
      Array.from({ length: 10 }, async () => {
        for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
          const [at, { email, isPrinted }] = next;
          const replica = replicas[at % 2];
          const known = await replica?.about(email, soon());
          right += known?.kind === 'read' && (known.place !== undefined) === isPrinted ? 1 : 0;
        }
      }),
    );
    expect(right).toBe(addresses.length);
    const counts = Object.entries(lab.counts().web);
    expect(counts.filter(([, count]) => count !== 1)).toEqual([]);
    // robots.txt, a page that does not exist, the home page and the contact page of each.
    expect(counts).toHaveLength(domains * 4);
  }, 120_000);
});

describe('a domain on the do-not-probe list', () => {
  it('is not visited', async () => {
    const listed = {
      scope: 'domain',
      name: 'site-1.example',
      origin: 'owner',
      note: undefined,
      createdAt: new Date(),
    } as const;
    const doNotProbe = createDoNotProbeList({
      store: { list: async () => [listed] },
      nowMs: Date.now,
      onStoreFailed: () => undefined,
    });
    const engine = await startEngine(labSettings(lab), { doNotProbe });
    try {
      const verdict = await engine.validate(`${nameNo(0)}@site-1.example`, 20_000, accountId);
      expect([verdict.result, verdict.reason]).toEqual(['unknown', 'do_not_probe']);
      expect(lab.counts().web).toEqual({});
    } finally {
      await engine.stop();
    }
  });
});
