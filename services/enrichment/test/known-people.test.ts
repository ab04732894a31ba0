import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from '@jest/globals';
import { type OpenTestDatabase, openTestDatabase, testRedisUrl, testServiceKeys } from '@mailproof/dev-house';
import { createOperationClient, createTokenSigner, startService } from '@mailproof/service-kit';
import {
  type AccountId,
  type KnownPeopleMatch,
  limits,
  matchKnownPeople,
  newId,
  ownPeopleHeaders,
  type ServiceName,
} from '@mailproof/shared-types';
import pg from 'pg';
import {
  createMatchKnownPeople,
  createNameKeyWriter,
  createOwnNameKeyWriter,
} from '../src/adapters/postgres/known-people.ts';
import { openDatabase } from '../src/adapters/postgres/open.ts';
import { sql as ownPeople } from '../src/adapters/postgres/own-people.sql.ts';
import { createRetentionSweep } from '../src/adapters/postgres/privacy/retention-sweep.ts';
import { createSubjects } from '../src/adapters/postgres/privacy/subjects.ts';
import { createProfileStore } from '../src/adapters/postgres/profile-store/profile-store.ts';
import { compose } from '../src/compose.ts';
import { loadConfig } from '../src/config.ts';
import { nameKeyRules, nameKeysOf } from '../src/domain/known-people/known-people.ts';
import { recognitionHashes } from '../src/domain/privacy/recognition.ts';
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
  await owner.query(
    'TRUNCATE person, own_person, company, removed_record, suppression, privacy_event, source CASCADE',
  );
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
  for (const writer of [createNameKeyWriter(open.pool), createOwnNameKeyWriter(open.pool)]) {
    while ((await writer.writeNext()) > 0);
  }
}

async function match(
  localPart: string,
  domain = 'acme.test',
  accountId?: AccountId,
): Promise<KnownPeopleMatch | undefined> {
  const { matches } = await createMatchKnownPeople(open.pool, () => now)(domain, [localPart], accountId);
  return matches[0];
}

test('the version of the rules changes with the keys of names', () => {
  const names = [
    ...['Ada Lovelace', 'Grace Brewster Hopper', 'Anne Marie Le Goff', 'Hans-Peter Meyer-Lüdenscheid'],
    ...[
      'María de los Ángeles Ruiz',
      'Mohammed Al-Fayed',
      'Pieter van den Berg',
      'Юлия Иванова',
      "Sinéad O'Connor",
    ],
  ];
  const keys = names.map(fullName => nameKeysOf({ fullName }, ['1']).sort());
  const digest = createHash('sha256').update(JSON.stringify(keys)).digest('hex').slice(0, 16);
  expect([nameKeyRules, digest]).toEqual([1, '2ccd25673916684b']);
});

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
    await open.pool.query('UPDATE name_key_rules SET change_no = 0');
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

/** Stores people of an account as its imports do. */
async function own(
  accountId: AccountId,
  people: readonly PersonRecord[],
  importedAt = new Date('2026-05-25T12:00:00Z'),
): Promise<void> {
  const rows = people.map(each => ({
    profile_key: each.profileKey,
    profile_url: each.profileUrl,
    full_name: each.fullName,
    first_name: each.firstName,
    last_name: each.lastName,
    company_name: each.companyName,
    company_domain: each.companyDomain,
    keywords: [],
    profile_badges: [],
    person_id: newId('person'),
    recognition_hashes: recognitionHashes(suppressionKey, {
      profileKey: each.profileKey,
      website: null,
      fullName: each.fullName,
      firstName: each.firstName,
      lastName: each.lastName,
      companyDomain: each.companyDomain,
      companyName: each.companyName,
    }).map(hash => `\\x${hash.toString('hex')}`),
  }));
  await ownPeople.write_own_people(open.pool, {
    account_id: accountId,
    import_id: newId('peopleImport'),
    import_name: 'people.csv',
    rows: JSON.stringify(rows),
    now: importedAt,
  });
  await writeKeys();
}

const ofAccount = (pattern: string, people = 'one', ageDays = 30) => ({
  ...fits(pattern, people, ageDays),
  restsOnOwnPeople: true,
});

