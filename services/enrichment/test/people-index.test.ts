import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase, waitFor } from '@mailproof/dev-house';
import { newId, type PeopleFilters } from '@mailproof/shared-types';
import fc from 'fast-check';
import pg from 'pg';
import {
  createPeopleIndex,
  type PeopleIndexEvents,
  type RunningPeopleIndex,
  startIndexThread,
} from '../src/adapters/people-index/start-people-index.ts';
import { UnknownFilterValues } from '../src/domain/people-search/people-index.ts';

let database: TestDatabase;
let pool: pg.Pool;
let sourceId: number;
const running: RunningPeopleIndex[] = [];

beforeAll(async () => {
  database = await createTestDatabase('enrichment');
  pool = new pg.Pool({ connectionString: database.databaseUrl, max: 5 });
  const { rows } = await pool.query(
    "INSERT INTO source (kind, name, licence, retrieved_on) VALUES ('synthetic', 'test', 'none', '2026-01-01') RETURNING source_id",
  );
  sourceId = rows[0].source_id;
});

afterAll(async () => {
  await Promise.all(running.map(each => each.close()));
  await pool?.end();
  await database?.drop();
});

interface Happened {
  readonly crashes: Error[];
  readonly failures: Error[];
  loaded: number;
  full: number;
}

async function openIndex({
  databaseUrl = database.databaseUrl,
  peopleMax = 100_000,
  ready = true,
  onThread = (_thread: Worker): unknown => undefined,
} = {}) {
  const happened: Happened = { crashes: [], failures: [], loaded: 0, full: 0 };
  const events: PeopleIndexEvents = {
    peopleIndexCrashed: error => void happened.crashes.push(error),
    peopleIndexReadFailed: error => void happened.failures.push(error),
    peopleIndexLoaded: () => {
      happened.loaded += 1;
    },
    peopleIndexFull: () => {
      happened.full += 1;
    },
  };
  const index = createPeopleIndex({
    databaseUrl,
    peopleMax,
    refreshIntervalMs: 20,
    events,
    startThread(settings) {
      const thread = startIndexThread(settings);
      onThread(thread);
      return thread;
    },
  });
  running.push(index);
  index.start();
  if (ready) {
    await until(() => index.status().state === 'ready');
  }
  return { index, happened };
}

const until = (holds: () => boolean | Promise<boolean>) =>
  waitFor('the index', holds, { deadlineMs: 60_000, everyMs: 20 });
const totalOf = async (index: RunningPeopleIndex, filters: PeopleFilters) =>
  (await index.count({ filters })).total;
const untilTotal = (index: RunningPeopleIndex, filters: PeopleFilters, total: number) =>
  until(async () => (await totalOf(index, filters)) === total);

/** Waits until two polls of the store that began after now have been applied. */
async function untilLookedTwice(index: RunningPeopleIndex): Promise<void> {
  for (let looks = 0; looks < 2; looks += 1) {
    const from = new Date();
    await until(() => {
      const status = index.status();
      return status.state === 'ready' && status.refreshedAt > from;
    });
  }
}

let nextProfile = 1;

async function addPerson(
  title: string,
  more: Record<string, unknown> = {},
  client: pg.ClientBase | pg.Pool = pool,
) {
  const key = `people.example/in/${nextProfile}`;
  nextProfile += 1;
  const row: Record<string, unknown> = {
    person_id: newId('person'),
    profile_key: key,
    profile_url: `https://${key}`,
    full_name: 'Some Body',
    job_title: title,
    source_id: sourceId,
    ...more,
  };
  const names = Object.keys(row);
  const { rows } = await client.query(
    `INSERT INTO person (${names}) VALUES (${names.map((_, at) => `$${at + 1}`)}) RETURNING person_no`,
    Object.values(row),
  );
  return rows[0].person_no as number;
}

async function addCompany(name: string, more: Record<string, unknown> = {}) {
  const row: Record<string, unknown> = {
    ...{ company_id: newId('company'), name, domain: `${name}.example`, source_id: sourceId, ...more },
  };
  const names = Object.keys(row);
  const { rows } = await pool.query(
    `INSERT INTO company (${names}) VALUES (${names.map((_, at) => `$${at + 1}`)}) RETURNING company_no`,
    Object.values(row),
  );
  return rows[0].company_no as number;
}

