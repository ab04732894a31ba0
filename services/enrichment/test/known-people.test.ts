import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type OpenTestDatabase, openTestDatabase, testRedisUrl, testServiceKeys } from '@mailproof/dev-house';
import { createOperationClient, createTokenSigner, startService } from '@mailproof/service-kit';
import { type KnownPeopleMatch, matchKnownPeople, type ServiceName } from '@mailproof/shared-types';
import pg from 'pg';
import { createMatchKnownPeople, createNameKeyWriter } from '../src/adapters/postgres/known-people.ts';
import { openDatabase } from '../src/adapters/postgres/open.ts';
import { createRetentionSweep } from '../src/adapters/postgres/privacy/retention-sweep.ts';
import { createSubjects } from '../src/adapters/postgres/privacy/subjects.ts';
import { createProfileStore } from '../src/adapters/postgres/profile-store/profile-store.ts';
import { compose } from '../src/compose.ts';
import { loadConfig } from '../src/config.ts';
import { type PersonRecord, unknownPerson } from '../src/domain/profile-store/profile-records.ts';
import type { SourceLoad } from '../src/domain/profile-store/profile-store.ts';

const key = 'a key for tests alone, 32 characters';
const suppressionKey = new TextEncoder().encode(key);
const retentionDays = 1_000;
const now = new Date('2026-06-01T12:00:00Z');
let open: OpenTestDatabase;

beforeAll(async () => {
  open = await openTestDatabase('enrichment', openDatabase);
});
afterAll(() => open.close());
// Tens of thousands of rows are deleted one by one, which takes longer than a statement of the service may.
beforeEach(async () => {
  const owner = new pg.Client({ connectionString: open.ownerUrl });
  await owner.connect();
  await owner.query('TRUNCATE person, company, removed_record, suppression, privacy_event, source CASCADE');
  await owner.end();
});

const load: SourceLoad = {
  kind: 'import',
  name: 'Test',
  licence: 'CC0-1.0',
  retrievedOn: '2026-05-20',
  fingerprint: 'a',
};
const newer: SourceLoad = { ...load, retrievedOn: '2026-05-30', fingerprint: 'b' };
const slugOf = (fullName: string) => fullName.toLowerCase().replace(/[^a-z]+/g, '-');
const person = (fullName: string, companyDomain = 'acme.test', slug = slugOf(fullName)): PersonRecord => ({
  ...unknownPerson,
  profileKey: `linkedin.com/in/${slug}`,
  profileUrl: `https://www.linkedin.com/in/${slug}`,
  fullName,
  companyDomain,
  companyName: companyDomain,
});

async function store(people: readonly PersonRecord[], from = load): Promise<void> {
  await createProfileStore(open.pool, { suppressionKey, retentionDays }).loadPeople(from, people, now);
  await writeKeys();
}

async function writeKeys(): Promise<void> {
  const writer = createNameKeyWriter(open.pool);
  while ((await writer.writeNext()) > 0);
}

async function match(localPart: string, domain = 'acme.test'): Promise<KnownPeopleMatch | undefined> {
  const { matches } = await createMatchKnownPeople(open.pool, () => now)(domain, [localPart]);
  return matches[0];
}

const nothing = { current: [], hasLeft: false };
const fits = (pattern: string, people = 'one', ageDays = 30) => ({
  current: [{ pattern, people, ageDays }],
  hasLeft: false,
});