describe('a person whom an account has imported', () => {
  const [ada, bob] = [newId('account'), newId('account')];
  const matchFor = (localPart: string, accountId: AccountId | undefined, domain = 'acme.test') =>
    match(localPart, domain, accountId);
  const waiting = async () => (await open.pool.query('SELECT FROM own_person_without_keys')).rowCount;

  it('fits for this account alone, and at the company that its file names', async () => {
    await own(ada, [person('Ada Lovelace')]);
    await own(bob, [person('Grace Hopper')]);
    for (const [localPart, owner, other] of [
      ['ada.lovelace', ada, bob],
      ['ghopper', bob, ada],
    ] as const) {
      expect((await matchFor(localPart, owner))?.restsOnOwnPeople).toBe(true);
      expect(await matchFor(localPart, other)).toEqual(nothing);
      expect(await matchFor(localPart, undefined)).toEqual(nothing);
      expect(await matchFor(localPart, owner, 'other.test')).toEqual(nothing);
    }
    expect(await matchFor('ada.lovelace', ada)).toEqual(ofAccount('first.last'));
  });

  it('fits no account whose key is the same', async () => {
    await own(ada, [person('Ada Lovelace')]);
    await open.pool.query('UPDATE own_person SET account_id = $1', [bob]);
    expect((await open.pool.query('SELECT FROM own_name_key')).rowCount).toBeGreaterThan(0);
    expect(await matchFor('ada.lovelace', ada)).toEqual(nothing);
  });

  it('counts together with the people of the store', async () => {
    await store([person('Anna Meier', 'acme.test', 'anna-1'), person('Arno Smith')]);
    await own(ada, [person('Anna Meier', 'acme.test', 'anna-2'), person('Eva Smith')]);
    expect(await matchFor('anna.meier', ada)).toEqual(ofAccount('first.last', 'several'));
    expect(await matchFor('anna.meier', bob)).toEqual(fits('first.last'));
    // No one else shares the answer about an address that own people do not change.
    expect(await matchFor('arno.smith', ada)).toEqual(fits('first.last'));
    expect(await matchFor('eva.smith', ada)).toEqual(ofAccount('first.last'));
  });

  it('counts once if the store has the person too, by the more recent record', async () => {
    await store([person('Ada Lovelace')]);
    await own(ada, [person('Ada Lovelace')]);
    expect(await matchFor('ada.lovelace', ada)).toEqual(fits('first.last'));
    await store([person('Ada Lovelace', 'other.test')], newer);
    expect(await matchFor('ada.lovelace', ada)).toEqual({ current: [], hasLeft: true });
    await own(ada, [person('Ada Lovelace')], new Date('2026-05-31T12:00:00Z'));
    expect(await matchFor('ada.lovelace', ada)).toEqual(ofAccount('first.last'));
    expect(await matchFor('ada.lovelace', bob)).toEqual({ current: [], hasLeft: true });
  });

  it('is older the longer the import is ago, and fits by the latest name and company', async () => {
    await own(ada, [person('Ada Byron', 'acme.test', 'ada')], new Date('2026-01-10T00:00:00Z'));
    expect(await matchFor('ada.byron', ada)).toEqual(ofAccount('first.last', 'one', 150));
    await own(ada, [person('Ada Lovelace', 'other.test', 'ada')]);
    expect(await matchFor('ada.byron', ada)).toEqual(nothing);
    expect(await matchFor('ada.lovelace', ada)).toEqual(nothing);
    expect(await matchFor('ada.lovelace', ada, 'other.test')).toEqual(ofAccount('first.last'));
    await own(ada, [{ ...person('Ada Lovelace', 'other.test', 'ada'), companyDomain: null }]);
    expect(await matchFor('ada.lovelace', ada, 'other.test')).toEqual(nothing);
    expect((await open.pool.query('SELECT FROM own_name_key')).rowCount).toBe(0);
  });

  it('is no evidence from the moment of the suppression, and leaves no key', async () => {
    await own(ada, [person('Ada Lovelace')]);
    await own(bob, [person('Ada Lovelace')]);
    await createSubjects(open.pool, { suppressionKey, retentionDays, traces: [] }).suppress({
      profileKey: 'linkedin.com/in/ada-lovelace',
      reason: 'opt_out',
      actor: 'opt_out',
      now,
    });
    for (const accountId of [ada, bob]) {
      expect(await matchFor('ada.lovelace', accountId)).toEqual(nothing);
    }
    expect((await open.pool.query('SELECT FROM own_name_key')).rowCount).toBe(0);
  });

  it('gets keys although the person is being changed or deleted while keys are written', async () => {
    await own(ada, [person('Ada Lovelace'), person('Grace Hopper')]);
    await open.pool.query('INSERT INTO own_person_without_keys SELECT person_no FROM own_person');
    const [changing, deleting] = [await open.pool.connect(), await open.pool.connect()];
    try {
      await changing.query('BEGIN');
      await changing.query("UPDATE own_person SET full_name = 'Ada Byron' WHERE full_name = 'Ada Lovelace'");
      await deleting.query('BEGIN');
      await deleting.query("DELETE FROM own_person WHERE full_name = 'Grace Hopper'");
      expect(await createOwnNameKeyWriter(open.pool).writeNext()).toBe(0);
      await changing.query('COMMIT');
      await deleting.query('COMMIT');
    } finally {
      changing.release();
      deleting.release();
    }
    await writeKeys();
    expect(await waiting()).toBe(0);
    expect(await matchFor('ada.byron', ada)).toEqual(ofAccount('first.last'));
    expect(await matchFor('grace.hopper', ada)).toEqual(nothing);
  });

  it('gets keys by new rules, like the people of the store, and no one gets them twice', async () => {
    await store([person('Grace Hopper')]);
    await own(ada, [person('Ada Lovelace')]);
    await open.pool.query('DELETE FROM name_key');
    await open.pool.query('DELETE FROM own_name_key');
    await writeKeys();
    expect(await Promise.all([match('grace.hopper'), matchFor('ada.lovelace', ada)])).toEqual([
      nothing,
      nothing,
    ]);
    const rules = nameKeyRules + 1;
    for (const writer of [createNameKeyWriter(open.pool, rules), createOwnNameKeyWriter(open.pool, rules)]) {
      expect([await writer.writeNext(), await writer.writeNext()]).toEqual([1, 0]);
    }
    expect(await Promise.all([match('grace.hopper'), matchFor('ada.lovelace', ada)])).toEqual([
      fits('first.last'),
      ofAccount('first.last'),
    ]);
  });

  it('gets keys once if two replicas write them at the same time', async () => {
    await own(ada, [person('Ada Lovelace')]);
    await open.pool.query('DELETE FROM own_name_key');
    await open.pool.query('INSERT INTO own_person_without_keys SELECT person_no FROM own_person');
    const written = await Promise.all([1, 2].map(() => createOwnNameKeyWriter(open.pool).writeNext()));
    expect(Math.max(...written)).toBe(1);
    await writeKeys();
    expect(await matchFor('ada.lovelace', ada)).toEqual(ofAccount('first.last'));
  });

  it('is found among the many of an account at one company without reading all of them', async () => {
    // A fifth of what an account may have: writing their keys takes most of the time.
    const people = limits.ownPeopleMax / 5;
    for (let from = 1; from <= people; from += 20_000) {
      await open.pool.query(
        `INSERT INTO own_person (person_id, account_id, profile_key, profile_url, full_name, company_domain, import_id,
           import_name, recognition_hashes, saved_at, updated_at)
         SELECT 'person_' || n, $2, 'linkedin.com/in/p' || n, 'https://linkedin.com/in/p' || n,
           CASE WHEN n % 10 = 0 THEN 'John' ELSE 'f' || translate(n::text, '0123456789', 'abcdefghij') END
             || ' Name' || translate((n / 7)::text, '0123456789', 'klmnopqrst'),
           'acme.test', 'import', 'people.csv', '{}', $3, $3
         FROM generate_series($1::int, $1 + 19_999) AS n`,
        [from, ada, now],
      );
    }
    await own(ada, [person('Ada Lovelace')]);
    await open.pool.query('ANALYZE own_name_key, own_person');
    const localParts = [
      'ada.lovelace',
      'john',
      ...Array.from(
        { length: 98 },
        (_, index) => `john.namek${'lmnopqrst'.repeat(11).slice(index, index + 3)}`,
      ),
    ];
    const times: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const beganAtMs = performance.now();
      const { matches } = await createMatchKnownPeople(open.pool, () => now)('acme.test', localParts, ada);
      times.push(performance.now() - beganAtMs);
      expect(matches[0]).toEqual(ofAccount('first.last'));
      // Four thousand people are called John.
      expect(matches[1]).toEqual(nothing);
    }
    process.stdout.write(
      `100 local parts among ${people} own people: ${times.map(ms => ms.toFixed(0)).join(', ')} ms\n`,
    );
  }, 180_000);
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
      // The account comes in a header, which a service of the previous release leaves out or ignores.
      const account = newId('account');
      await own(account, [person('Bob Noyce')]);
      const bobAsked = { params: {}, body: { domain: 'acme.test', localParts: ['bob.noyce'] } };
      const matchesFor = async (accountId: AccountId | undefined) => {
        const headers = ownPeopleHeaders(accountId);
        return (await engine.call(matchKnownPeople, bobAsked, { deadlineMs: 10_000, headers })).matches;
      };
      expect(await matchesFor(account)).toEqual([ofAccount('first.last')]);
      expect(await matchesFor(newId('account'))).toEqual([nothing]);
      expect(await matchesFor(undefined)).toEqual([nothing]);
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