async function remove(personNo: number): Promise<void> {
  await pool.query(
    'WITH gone AS (DELETE FROM person WHERE person_no = $1 RETURNING person_no) INSERT INTO removed_record (person_no) SELECT person_no FROM gone',
    [personNo],
  );
}

describe('the index of a store without people', () => {
  it('answers without a thread, and starts one with the first person', async () => {
    const without = await createTestDatabase('enrichment');
    const other = new pg.Pool({ connectionString: without.databaseUrl });
    try {
      const threads: Worker[] = [];
      const { index, happened } = await openIndex({
        databaseUrl: without.databaseUrl,
        onThread: thread => threads.push(thread),
      });
      expect(index.status()).toMatchObject({ state: 'ready', people: 0, isFull: false, bytes: 0 });
      const { total, facets } = await index.count({ filters: {}, facets: true });
      expect([total, facets?.countries.values]).toEqual([0, []]);
      expect(await index.page({ filters: {}, after: 0, limit: 10 })).toMatchObject({ personNos: [] });
      expect(await index.vocabulary()).toEqual({ industries: [], countries: [] });
      await expect(index.count({ filters: { countries: ['AT'] } })).rejects.toBeInstanceOf(
        UnknownFilterValues,
      );
      await untilLookedTwice(index);
      expect(threads).toHaveLength(0);
      await other.query(
        "INSERT INTO source (source_id, kind, name, licence, retrieved_on) OVERRIDING SYSTEM VALUE VALUES ($1, 'synthetic', 'test', 'none', '2026-01-01')",
        [sourceId],
      );
      await addPerson('First Farmer', { country: 'AT' }, other);
      // No search is refused while the thread starts.
      await untilTotal(index, {}, 1);
      await addPerson('Second Farmer', { country: 'AT' }, other);
      await untilTotal(index, { countries: ['AT'], job_titles: ['farmer'] }, 2);
      expect(threads).toHaveLength(1);
      expect(happened).toMatchObject({ crashes: [], failures: [], loaded: 2 });
      await index.close();
    } finally {
      await other.end();
      await without.drop();
    }
  });

  it('starts no thread after it is closed', async () => {
    const without = await createTestDatabase('enrichment');
    try {
      const threads: Worker[] = [];
      const { index } = await openIndex({
        databaseUrl: without.databaseUrl,
        onThread: thread => threads.push(thread),
      });
      await index.close();
      await expect(index.count({ filters: {} })).rejects.toMatchObject({ reason: 'closed' });
      expect(threads).toHaveLength(0);
    } finally {
      await without.drop();
    }
  });
});

