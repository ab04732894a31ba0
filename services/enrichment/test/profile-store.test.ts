import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type OpenTestDatabase, openTestDatabase } from '@mailproof/dev-house';
import { withoutModel } from '../src/adapters/lookalike-worker/model-store.ts';
import { sql as peopleIndex } from '../src/adapters/people-index/people-index.sql.ts';
import { openDatabase } from '../src/adapters/postgres/open.ts';
import { createRetentionSweep } from '../src/adapters/postgres/privacy/retention-sweep.ts';
import { createSubjects } from '../src/adapters/postgres/privacy/subjects.ts';
import { createSuppressionCheck } from '../src/adapters/postgres/privacy/suppression-check.ts';
import { createProfileStore } from '../src/adapters/postgres/profile-store/profile-store.ts';
import { sql } from '../src/adapters/postgres/profiles.sql.ts';
import { keepSandboxRecords } from '../src/adapters/postgres/sandbox-records.ts';
import {
  type CompanyRecord,
  type PersonRecord,
  unknownCompany,
  unknownPerson,
} from '../src/domain/profile-store/profile-records.ts';
import type { SourceLoad } from '../src/domain/profile-store/profile-store.ts';
import { syntheticCompany } from '../src/fixtures/synthetic-company.ts';
import { syntheticPerson } from '../src/fixtures/synthetic-person.ts';

const suppressionKey = new TextEncoder().encode('a key for tests alone, 32 characters');
const retentionDays = 1_000;
const now = new Date('2026-06-01T12:00:00Z');

let open: OpenTestDatabase;

beforeAll(async () => {
  open = await openTestDatabase('enrichment', openDatabase);
});
afterAll(async () => {
  await open.close();
});
beforeEach(async () => {
  for (const table of ['person', 'company', 'removed_record', 'suppression', 'privacy_event', 'source'])
    await open.pool.query(`DELETE FROM ${table}`);
});

const store = () => createProfileStore(open.pool, { suppressionKey, retentionDays });
const subjects = (traces = []) => createSubjects(open.pool, { suppressionKey, retentionDays, traces });
const load: SourceLoad = {
  kind: 'import',
  name: 'Test',
  licence: 'CC0-1.0',
  retrievedOn: '2026-05-01',
  fingerprint: 'a',
};
const newer: SourceLoad = { ...load, retrievedOn: '2026-05-20', fingerprint: 'b' };
const company = (domain: string, fields: Partial<CompanyRecord> = {}): CompanyRecord => ({
  ...unknownCompany,
  domain,
  profileKey: null,
  name: domain,
  ...fields,
});
const person = (slug: string, fields: Partial<PersonRecord> = {}): PersonRecord => ({
  ...unknownPerson,
  profileKey: `linkedin.com/in/${slug}`,
  profileUrl: `https://www.linkedin.com/in/${slug}`,
  fullName: 'Ada Lovelace',
  ...fields,
});
async function dump(table: string) {
  const { rows } = await open.pool.query(`SELECT * FROM ${table} ORDER BY change_no`);
  return rows;
}

