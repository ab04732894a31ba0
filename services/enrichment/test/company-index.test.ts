import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase, waitFor } from '@mailproof/dev-house';
import {
  type CompanySearchFilters,
  companyFacetNames,
  companySizes,
  companyTypes,
  newId,
  revenues,
} from '@mailproof/shared-types';
import pg from 'pg';
import {
  createPeopleIndex,
  type RunningPeopleIndex,
} from '../src/adapters/people-index/start-people-index.ts';
import { closedVocabularies } from '../src/domain/people-search/check-filters.ts';
import type { ListMembers } from '../src/domain/people-search/people-index.ts';
import { type SeededRandom, seededRandom } from '../src/fixtures/seeded-random.ts';

const companies = 400;
const combinations = 200;

let database: TestDatabase;
let pool: pg.Pool;
let sourceId: number;
let index: RunningPeopleIndex;

const places = {
  country: ['DE', 'FR', 'US', 'JP'],
  region: ['Bavaria', 'Texas', 'Brittany'],
  city: ['Munich', 'Austin', 'Rennes', 'Lyon'],
} as const;
const industries = ['software', 'logistics', 'retail', 'banking'];
const technologies = ['Salesforce', 'React', 'SAP', 'Stripe'];
const keywords = ['pallets', 'machine learning', 'deep machine learning', 'payments', 'crm'];
const names = ['Acme', 'Globex', 'Initech', 'Umbrella'];

function insert(row: Record<string, unknown>) {
  const columns = Object.keys(row);
  return pool.query<{ company_no: number }>(
    `INSERT INTO company (${columns}) VALUES (${columns.map((_, at) => `$${at + 1}`)}) RETURNING company_no`,
    Object.values(row),
  );
}

let made = 0;

async function addCompany(random: SeededRandom, more: Record<string, unknown> = {}): Promise<number> {
  made += 1;
  const known = <Value>(values: readonly Value[]) =>
    random.below(5) === 0 ? null : random.pick(values as never);
  const several = (values: readonly string[]) => values.filter(() => random.below(3) === 0);
  const { rows } = await insert({
    company_id: newId('company'),
    name: random.pick(names as never),
    domain: random.below(10) === 0 ? null : `c${made}.example`,
    profile_key: `companies.example/${made}`,
    country: known(places.country),
    region: known(places.region),
    city: known(places.city),
    industry: known(industries),
    company_size: known(companySizes),
    revenue: known(revenues),
    company_type: known(companyTypes),
    founded_year: known([1_990, 2_000, 2_010, 2_020]),
    funding_usd: known([0, 1_000_000, 5_000_000_000]),
    technologies: several(technologies),
    keywords: several(keywords),
    source_id: sourceId,
    ...more,
  });
  return rows[0]?.company_no ?? 0;
}

beforeAll(async () => {
  database = await createTestDatabase('enrichment');
  pool = new pg.Pool({ connectionString: database.databaseUrl, max: 5 });
  const { rows } = await pool.query(
    "INSERT INTO source (kind, name, licence, retrieved_on) VALUES ('synthetic', 'test', 'none', '2026-01-01') RETURNING source_id",
  );
  sourceId = rows[0].source_id;
  const random = seededRandom(97, 0, 0);
  for (let count = 0; count < companies; count += 1) {
    await addCompany(random);
  }
  const fail = (error: Error) => {
    throw error;
  };
  index = createPeopleIndex({
    records: 'companies',
    databaseUrl: database.databaseUrl,
    peopleMax: 10_000,
    refreshIntervalMs: 20,
    events: {
      peopleIndexCrashed: fail,
      peopleIndexReadFailed: fail,
      peopleIndexLoaded: () => undefined,
      peopleIndexFull: () => undefined,
    },
  });
  index.start();
  await until(() => index.status().state === 'ready');
});

afterAll(async () => {
  await index?.close();
  await pool?.end();
  await database?.drop();
});

const until = (holds: () => boolean | Promise<boolean>) =>
  waitFor('the index', holds, { deadlineMs: 60_000, everyMs: 20 });

const singles = {
  countries: 'country',
  regions: 'region',
  cities: 'city',
  industries: 'industry',
  company_sizes: 'company_size',
  revenues: 'revenue',
  company_types: 'company_type',
} as const;