describe('the people index', () => {
  it('contains the people of the store, follows every change, and drops removed people', async () => {
    const companyNo = await addCompany('acme', { industry: 'software', company_size: '11-50' });
    const stays = await addPerson('Follow Engineer', { company_no: companyNo, keywords: ['pumps'] });
    const goes = await addPerson('Follow Engineer', { country: 'DE' });
    const { index, happened } = await openIndex();
    const follow = { job_titles: ['follow'] };
    expect((await index.page({ filters: follow, after: 0, limit: 10 })).personNos).toEqual([stays, goes]);
    expect(await totalOf(index, { industries: ['Software'], keywords: ['pumps'] })).toBe(1);
    // New people, changed people, changed companies.
    const later = await addPerson('Follow Engineer', {
      company_no: await addCompany('later', { revenue: '$1-10M' }),
    });
    await untilTotal(index, { ...follow, revenues: ['$1-10M'] }, 1);
    await pool.query(
      "UPDATE person SET job_title = 'Gardener', change_no = nextval('record_change_no') WHERE person_no = $1",
      [later],
    );
    await untilTotal(index, { job_titles: ['gardener'] }, 1);
    await pool.query(
      "UPDATE company SET industry = 'pumps', domain = 'pumps.example', change_no = nextval('record_change_no') WHERE company_no = $1",
      [companyNo],
    );
    await untilTotal(index, { company_domains: ['pumps.example'], company_names: ['ACME'] }, 1);
    expect(await totalOf(index, { industries: ['pumps'] })).toBe(1);
    // Removed people.
    await remove(goes);
    await untilTotal(index, follow, 1);
    expect((await index.page({ filters: follow, after: 0, limit: 10 })).personNos).toEqual([stays]);
    await pool.query(
      'WITH gone AS (DELETE FROM company WHERE company_no = $1 RETURNING company_no) INSERT INTO removed_record (company_no) SELECT company_no FROM gone',
      [companyNo],
    );
    await untilTotal(index, { company_names: ['acme'] }, 0);
    expect(await totalOf(index, follow)).toBe(1);
    expect(happened).toMatchObject({ crashes: [], failures: [], loaded: 1, full: 0 });
  });

  it('misses no person whose transaction took its number early and ended late', async () => {
    const { index } = await openIndex();
    const early = await pool.connect();
    try {
      await early.query('BEGIN');
      const first = await addPerson('Late Baker', {}, early);
      const second = await addPerson('Late Baker');
      await untilTotal(index, { job_titles: ['late baker'] }, 1);
      const removed = await addPerson('Late Baker');
      await untilTotal(index, { job_titles: ['late baker'] }, 2);
      await early.query('DELETE FROM person WHERE person_no = $1', [removed]);
      await early.query('INSERT INTO removed_record (person_no) VALUES ($1)', [removed]);
      const third = await addPerson('Late Baker');
      await untilTotal(index, { job_titles: ['late baker'] }, 3);
      // The index reads past the numbers of the open transaction.
      await untilLookedTwice(index);
      await early.query('COMMIT');
      await until(async () => {
        const { personNos } = await index.page({
          filters: { job_titles: ['late baker'] },
          after: 0,
          limit: 10,
        });
        return personNos.join() === [first, second, third].join();
      });
    } finally {
      early.release();
    }
  });

  it('misses no person whose transaction was open before it started to load', async () => {
    const early = await pool.connect();
    try {
      await early.query('BEGIN');
      await addPerson('Old Miller', {}, early);
      await addPerson('Old Miller');
      const { index } = await openIndex();
      expect(await totalOf(index, { job_titles: ['old miller'] })).toBe(1);
      await untilLookedTwice(index);
      await early.query('COMMIT');
      await untilTotal(index, { job_titles: ['old miller'] }, 2);
    } finally {
      early.release();
    }
  });

  it('agrees with the store after many transactions at once', async () => {
    const { index } = await openIndex();
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      const client = await pool.connect();
      try {
        for (let round = 0; round < 25; round += 1) {
          await client.query('BEGIN');
          const personNos = [];
          for (let each = 0; each < 3; each += 1) {
            personNos.push(await addPerson(`Busy Bee ${writer}`, {}, client));
          }
          if (round % 5 === 4) {
            await client.query('ROLLBACK');
          } else {
            await client.query('COMMIT');
            await remove(personNos[0] ?? 0);
          }
        }
      } finally {
        client.release();
      }
    });
    await Promise.all(writers);
    const { rows } = await pool.query(
      "SELECT array_agg(person_no ORDER BY person_no) AS numbers FROM person WHERE job_title LIKE 'Busy Bee%'",
    );
    await until(async () => {
      const { personNos } = await index.page({
        filters: { job_titles: ['busy bee'] },
        after: 0,
        limit: 1_000,
      });
      return personNos.join() === rows[0].numbers.join();
    });
    expect(rows[0].numbers).toHaveLength(160);
  });

  it('finds people by name as SQL does, also after a change, and never a removed person', async () => {
    const first = ['Ada', 'Adam', 'Anna', 'John', 'Jo', 'Mary'];
    const last = ['Jones', 'Johnson', 'Anders', 'Adams', 'Smith'];
    const country = (at: number) => (at % 3 === 0 ? 'DE' : 'FR');
    const people = first.flatMap(one => last.map(other => `${one} ${other}`));
    const numbers: number[] = [];
    for (const [at, name] of people.entries()) {
      numbers.push(await addPerson('Named Nurse', { full_name: name, country: country(at) }));
    }
    const { index } = await openIndex();
    const named = { job_titles: ['named nurse'] };
    const asked = [['ada'], ['j jones'], ['an an'], ['jones john', 'mary s'], ['ad ad'], ['jo jo'], ['z']];
    const agree = async () => {
      for (const person_names of asked) {
        const filters = { ...named, person_names, countries: ['DE'] };
        const where = person_names.map(name => {
          const words = name.split(' ');
          const each = words.map(word => {
            const least = words.filter(other => other.startsWith(word)).length;
            return `regexp_count(full_name, '\\m${word}', 1, 'i') >= ${least}`;
          });
          return `(${each.join(' AND ')})`;
        });
        const { rows } = await pool.query(
          `SELECT coalesce(array_agg(person_no ORDER BY person_no), '{}') AS numbers FROM person
           WHERE job_title = 'Named Nurse' AND country = 'DE' AND (${where.join(' OR ')})`,
        );
        const counts = await index.count({ filters, facets: true });
        expect([person_names, counts.total]).toEqual([person_names, rows[0].numbers.length]);
        const countries = counts.facets?.countries.values ?? [];
        const others = await totalOf(index, { ...named, person_names });
        expect(countries.reduce((sum, { count }) => sum + count, 0)).toBe(others);
        const page = await index.page({ filters, after: 0, limit: 100 });
        expect(page.personNos).toEqual(rows[0].numbers);
      }
    };
    await agree();
    const johns = await totalOf(index, { ...named, person_names: ['JÓHN'] });
    expect(johns).toBe(10);
    await pool.query(
      "UPDATE person SET full_name = 'Renamed Person', change_no = nextval('record_change_no') WHERE person_no = $1",
      [numbers[0]],
    );
    await untilTotal(index, { ...named, person_names: ['person renamed'] }, 1);
    await remove(numbers[1] ?? 0);
    // Adam Johnson is left.
    await untilTotal(index, { ...named, person_names: ['ada johnson'] }, 1);
    await agree();
  });

  it('finds people by the year in which their company was founded as SQL does, also after a change', async () => {
    const years = [1_950, 1_999, 2_000, 2_001, 2_020, null];
    const companies = await Promise.all(
      years.map(year => addCompany(`founded-${year}`, { founded_year: year })),
    );
    for (const company_no of [...companies, null]) {
      for (const country of ['DE', 'FR']) {
        await addPerson('Founded Fitter', { company_no, country });
      }
    }
    const { index } = await openIndex();
    const bounds = [undefined, 1_000, 1_950, 1_999, 2_000, 2_010, 2_100];
    const agree = async () => {
      for (const min of bounds) {
        for (const max of bounds) {
          if ((min === undefined && max === undefined) || (min ?? 0) > (max ?? 3_000)) continue;
          const company_founded = { ...(min && { min }), ...(max && { max }) };
          const filters = { job_titles: ['founded fitter'], countries: ['DE'], company_founded };
          const { rows } = await pool.query(
            `SELECT coalesce(array_agg(person_no ORDER BY person_no), '{}') AS numbers
             FROM person JOIN company USING (company_no)
             WHERE job_title = 'Founded Fitter' AND person.country = 'DE'
               AND founded_year >= coalesce($1, founded_year) AND founded_year <= coalesce($2, founded_year)`,
            [min, max],
          );
          const page = await index.page({ filters, after: 0, limit: 100 });
          expect([company_founded, page.personNos]).toEqual([company_founded, rows[0].numbers]);
          const counts = await index.count({ filters, facets: true });
          expect(counts.total).toBe(rows[0].numbers.length);
          // The filter has no facet: it narrows the counts of all others.
          expect(counts.facets?.countries.values.map(({ count }) => count)).toEqual(
            rows[0].numbers.length > 0 ? [rows[0].numbers.length, rows[0].numbers.length] : [],
          );
        }
      }
    };
    await agree();
    await pool.query(
      "UPDATE company SET founded_year = 2030, change_no = nextval('record_change_no') WHERE company_no = $1",
      [companies[0]],
    );
    await untilTotal(index, { job_titles: ['founded fitter'], company_founded: { min: 2_021 } }, 2);
    await agree();
  });

  it('finds and excludes people by every field as SQL does', async () => {
    const countries = ['AT', 'CH', null];
    const sizes = ['11-50', '51-200', null];
    const fundings = [0, 5_000_000, 7_000_000_000, null];
    const keywords = ['deep learning', 'machine learning', 'learning', 'deep machine', 'learnings'];
    const companies = await Promise.all(
      sizes.flatMap(company_size =>
        fundings.map(funding_usd =>
          addCompany(`excluding-${company_size}-${funding_usd}`, { company_size, funding_usd }),
        ),
      ),
    );
    for (const [at, company_no] of [...companies, ...companies, null].entries()) {
      await addPerson('Excluded Examiner', {
        ...{ company_no, country: countries[at % 3], seniority: [null, 'vp', 'cxo', 'senior'][at % 4] },
        full_name: ['Mary Jones', 'John Doe', 'Jo Johnson'][at % 3],
        keywords: keywords.filter((_, each) => ((at * 7) >> each) % 2 === 1),
      });
    }
    const { index } = await openIndex();
    const some = (...values: string[]) =>
      fc.option(fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 2 }), {
        nil: undefined,
      });
    const amount = fc.constantFrom(0, 5_000_000, 6_999_999_999, 7_000_000_000);
    const range = fc.option(
      fc.tuple(amount, amount).map(ends => ({ min: Math.min(...ends), max: Math.max(...ends) })),
      { nil: undefined },
    );
    const asked = {
      countries: some('AT', 'CH'),
      excluded_countries: some('AT', 'CH'),
      seniorities: some('vp', 'cxo'),
      excluded_seniorities: some('vp', 'cxo', 'entry'),
      company_sizes: some('11-50', '51-200'),
      excluded_company_sizes: some('11-50', '51-200', '10001+'),
      company_funding: range,
      excluded_company_funding: range,
      keywords: some('learning', 'deep', 'machine learning', 'nothing'),
      excluded_keywords: some('machine', 'deep learning', 'nothing'),
      excluded_person_names: some('jones', 'jo jo', 'd j'),
      excluded_company_names: some('excluding-11-50-0', 'excluding-null-null', 'none'),
    };
    const names = { jones: '\\mjones', 'jo jo': '\\mjo.*\\mjo', 'd j': '\\mj.* d' };
    const search = fc
      .subarray(Object.keys(asked) as (keyof typeof asked)[], { minLength: 1, maxLength: 4 })
      .chain(chosen => fc.record(Object.fromEntries(chosen.map(each => [each, asked[each]]))));
    const terms = fc.constantFrom('whole' as const, 'words' as const);
    const held = (
      text: string,
      parts: string,
    ) => `EXISTS (SELECT FROM unnest(keywords) AS held, unnest(${parts}::text[]) AS part
      WHERE held = part OR (${text} = 'words' AND concat(' ', held, ' ') LIKE concat('% ', part, ' %')))`;
    let most = 0;
    const agrees = fc.asyncProperty(search, terms, async (chosen, keyword_terms) => {
      const filters = { job_titles: ['excluded examiner'], ...(chosen as PeopleFilters), keyword_terms };
      const bound = (name: 'company_funding' | 'excluded_company_funding', end: 'min' | 'max') =>
        filters[name]?.[end] ?? null;
      const { rows } = await pool.query(
        `SELECT coalesce(array_agg(person_no ORDER BY person_no), '{}') AS numbers
         FROM person LEFT JOIN company USING (company_no) WHERE job_title = 'Excluded Examiner'
           AND ($1::text[] IS NULL OR person.country = ANY($1)) AND (person.country = ANY($2)) IS NOT TRUE
           AND ($3::text[] IS NULL OR seniority = ANY($3)) AND (seniority = ANY($4)) IS NOT TRUE
           AND ($5::text[] IS NULL OR company_size = ANY($5)) AND (company_size = ANY($6)) IS NOT TRUE
           AND ($7::bigint IS NULL OR funding_usd BETWEEN $7 AND $8)
           AND (funding_usd BETWEEN $9::bigint AND $10::bigint) IS NOT TRUE
           AND ($11::text[] IS NULL OR ${held('$13::text', '$11').replaceAll('keywords', 'person.keywords')})
           AND NOT ${held('$13::text', '$12').replaceAll('keywords', 'person.keywords')}
           AND NOT EXISTS (SELECT FROM unnest($14::text[]) AS name WHERE full_name ~* name)
           AND (company.name = ANY($15)) IS NOT TRUE`,
        [
          ...[filters.countries, filters.excluded_countries],
          ...[filters.seniorities, filters.excluded_seniorities],
          ...[filters.company_sizes, filters.excluded_company_sizes],
          ...[bound('company_funding', 'min'), bound('company_funding', 'max')],
          ...[bound('excluded_company_funding', 'min'), bound('excluded_company_funding', 'max')],
          ...[filters.keywords, filters.excluded_keywords ?? [], keyword_terms],
          filters.excluded_person_names?.map(name => names[name as keyof typeof names]) ?? [],
          filters.excluded_company_names,
        ],
      );
      const { personNos } = await index.page({ filters, after: 0, limit: 100 });
      const { total, facets } = await index.count({ filters, facets: true });
      expect([filters, personNos]).toEqual([filters, rows[0].numbers]);
      expect(total).toBe(personNos.length);
      const shown = facets?.seniorities.values.filter(({ count }) => count > 0).map(({ value }) => value);
      expect(shown?.filter(value => filters.excluded_seniorities?.includes(value))).toEqual([]);
      most = Math.max(most, total);
    });
    await fc.assert(agrees, { numRuns: 200 });
    expect(most).toBeGreaterThan(5);
    const unknown = index.count({ filters: { excluded_cities: ['Nowhere'] } });
    await expect(unknown).rejects.toMatchObject({ values: [{ pointer: '/excluded_cities/0' }] });
  });

  it('finds people by the technologies of their company as SQL does, wanted and excluded, with counts', async () => {
    const all = ['Salesforce', 'React', 'Stripe', 'SAP'];
    const companies: number[] = [];
    for (let bits = 0; bits < 2 ** all.length; bits += 1) {
      const technologies = all.filter((_, at) => (bits & (1 << at)) !== 0);
      companies.push(await addCompany(`uses-${bits}`, { technologies, founded_year: 2_000 + bits }));
    }
    for (const company_no of [...companies, ...companies.slice(0, 5), null]) {
      await addPerson('Using Usher', { company_no });
    }
    const { index } = await openIndex();
    const one = fc.uniqueArray(fc.constantFrom(...all, 'Unknown'), { minLength: 1, maxLength: 3 });
    const some = fc.option(one, { nil: undefined });
    const agree = async (wanted?: string[], excluded?: string[], min?: number) => {
      const others = {
        job_titles: ['using usher'],
        ...(excluded && { excluded_company_technologies: excluded.map(each => each.toUpperCase()) }),
        ...(min && { company_founded: { min } }),
      };
      const filters = {
        ...others,
        ...(wanted && { company_technologies: wanted.map(each => each.toLowerCase()) }),
      };
      const from = `FROM person LEFT JOIN company USING (company_no)
        WHERE job_title = 'Using Usher' AND ($1::text[] IS NULL OR NOT coalesce(technologies && $1, false))
          AND ($2::integer IS NULL OR founded_year >= $2)`;
      const found = await pool.query(
        `SELECT coalesce(array_agg(person_no ORDER BY person_no), '{}') AS numbers ${from}
           AND ($3::text[] IS NULL OR technologies && $3)`,
        [excluded ?? null, min ?? null, wanted ?? null],
      );
      const counted = await pool.query(
        `SELECT technology AS value, count(*)::integer AS count
         FROM (SELECT unnest(technologies) AS technology ${from}) AS used
         GROUP BY technology ORDER BY count(*) DESC, technology COLLATE "C"`,
        [excluded ?? null, min ?? null],
      );
      const { personNos } = await index.page({ filters, after: 0, limit: 100 });
      const { total, facets } = await index.count({ filters, facets: true });
      expect([filters, personNos]).toEqual([filters, found.rows[0].numbers]);
      expect(total).toBe(personNos.length);
      expect([filters, facets?.company_technologies.values]).toEqual([filters, counted.rows]);
    };
    const numbers = fc.option(fc.integer({ min: 2_000, max: 2_016 }), { nil: undefined });
    const agrees = fc.asyncProperty(some, some, numbers, (...filters) => agree(...filters));
    await fc.assert(agrees, { numRuns: 60 });
    await pool.query(
      "UPDATE company SET technologies = '{Perl}', change_no = nextval('record_change_no') WHERE company_no = $1",
      [companies[1]],
    );
    await untilTotal(index, { company_technologies: ['perl'] }, 2);
    await agree(['Salesforce'], ['SAP']);
    await agree(undefined, ['Perl']);
  });

  it('leaves out who is to be skipped, and says where the next page begins', async () => {
    const personNos = [];
    for (let each = 0; each < 5; each += 1) {
      personNos.push(await addPerson('Paged Potter'));
    }
    const { index } = await openIndex();
    const filters = { job_titles: ['paged potter'] };
    const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0] = personNos;
    expect(await index.page({ filters, after: 0, limit: 2, skip: [third, first] })).toEqual({
      personNos: [second, fourth],
      more: true,
    });
    expect(await index.page({ filters, after: fourth, limit: 2, skip: [third, first] })).toEqual({
      personNos: [fifth],
      more: false,
    });
    expect((await index.count({ filters, skip: [third, first] })).total).toBe(3);
  });

  it('names unknown values and similar known ones', async () => {
    await addPerson('Anybody', {
      country: 'DE',
      city: 'Berlin',
      company_no: await addCompany('known', { industry: 'logistics' }),
    });
    const { index } = await openIndex();
    const filters = {
      seniorities: ['vp', 'boss'],
      countries: ['DE', 'GERMANI'],
      industries: ['logistic'],
      cities: ['Berln'],
    };
    await expect(index.count({ filters })).rejects.toMatchObject({
      values: [
        { pointer: '/seniorities/1', value: 'boss', isWhole: true },
        { pointer: '/countries/1', value: 'GERMANI', known: ['DE'], isWhole: false },
        { pointer: '/industries/0', value: 'logistic', known: ['logistics'] },
        { pointer: '/cities/0', value: 'Berln', known: ['Berlin'] },
      ],
    });
    // Free text without a match finds no people.
    expect(
      await totalOf(index, { job_titles: ['xyzzy'], company_names: ['xyzzy'], keywords: ['xyzzy'] }),
    ).toBe(0);
  });

  it('holds no more people than it may, and says so', async () => {
    await addPerson('Crowd');
    await addPerson('Crowd');
    const { index, happened } = await openIndex({ peopleMax: 1 });
    await until(() => {
      const status = index.status();
      return status.state === 'ready' && status.isFull;
    });
    expect([await totalOf(index, {}), happened.full]).toEqual([1, 1]);
  });

  it('reports that it is loading, busy or closed, and exits immediately', async () => {
    const { index } = await openIndex({ ready: false });
    await expect(index.count({ filters: {} })).rejects.toMatchObject({ reason: 'loading' });
    await until(() => index.status().state === 'ready');
    const answers = await Promise.allSettled(Array.from({ length: 200 }, () => index.count({ filters: {} })));
    const refused = answers.filter(each => each.status === 'rejected').map(each => each.reason);
    expect(refused.length).toBe(200 - 64);
    expect(refused[0]).toMatchObject({ reason: 'busy', retryAfterSeconds: 1 });
    await index.close();
    await expect(index.count({ filters: {} })).rejects.toMatchObject({ reason: 'closed' });
  });

  it('starts its thread again after a crash', async () => {
    await addPerson('Crash Cobbler');
    const threads: Worker[] = [];
    const { index, happened } = await openIndex({ onThread: thread => void threads.push(thread) });
    // In this order: a thread that is not yet terminating might answer.
    const ended = threads[0]?.terminate();
    const asked = index.count({ filters: {} });
    await Promise.all([
      ended,
      expect(asked).rejects.toMatchObject({ reason: 'failed', retryAfterSeconds: 5 }),
    ]);
    await until(() => happened.loaded === 2);
    expect(happened.crashes).toHaveLength(1);
    expect(await totalOf(index, { job_titles: ['crash cobbler'] })).toBe(1);
  });

  it('continues after its connection was cut, and catches up', async () => {
    const { index, happened } = await openIndex();
    await pool.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'mailproof-enrichment-people-index' AND datname = current_database()",
    );
    await addPerson('Cut Cooper');
    await untilTotal(index, { job_titles: ['cut cooper'] }, 1);
    expect(happened.crashes).toEqual([]);
    expect(happened.failures.length).toBeGreaterThan(0);
  });
});