describe('a local part', () => {
  it('fits the one person whose name makes it, with the pattern and the age of the source', async () => {
    await store([person('Ada Lovelace'), person('Grace Hopper')]);
    expect(await match('ada.lovelace')).toEqual(fits('first.last'));
    expect(await match('ghopper')).toEqual(fits('flast'));
    expect(await match('ada')).toEqual(fits('first'));
  });

  it('fits a name in other letters, and one that is stored in parts', async () => {
    await store([
      person('Юлия Щербакова', 'acme.test', 'yuliya'),
      { ...person('Dr. Jörg van den Berg'), firstName: 'Jörg', lastName: 'van den Berg' },
    ]);
    expect(await match('yuliya.shcherbakova')).toEqual(fits('first.last'));
    expect(await match('jvandenberg')).toEqual(fits('flast'));
    expect(await match('joerg.berg')).toEqual(fits('first.last'));
  });

  it('fits namesakes without telling how many', async () => {
    await store([
      person('Anna Meier', 'acme.test', 'anna-1'),
      person('Anna Meier', 'acme.test', 'anna-2'),
      person('Arno Meier'),
    ]);
    expect(await match('anna.meier')).toEqual(fits('first.last', 'several'));
    expect(await match('anna.meier2')).toEqual(fits('first.last', 'several'));
    expect(await match('ameier')).toEqual(fits('flast', 'several'));
    expect(await match('arno.meier')).toEqual(fits('first.last'));
    expect(await match('arno.meier2')).toEqual(nothing);
  });

  it('fits by each pattern separately: the first name of one and the last name of another', async () => {
    await store([person('Martin Huber'), person('Eva Martin')]);
    expect(await match('martin')).toEqual({
      current: [
        { pattern: 'first', people: 'one', ageDays: 30 },
        { pattern: 'last', people: 'one', ageDays: 30 },
      ],
      hasLeft: false,
    });
  });

  it('fits only someone who has left, until that is forgotten', async () => {
    await store([person('Ada Lovelace')]);
    await store([person('Ada Lovelace', 'other.test')], newer);
    expect(await match('ada.lovelace')).toEqual({ current: [], hasLeft: true });
    expect(await match('ada.lovelace', 'other.test')).toEqual(fits('first.last'));
    await createRetentionSweep(open.pool, retentionDays).sweep(new Date('2027-07-01T00:00:00Z'));
    expect(await match('ada.lovelace')).toEqual(nothing);
  });

  it('fits someone who works there although another of the name has left', async () => {
    await store([person('Ada Lovelace', 'acme.test', 'ada-1'), person('Ada Lovelace', 'acme.test', 'ada-2')]);
    await store([person('Ada Lovelace', 'other.test', 'ada-2')], newer);
    expect(await match('ada.lovelace')).toEqual(fits('first.last'));
  });

  it.each(['a', 'al', 'info', 'xkcdqzpw', '12345', '"ada lovelace"'])('fits no one: %s', async localPart => {
    await store([person('Ada Lovelace')]);
    expect(await match(localPart)).toEqual(nothing);
  });

  it('fits no one at a company with a similar domain, or with none', async () => {
    await store([person('Ada Lovelace', 'acme-inc.test')]);
    expect(await match('ada.lovelace')).toEqual(nothing);
    await store([{ ...person('Bob Noyce'), companyDomain: null, companyName: 'acme.test' }]);
    expect(await match('bob.noyce')).toEqual(nothing);
  });

  it('fits no synthetic person', async () => {
    await store([person('Ada Lovelace')], { ...load, kind: 'synthetic' });
    expect(await match('ada.lovelace')).toEqual(nothing);
  });

  it('fits people whom an earlier release stored, and a changed name', async () => {
    await store([person('Ada Byron', 'acme.test', 'ada')]);
    await open.pool.query('DELETE FROM name_key');
    await open.pool.query('UPDATE name_key_progress SET change_no = 0');
    await writeKeys();
    expect(await match('ada.byron')).toEqual(fits('first.last'));
    await store([person('Ada Lovelace', 'acme.test', 'ada')], newer);
    expect(await match('ada.byron')).toEqual(nothing);
    expect(await match('ada.lovelace')).toEqual(fits('first.last'));
  });
});

describe('a suppressed person', () => {
  const suppress = (slug: string) =>
    createSubjects(open.pool, { suppressionKey, retentionDays, traces: [] }).suppress({
      profileKey: `linkedin.com/in/${slug}`,
      reason: 'opt_out',
      actor: 'opt_out',
      now,
    });

  it('is no evidence from the moment of the suppression, and leaves no key', async () => {
    await store([person('Ada Lovelace'), person('Grace Hopper')]);
    await store([person('Grace Hopper', 'other.test')], newer);
    expect(await match('ghopper')).toEqual({ current: [], hasLeft: true });
    await suppress('ada-lovelace');
    await suppress('grace-hopper');
    expect(await match('ada.lovelace')).toEqual(nothing);
    expect(await match('ghopper')).toEqual(nothing);
    expect((await open.pool.query('SELECT FROM name_key')).rowCount).toBe(0);
  });

  it('is no evidence if keys are written at the same time', async () => {
    const writer = createNameKeyWriter(open.pool);
    for (let round = 0; round < 20; round += 1) {
      const fullName = `Ada Lovelace${'abcdefghijklmnopqrst'.charAt(round)}`;
      const at = person(fullName);
      await createProfileStore(open.pool, { suppressionKey, retentionDays }).loadPeople(load, [at], now);
      await Promise.all([writer.writeNext(), suppress(slugOf(fullName)), writer.writeNext()]);
      expect(await match(fullName.toLowerCase().replace(' ', '.'))).toEqual(nothing);
    }
    expect((await open.pool.query('SELECT FROM name_key')).rowCount).toBe(0);
  });

  it('stays out if a file contains the person again', async () => {
    await store([person('Ada Lovelace')]);
    await suppress('ada-lovelace');
    await store(
      [person('Ada Lovelace'), person('Ada Lovelace', 'acme.test', 'ada-on-another-network')],
      newer,
    );
    expect(await match('ada.lovelace')).toEqual(nothing);
  });
});