/** What SQL finds: the numbers in order, and each facet without its own filter. */
async function searchBySql(
  filters: CompanySearchFilters,
  members?: { wanted?: ListMembers; excluded: ListMembers },
) {
  const values: unknown[] = [];
  const conditions: string[] = [];
  const add = (condition: string, ...given: unknown[]) => {
    let text = condition;
    for (const value of given) {
      values.push(value);
      text = text.replace('?', `$${values.length}`);
    }
    conditions.push(text);
  };
  for (const [name, column] of Object.entries(singles) as [keyof typeof singles, string][]) {
    const { [name]: wanted, [`excluded_${name}` as const]: excluded } = filters;
    if (wanted) add(`${column} = ANY(?)`, wanted);
    if (excluded) add(`(${column} = ANY(?)) IS NOT TRUE`, excluded);
  }
  if (filters.company_names) add('name = ANY(?)', filters.company_names);
  if (filters.excluded_company_names) add('name <> ALL(?)', filters.excluded_company_names);
  if (filters.company_domains) add('domain = ANY(?)', filters.company_domains);
  if (filters.excluded_company_domains)
    add('(domain = ANY(?)) IS NOT TRUE', filters.excluded_company_domains);
  for (const [name, column] of [
    ['company_founded', 'founded_year'],
    ['company_funding', 'funding_usd'],
  ] as const) {
    for (const [range, truth] of [
      [filters[name], 'IS TRUE'],
      [filters[`excluded_${name}`], 'IS NOT TRUE'],
    ] as const) {
      if (range) {
        add(`(${column} BETWEEN ?::bigint AND ?::bigint) ${truth}`, range.min ?? 0, range.max ?? 10 ** 15);
      }
    }
  }
  if (filters.company_technologies) add('technologies && ?::text[]', filters.company_technologies);
  if (filters.excluded_company_technologies) {
    add('NOT technologies && ?::text[]', filters.excluded_company_technologies);
  }
  const hasPart = `EXISTS (SELECT FROM unnest(keywords) AS held, unnest(?::text[]) AS part
    WHERE concat(' ', held, ' ') LIKE concat('% ', part, ' %'))`;
  const isByWords = filters.keyword_terms === 'words';
  if (filters.keywords && filters.keyword_match === 'all') {
    for (const keyword of filters.keywords) {
      add(isByWords ? hasPart : 'keywords && ?::text[]', [keyword]);
    }
  } else if (filters.keywords) {
    add(isByWords ? hasPart : 'keywords && ?::text[]', filters.keywords);
  }
  if (filters.excluded_keywords) {
    add(`NOT ${isByWords ? hasPart : 'keywords && ?::text[]'}`, filters.excluded_keywords);
  }
  const onList = "(company_no = ANY(?::int[]) OR coalesce(domain, '') = ANY(?::text[]))";
  if (members?.wanted) add(onList, [...members.wanted.companies], members.wanted.domains);
  if (members) add(`NOT ${onList}`, [...members.excluded.companies], members.excluded.domains);
  const where = conditions.length > 0 ? conditions.join(' AND ') : 'true';
  const read = async (text: string) => (await pool.query({ text, values, rowMode: 'array' })).rows;
  return { where, read };
}

async function facetBySql(
  name: (typeof companyFacetNames)[number],
  filters: CompanySearchFilters,
  members?: { wanted?: ListMembers; excluded: ListMembers },
) {
  const isAllKeywords = name === 'keywords' && filters.keyword_match === 'all';
  const { where, read } = await searchBySql(
    isAllKeywords ? filters : { ...filters, [name]: undefined },
    members,
  );
  const lists: Readonly<Record<string, string>> = {
    keywords: 'keywords',
    company_technologies: 'technologies',
  };
  const list = lists[name];
  const counted =
    list === undefined
      ? await read(
          `SELECT ${singles[name as keyof typeof singles]}, count(*)::int FROM company WHERE ${where} GROUP BY 1`,
        )
      : await read(
          `SELECT value, count(*)::int FROM company LEFT JOIN LATERAL unnest(${list}) AS value ON true WHERE ${where} GROUP BY 1`,
        );
  const counts = new Map(counted.map(([value, count]) => [value as string | null, count as number]));
  const vocabulary = closedVocabularies[name as keyof typeof closedVocabularies];
  const values = vocabulary
    ? vocabulary.map(value => ({ value, count: counts.get(value) ?? 0 }))
    : [...counts]
        .flatMap(([value, count]) => (value === null ? [] : [{ value, count }]))
        .sort((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1));
  return { values, unknown: counts.get(null) ?? 0, more: false };
}

const stock = {
  company_names: names,
  company_domains: Array.from({ length: companies / 4 }, (_, at) => `c${4 * at + 1}.example`),
  countries: places.country,
  regions: places.region,
  cities: places.city,
  industries,
  company_sizes: companySizes,
  revenues,
  company_types: companyTypes,
  company_technologies: technologies,
  keywords: [...keywords, 'learning', 'machine learning'],
} as const;