describe('the profile store', () => {
  it('is the only code that inserts people or companies', () => {
    const sources = globSync('src/**/*.ts', { cwd: join(import.meta.dirname, '..') }).filter(
      path => !/\.test\.ts$|generated/.test(path),
    );
    expect(sources.length).toBeGreaterThan(50);
    const inserting = sources.filter(path =>
      /INSERT INTO (?:enrichment\.)?(?:person|company)\b|\.(?:person|company)\.(?:create|upsert)|INSERT INTO \$\{/i.test(
        readFileSync(join(import.meta.dirname, '..', path), 'utf8'),
      ),
    );
    expect(inserting).toEqual(['src/adapters/postgres/profile-store/record-batch.ts']);
  });

  it('merges by field, names every source and keeps what was overwritten', async () => {
    const first = company('acme.test', { name: 'Acme', country: 'DE', city: 'Bonn', keywords: ['pumps'] });
    expect(await store().loadCompanies(load, [first], now)).toEqual([{ kind: 'added' }]);
    const second = company('acme.test', { name: 'Acme AG', employeeCount: 30, companySize: '11-50' });
    expect(await store().loadCompanies(newer, [second], now)).toEqual([{ kind: 'merged' }]);
    const [row] = await dump('company');
    expect(row).toMatchObject({ name: 'Acme AG', city: 'Bonn', keywords: ['pumps'], employee_count: 30 });
    expect(row.company_id).toMatch(/^comp_[0-9a-f]{32}$/);
    const { rows: sources } = await open.pool.query<{ source_id: number; fingerprint: string }>(
      'SELECT source_id, fingerprint FROM source',
    );
    const byId = new Map(sources.map(({ source_id, fingerprint }) => [source_id, fingerprint]));
    const sourceOf = (field: string) => byId.get(row.field_sources[field] ?? row.source_id);
    expect(['name', 'employee_count', 'city', 'keywords'].map(sourceOf)).toEqual(['b', 'b', 'a', 'a']);
    const { rows: history } = await open.pool.query('SELECT field, old_value FROM record_history');
    expect(history).toEqual([{ field: 'name', old_value: 'Acme' }]);
  });

  it('changes nothing when the same load is repeated, including change numbers', async () => {
    const records = [
      company('one.test', { name: 'One', profileKey: 'linkedin.com/company/one' }),
      company('one.test', { name: 'One again', country: 'FR' }),
      company('two.test', { annualRevenueUsd: 5_000_000_000, revenue: '$1-10B' }),
    ];
    await store().loadCompanies(load, records, now);
    const before = await dump('company');
    expect(before.map(({ name }) => name)).toEqual(['One', 'two.test']);
    expect(before[0]).toMatchObject({ country: 'FR' });
    const later = new Date(now.getTime() + 1);
    const outcomes = await store().loadCompanies(load, records, later);
    expect(outcomes).toEqual([{ kind: 'unchanged' }, { kind: 'unchanged' }, { kind: 'unchanged' }]);
    expect(await dump('company')).toEqual(before);
  });

  it('knows a company by domain or by profile, and learns the other', async () => {
    const byProfile = company('x', { domain: null, profileKey: 'linkedin.com/company/x', name: 'X' });
    await store().loadCompanies(load, [byProfile], now);
    await store().loadCompanies(load, [{ ...byProfile, domain: 'x.test' }], now);
    expect(await dump('company')).toMatchObject([
      { domain: 'x.test', profile_key: 'linkedin.com/company/x' },
    ]);
  });

  it('joins people to the company of their domain, and creates a missing one', async () => {
    await store().loadCompanies(load, [company('acme.test', { name: 'Acme' })], now);
    await store().loadPeople(
      load,
      [
        person('ada', { companyDomain: 'acme.test' }),
        person('bob', { fullName: 'Bob', companyDomain: 'new.test', companyName: 'New' }),
      ],
      now,
    );
    const { rows } = await open.pool.query(
      'SELECT full_name, company_name, company.name FROM person JOIN company USING (company_no) ORDER BY full_name',
    );
    expect(rows).toEqual([
      { full_name: 'Ada Lovelace', company_name: 'Acme', name: 'Acme' },
      { full_name: 'Bob', company_name: 'New', name: 'New' },
    ]);
  });

  it('keeps the invented and the real apart', async () => {
    const invented: SourceLoad = { ...load, kind: 'synthetic', fingerprint: '' };
    await store().loadCompanies(load, [company('real.test')], now);
    const refused = [{ kind: 'refused', reason: 'synthetic_and_real' }];
    expect(await store().loadCompanies(invented, [company('real.test')], now)).toEqual(refused);
    const atReal = person('ada', { companyDomain: 'real.test' });
    expect(await store().loadPeople(invented, [atReal], now)).toEqual(refused);
    await store().loadCompanies(invented, [syntheticCompany(1, 0)], now);
    const realAtInvented = person('bob', { companyDomain: syntheticCompany(1, 0).domain });
    expect(await store().loadPeople(load, [realAtInvented], now)).toEqual(refused);
    expect(await dump('person')).toEqual([]);
  });

  it('accepts synthetic records by the thousand, the second time without effect', async () => {
    const invented: SourceLoad = { ...load, kind: 'synthetic', fingerprint: '' };
    const companies = Array.from({ length: 500 }, (_, index) => syntheticCompany(1, index));
    const people = Array.from({ length: 2_000 }, (_, index) => syntheticPerson(1, index, 500));
    await store().loadCompanies(invented, companies, now);
    await store().loadPeople(invented, people, now);
    const before = [await dump('company'), await dump('person')];
    expect(before.map(rows => rows.length)).toEqual([500, 2_000]);
    const again = [
      ...(await store().loadCompanies(invented, companies, now)),
      ...(await store().loadPeople(invented, people, now)),
    ];
    expect(new Set(again.map(({ kind }) => kind))).toEqual(new Set(['unchanged']));
    expect([await dump('company'), await dump('person')]).toEqual(before);
  });
});

describe('suppression', () => {
  const ada = person('ada', { companyDomain: 'acme.test' });

  it('deletes the person and all dependent data, and logs it without a name', async () => {
    await store().loadPeople(load, [ada, person('bob', { fullName: 'Bob' })], now);
    const [row] = await dump('person');
    await open.pool.query("INSERT INTO saved_person VALUES ('acct', $1, 'run')", [row.person_no]);
    const request = { profileKey: ada.profileKey, reason: 'opt_out', actor: 'opt_out', now } as const;
    expect(await subjects().suppress(request)).toEqual({ deleted: 1 });
    expect(await subjects().suppress(request)).toEqual({ deleted: 0 });
    expect((await dump('person')).map(({ full_name }) => full_name)).toEqual(['Bob']);
    expect((await open.pool.query('SELECT * FROM saved_person')).rows).toEqual([]);
    expect(await dump('removed_record')).toMatchObject([{ person_no: row.person_no }]);
    const { rows: kept } = await open.pool.query(
      'SELECT to_json(privacy_event)::text AS text FROM privacy_event UNION ALL SELECT to_json(suppression)::text FROM suppression',
    );
    // Two events, plus hashes of the profile, of the name with the company's domain, and of the name with the company's
    // name.
    expect(kept.length).toBe(5);
    expect(JSON.stringify(kept)).not.toMatch(/ada|lovelace|acme/i);
  });

  it('keeps the person out by the profile, and by another profile of the same name at the same company', async () => {
    await store().loadPeople(load, [ada], now);
    await subjects().suppress({ profileKey: ada.profileKey, reason: 'opt_out', actor: 'opt_out', now });
    const other = person('ada-2', { fullName: 'Dr. ADA  Lovelacé', companyDomain: 'acme.test' });
    const stranger = person('ada-3', { companyDomain: 'elsewhere.test' });
    const outcomes = await store().loadPeople(newer, [ada, other, stranger], now);
    expect(outcomes).toEqual([
      { kind: 'refused', reason: 'suppressed' },
      { kind: 'refused', reason: 'suppressed' },
      { kind: 'added' },
    ]);
    const check = createSuppressionCheck(open.pool, suppressionKey);
    expect(await check.areSuppressed([ada, other, stranger])).toEqual([true, true, false]);
  });

  it.each<[string, Partial<PersonRecord>]>([
    ['another order of the name', { fullName: 'LOVELACE, Ada (she/her)', companyDomain: 'acme.test' }],
    [
      'the name in parts',
      { fullName: 'Ada K.', firstName: 'Ada', lastName: 'Lovelace', companyDomain: 'acme.test' },
    ],
    ['a company of which the name alone is known', { companyName: 'ACME Pumps, Inc.' }],
    [
      'a company of which the profile writes the name',
      { companyName: 'Acme', companyDomain: 'acme-group.test' },
    ],
    ['a website that is the profile', { fullName: 'A. L.', website: 'https://de.linkedin.com/in/Ada' }],
    [
      'the other profile that they gave as their website',
      { profileKey: 'xing.com/profile/ada_l', fullName: 'A.' },
    ],
  ])('keeps the person out who comes by another network with %s', async (_, fields) => {
    await store().loadCompanies(load, [company('acme.test', { name: 'Acme Pumps' })], now);
    const known = { ...ada, companyName: 'Acme', website: 'https://www.xing.com/profile/Ada_L' };
    await store().loadPeople(load, [known], now);
    await subjects().suppress({ profileKey: ada.profileKey, reason: 'opt_out', actor: 'opt_out', now });
    const other = person('', { profileKey: 'ordinary.test/team/7', ...fields });
    expect(await store().loadPeople(newer, [other], now)).toEqual([
      { kind: 'refused', reason: 'suppressed' },
    ]);
    expect(await dump('person')).toEqual([]);
  });

  it('deletes a person stored with another profile, even if only the company’s name is known', async () => {
    await store().loadPeople(
      load,
      [
        { ...ada, companyName: 'Acme' },
        person('ada-2', { fullName: 'Lovelace, Ada', companyName: 'ACME' }),
        person('ada-3', { fullName: 'Ada Lovelace', companyName: 'Bolt' }),
      ],
      now,
    );
    const request = { profileKey: ada.profileKey, reason: 'opt_out', actor: 'opt_out', now } as const;
    expect(await subjects().suppress(request)).toEqual({ deleted: 2 });
    expect((await dump('person')).map(({ profile_key }) => profile_key)).toEqual(['linkedin.com/in/ada-3']);
  });

  it('keeps a profile out of the companies, too, where its URL does not tell whom it is of', async () => {
    const ambiguous = { profileKey: 'github.com/ada', profileUrl: 'https://github.com/ada' };
    const records = [
      company('acme.test', ambiguous),
      { ...company('', { ...ambiguous, name: 'Bob', profileKey: 'github.com/bob' }), domain: null },
    ];
    await store().loadCompanies(load, records, now);
    for (const profileKey of ['github.com/ada', 'github.com/bob'])
      await subjects().suppress({ profileKey, reason: 'opt_out', actor: 'opt_out', now });
    expect(await dump('company')).toMatchObject([
      { domain: 'acme.test', profile_key: null, profile_url: null },
    ]);
    expect((await dump('removed_record')).map(({ company_no }) => company_no)).toEqual([expect.any(Number)]);
    expect(await store().loadCompanies(newer, records, now)).toEqual([
      { kind: 'unchanged' },
      { kind: 'refused', reason: 'suppressed' },
    ]);
    expect(await dump('company')).toMatchObject([
      { domain: 'acme.test', profile_key: null, profile_url: null },
    ]);
  });

  it('misses no person who is loaded at the same moment', async () => {
    for (let round = 0; round < 25; round += 1) {
      const someone = person(`race-${round}`, { fullName: `Race ${round}` });
      const loads = Array.from({ length: 4 }, (_, index) =>
        store().loadPeople({ ...load, fingerprint: `race-${index}` }, [someone], now),
      );
      const { profileKey } = someone;
      const suppression = subjects().suppress({ profileKey, reason: 'opt_out', actor: 'opt_out', now });
      await Promise.all([...loads, suppression]);
      const { rows } = await open.pool.query('SELECT 1 FROM person WHERE profile_key = $1', [profileKey]);
      expect(rows).toEqual([]);
    }
  });

  it('shows change numbers in the order in which they become visible', async () => {
    let seen = 0n;
    const writing = { done: false };
    const writers = Promise.all(
      Array.from({ length: 4 }, async (_, writer) => {
        for (let round = 0; round < 10; round += 1) {
          const people = Array.from({ length: 20 }, (_, index) => person(`w-${writer}-${round}-${index}`));
          await store().loadPeople({ ...load, fingerprint: `w${writer}` }, people, now);
        }
      }),
    ).finally(() => {
      writing.done = true;
    });
    const known = new Set<string>();
    for (let wasDone = false; ; wasDone = writing.done) {
      const { rows } = await open.pool.query<{ person_no: string; change_no: string }>(
        'SELECT person_no, change_no FROM person WHERE change_no > $1 ORDER BY change_no',
        [seen],
      );
      for (const { person_no, change_no } of rows) {
        known.add(person_no);
        seen = BigInt(change_no);
      }
      // The last writer had finished before this poll.
      if (wasDone && rows.length === 0) break;
    }
    await writers;
    expect(known.size).toBe(800);
  });
});

describe('the records of the sandbox', () => {
  it('are written once by replicas that start together, and no count contains them', async () => {
    await Promise.all([keepSandboxRecords(open.pool), keepSandboxRecords(open.pool)]);
    expect([await dump('company'), await dump('person')].map(rows => rows.length)).toEqual([4, 20]);
    expect((await withoutModel(open.pool)).state).toEqual({ state: 'none', described: 0 });
    expect((await peopleIndex.count_people(open.pool, { people_max: 100 })).rows).toEqual([{ count: 0 }]);
  });

  it('do not let a start wait for a writer of the store, once they are there', async () => {
    await keepSandboxRecords(open.pool);
    const writer = await open.pool.connect();
    try {
      await writer.query('BEGIN');
      await sql.lock_profile_store(writer, {});
      await keepSandboxRecords(open.pool);
    } finally {
      await writer.query('ROLLBACK');
      writer.release();
    }
  });
});

describe('access and retention', () => {
  it('shows everything stored about a person, each field with its source', async () => {
    await store().loadPeople(load, [person('ada', { jobTitle: 'Analyst', companyDomain: 'acme.test' })], now);
    await store().loadPeople(newer, [person('ada', { jobTitle: 'Countess' })], now);
    const { stored: subject } = await subjects().show('linkedin.com/in/ada', now);
    expect(subject).toMatchObject({ accounts: 0, lists: 0, firstLoadedAt: now });
    expect(subject?.keptUntil).toEqual(new Date(now.getTime() + retentionDays * 86_400_000));
    const fields = Object.fromEntries((subject?.fields ?? []).map(({ field, ...rest }) => [field, rest]));
    expect(fields['job_title']).toEqual({
      value: 'Countess',
      source: { kind: 'import', name: 'Test', licence: 'CC0-1.0', retrievedOn: '2026-05-20' },
    });
    expect(fields['company_domain']).toMatchObject({
      value: 'acme.test',
      source: { retrievedOn: '2026-05-01' },
    });
    expect(subject?.history).toMatchObject([{ field: 'job_title', value: 'Analyst' }]);
    expect(await subjects().show('linkedin.com/in/nobody', now)).toEqual({ stored: undefined, imported: [] });
  });

  it('deletes people when their time is over, however often they were confirmed, and takes no old file for them', async () => {
    const first = new Date('2023-01-01T00:00:00Z');
    const old: SourceLoad = { ...load, retrievedOn: '2022-12-01', fingerprint: 'old' };
    await store().loadPeople(old, [person('ada'), person('bob', { fullName: 'Bob' })], first);
    await store().loadPeople(newer, [person('ada', { jobTitle: 'Countess' })], now);
    await store().loadPeople({ ...load, kind: 'synthetic' }, [syntheticPerson(1, 1, 1)], first);
    const sweep = createRetentionSweep(open.pool, retentionDays);
    expect(await sweep.sweep(now)).toEqual({ deleted: 2 });
    expect(await sweep.sweep(now)).toEqual({ deleted: 0 });
    const counts = async () =>
      (
        await open.pool.query(
          'SELECT (SELECT count(*)::integer FROM removed_record) AS removals, (SELECT count(*)::integer FROM privacy_event) AS events',
        )
      ).rows[0];
    expect(await counts()).toEqual({ removals: 2, events: 1 });
    expect(await dump('person')).toMatchObject([{ is_synthetic: true }]);
    expect(await store().loadPeople(old, [person('ada')], now)).toEqual([
      { kind: 'refused', reason: 'too_old' },
    ]);
    await sweep.sweep(new Date('2040-01-01T00:00:00Z'));
    expect(await counts()).toEqual({ removals: 0, events: 0 });
  });
});