describe('a company with 100,000 people', () => {
  const people = 100_000;

  it('is matched without reading all of them', async () => {
    await store([person('Ada Lovelace')]);
    const firsts = "ARRAY['john','mary','peter','anna','paul','laura','mark','nina','tom','eva']";
    const lasts = "ARRAY['smith','jones','meier','novak','rossi','garcia','dubois','jensen','silva','kim']";
    // Every tenth person has a frequent last name.
    for (let from = 1; from <= people; from += 10_000) {
      await open.pool.query(
        `INSERT INTO person (person_id, profile_key, profile_url, full_name, company_no, source_id)
       SELECT 'person_' || n, 'linkedin.com/in/p' || n, 'https://linkedin.com/in/p' || n,
         (${firsts})[1 + n % 10] || ' ' || CASE WHEN n % 10 = 0 THEN (${lasts})[1 + (n / 10) % 10]
           ELSE 'name' || translate(n::text, '0123456789', 'abcdefghij') END,
         company.company_no, company.source_id
       FROM generate_series($1::int, $1 + 9_999) AS n, company WHERE domain = 'acme.test'`,
        [from],
      );
    }
    const startedAtMs = performance.now();
    await writeKeys();
    const writtenMs = performance.now() - startedAtMs;
    await open.pool.query('ANALYZE name_key, person');
    const localParts = Array.from({ length: 100 }, (_, index) =>
      index % 2 === 0
        ? `john.smith${'abcdefghij'.charAt(index / 10)}`
        : `mary.name${'bcdef'.repeat(2).slice(0, 1 + (index % 5))}`,
    );
    localParts.splice(0, 4, 'ada.lovelace', 'john.smith', 'john', 'jsmith');
    const times: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const beganAtMs = performance.now();
      const { knownPeople, matches } = await createMatchKnownPeople(open.pool, () => now)(
        'acme.test',
        localParts,
      );
      times.push(performance.now() - beganAtMs);
      expect(knownPeople).toBe(1_000);
      expect(matches).toHaveLength(100);
      expect(matches[0]).toEqual(fits('first.last'));
      expect(matches[1]).toEqual(fits('first.last', 'several'));
      // Ten thousand people are called John.
      expect(matches[2]).toEqual(nothing);
    }
    process.stdout.write(
      `keys of ${people} people: ${writtenMs.toFixed(0)} ms; 100 local parts: ${times.map(ms => ms.toFixed(0)).join(', ')} ms\n`,
    );
  }, 120_000);
});

describe('the operation', () => {
  it('answers the engine only, and names no one', async () => {
    await store([person('Ada Lovelace')]);
    const keys = await testServiceKeys();
    const config = loadConfig({
      PORT: '0',
      LOG_LEVEL: 'silent',
      DATABASE_URL: open.databaseUrl,
      REDIS_URL: await testRedisUrl('enrichment'),
      CREDIT_LEDGER_URL: 'http://127.0.0.1:9',
      SUPPRESSION_HASH_KEY: key,
      PROVIDER_ENCRYPTION_KEYS: `ring-1:${Buffer.alloc(32, 1).toString('base64')}`,
      ...keys.settingsOf('enrichment'),
    });
    const service = await startService(await compose(config, { now: () => now }), config);
    const clientOf = async (caller: Extract<ServiceName, 'gateway' | 'validation-engine'>) =>
      createOperationClient({
        baseUrl: `http://127.0.0.1:${service.port}`,
        audience: 'enrichment',
        sign: await createTokenSigner(keys.signingKeys[caller] as Parameters<typeof createTokenSigner>[0]),
      });
    const [engine, gateway] = [await clientOf('validation-engine'), await clientOf('gateway')];
    try {
      const body = { domain: 'ACME.test', localParts: ['ada.lovelace', 'bob'] };
      const asked = { params: {}, body };
      const signal = AbortSignal.timeout(10_000);
      const answer = await engine.exchange(matchKnownPeople, asked, { signal, bytesMax: 10_000 });
      expect(answer.status).toBe(200);
      expect(JSON.parse(answer.content.toString())).toEqual({
        knownPeople: 1,
        matches: [fits('first.last'), nothing],
      });
      const refused = await gateway.exchange(matchKnownPeople, asked, { signal, bytesMax: 10_000 });
      expect(refused.status).toBe(403);
      const tooMany = { domain: 'acme.test', localParts: Array.from({ length: 101 }, () => 'ada') };
      const tooLong = await engine.exchange(
        matchKnownPeople,
        { params: {}, body: tooMany },
        { signal, bytesMax: 10_000 },
      );
      expect(tooLong.status).toBe(400);
    } finally {
      await Promise.all([engine.close(), gateway.close()]);
      await service.stop();
    }
  });
});