/** One to four filters, included and excluded, with their options. */
function randomFilters(random: SeededRandom): CompanySearchFilters {
  const filters: Record<string, unknown> = {};
  const names = [...Object.keys(stock), 'company_founded', 'company_funding'];
  for (let count = 1 + random.below(4); count > 0; count -= 1) {
    const name = random.pick(names as never) as string;
    const filter = random.below(3) === 0 ? `excluded_${name}` : name;
    if (name === 'company_founded' || name === 'company_funding') {
      const [low, step] = name === 'company_founded' ? [1_985, 10] : [0, 2_000_000];
      const min = low + random.below(4) * step;
      filters[filter] = [{ min }, { max: min }, { min, max: min + step }][random.below(3)];
    } else {
      filters[filter] = random.some(stock[name as keyof typeof stock] as never, 1 + random.below(3));
    }
  }
  if ('keywords' in filters || 'excluded_keywords' in filters) {
    filters['keyword_terms'] = random.pick(['whole', 'words'] as never);
    filters['keyword_match'] = random.pick(['any', 'all'] as never);
  }
  return filters;
}

describe('the company index', () => {
  it(`finds and counts what SQL does, in ${combinations} random combinations of filters`, async () => {
    const random = seededRandom(5, 0, 0);
    let found = 0;
    for (let count = 0; count < combinations; count += 1) {
      const filters = randomFilters(random);
      const { where, read } = await searchBySql(filters);
      const numbers = (await read(`SELECT company_no FROM company WHERE ${where} ORDER BY 1`)).flat();
      const { total, facets } = await index.count({ filters, facets: true });
      const page = await index.page({ filters, after: 0, limit: 10_000 });
      const about = JSON.stringify(filters);
      expect([about, total, page.personNos]).toEqual([about, numbers.length, numbers]);
      for (const name of companyFacetNames) {
        expect([about, name, facets?.[name]]).toEqual([about, name, await facetBySql(name, filters)]);
      }
      found += total;
    }
    expect(found).toBeGreaterThan(companies);
  }, 120_000);

  it('keeps to lists of companies and domains, and leaves out those of excluded ones', async () => {
    const random = seededRandom(6, 0, 0);
    const { rows } = await pool.query<{ company_no: number }>('SELECT company_no FROM company ORDER BY 1');
    const listOf = (): ListMembers => ({
      people: new Int32Array(),
      companies: Int32Array.from(rows.map(row => row.company_no).filter(() => random.below(3) === 0)),
      domains: stock.company_domains.filter(() => random.below(3) === 0),
    });
    for (let count = 0; count < 20; count += 1) {
      const filters = randomFilters(random);
      const members = { wanted: random.below(2) === 0 ? listOf() : undefined, excluded: listOf() };
      const { where, read } = await searchBySql(filters, members as { excluded: ListMembers });
      const numbers = (await read(`SELECT company_no FROM company WHERE ${where} ORDER BY 1`)).flat();
      expect((await index.page({ filters, members, after: 0, limit: 10_000 })).personNos).toEqual(numbers);
    }
  });

  it('pages in an order that stays, and skips what it is told to', async () => {
    const all = (await index.page({ filters: {}, after: 0, limit: 10_000 })).personNos;
    const paged: number[] = [];
    for (let more = true; more; ) {
      const page = await index.page({ filters: {}, after: paged.at(-1) ?? 0, limit: 37 });
      paged.push(...page.personNos);
      more = page.more;
    }
    expect(paged).toEqual(all);
    const skip = all.slice(0, 50);
    expect((await index.count({ filters: {}, skip })).total).toBe(all.length - 50);
  });

  it('follows new, changed and removed companies, and shows a domain at its new company', async () => {
    const filters = { cities: ['Munich'], company_domains: ['moving.example'] };
    const total = async () => (await index.count({ filters })).total;
    const random = seededRandom(7, 0, 0);
    const [domain, city] = ['moving.example', 'Munich'];
    const first = await addCompany(random, { domain, city });
    await until(async () => (await total()) === 1);
    await pool.query(
      "UPDATE company SET city = 'Lyon', change_no = nextval('record_change_no') WHERE company_no = $1",
      [first],
    );
    await until(async () => (await total()) === 0);
    await pool.query(
      'WITH gone AS (DELETE FROM company WHERE company_no = $1 RETURNING company_no) INSERT INTO removed_record (company_no) SELECT company_no FROM gone',
      [first],
    );
    const second = await addCompany(random, { domain, city });
    await until(async () => (await total()) === 1);
    expect((await index.page({ filters, after: 0, limit: 10 })).personNos).toEqual([second]);
    await until(
      async () => !(await index.page({ filters: {}, after: 0, limit: 10_000 })).personNos.includes(first),
    );
  });
});
