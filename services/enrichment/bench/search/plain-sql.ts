import {
  companyFacetNames,
  limits,
  type PeopleFacetName,
  type PeopleFilters,
  peopleFacetNames,
} from '@mailproof/shared-types';
import type pg from 'pg';
import { excludedOf } from '../../src/domain/people-search/check-filters.ts';
import { keyOfText } from '../../src/domain/people-search/columns/column.ts';
import { keyOfCompanyName } from '../../src/domain/people-search/columns/company-columns.ts';
import type { ListMembers } from '../../src/domain/people-search/people-index.ts';
import { isSameTitle, isSimilarTitle, readingsOf, readTitle } from '../../src/domain/titles/title-words.ts';
import type { PeopleQuery } from './searches.ts';

type SingleFacet = Exclude<PeopleFacetName, 'keywords' | 'company_technologies'>;
type Of = 'people' | 'companies';

const columnsOfPeople: Readonly<Record<SingleFacet, string>> = {
  seniorities: 'person.seniority',
  departments: 'person.department',
  company_sizes: 'company.company_size',
  revenues: 'company.revenue',
  company_types: 'company.company_type',
  industries: 'company.industry',
  countries: 'person.country',
  regions: 'person.region',
  cities: 'person.city',
  job_titles: 'person.job_title',
};
const singleFacets = peopleFacetNames.filter(name => name !== 'keywords' && name !== 'company_technologies');

/** Where each kind of search looks. */
const tablesOf = {
  people: {
    tables: 'person LEFT JOIN company USING (company_no)',
    own: 'person',
    number: 'person_no',
    columns: columnsOfPeople,
    singles: singleFacets,
  },
  companies: {
    tables: 'company',
    own: 'company',
    number: 'company_no',
    columns: {
      ...columnsOfPeople,
      countries: 'company.country',
      regions: 'company.region',
      cities: 'company.city',
    },
    singles: singleFacets.filter(name => (companyFacetNames as readonly string[]).includes(name)),
  },
} as const;

/** Indexes that help these searches as much as possible. */
export const helpfulIndexes = [
  'CREATE INDEX ON person (seniority)',
  'CREATE INDEX ON person (department)',
  'CREATE INDEX ON person (country)',
  'CREATE INDEX ON person (region)',
  'CREATE INDEX ON person (city)',
  'CREATE INDEX ON person (job_title)',
  'CREATE INDEX ON person USING gin (keywords)',
  'CREATE INDEX ON company (industry)',
  'CREATE INDEX ON company (name)',
  'CREATE INDEX ON company (country)',
  'CREATE INDEX ON company (company_size)',
  'CREATE INDEX ON company USING gin (keywords)',
  'CREATE INDEX ON company USING gin (technologies)',
];

/** Resolved names for SQL, so that it need not find out what was meant. */
export interface Wording {
  readonly titles: readonly string[];
  readonly keywords: readonly string[];
  /** Names of companies by their comparison key. */
  readonly names: ReadonlyMap<string, readonly string[]>;
}

export async function readWording(client: pg.ClientBase): Promise<Wording> {
  const column = async (text: string) =>
    (await client.query<{ value: string }>(text)).rows.map(({ value }) => value);
  const names = await column('SELECT DISTINCT name AS value FROM company');
  return {
    titles: await column('SELECT DISTINCT job_title AS value FROM person WHERE job_title IS NOT NULL'),
    keywords: await column(
      'SELECT unnest(keywords) AS value FROM person UNION SELECT unnest(keywords) FROM company',
    ),
    names: Map.groupBy(names, keyOfCompanyName),
  };
}

/**
 * Computes the same answer in SQL: the total and the facets without their own filter in one statement with grouping
 * sets, and one statement for each of the other facets. Titles are resolved before the measurement, in favor of SQL.
 */
export async function searchBySql(
  client: pg.ClientBase,
  filters: PeopleFilters,
  wording: Wording,
  of: Of = 'people',
): Promise<number> {
  const { tables, own, number, columns, singles } = tablesOf[of];
  const free = singles.filter(name => filters[name] === undefined);
  const where = conditionsOf(filters, wording, of);
  const sets = free.map(name => `(${columns[name]})`).join(', ');
  const { rows } = await client.query({
    text: `SELECT count(*)::int FROM ${tables} WHERE ${where.text} GROUP BY GROUPING SETS ((), ${sets}) ORDER BY 1 DESC`,
    values: where.values,
    rowMode: 'array',
  });
  for (const name of singles.filter(each => filters[each] !== undefined)) {
    const { text, values } = conditionsOf({ ...filters, [name]: undefined }, wording, of);
    const column = columns[name];
    await client.query(
      `SELECT ${column}, count(*)::int AS count FROM ${tables} WHERE ${text} GROUP BY 1 ORDER BY 2 DESC LIMIT 50`,
      values,
    );
  }
  const all = filters.keyword_match === 'all' ? filters : { ...filters, keywords: undefined };
  const { text, values } = conditionsOf(all, wording, of);
  await client.query(
    `SELECT keyword, count(*)::int FROM ${tables} CROSS JOIN unnest(${own}.keywords) AS keyword WHERE ${text} GROUP BY 1 ORDER BY 2 DESC LIMIT 50`,
    values,
  );
  const used = conditionsOf({ ...filters, company_technologies: undefined }, wording, of);
  await client.query(
    `SELECT technology, count(*)::int FROM ${tables} CROSS JOIN unnest(company.technologies) AS technology WHERE ${used.text} GROUP BY 1 ORDER BY 2 DESC LIMIT 50`,
    used.values,
  );
  await client.query(
    `SELECT ${number} FROM ${tables} WHERE ${where.text} ORDER BY ${number} LIMIT 100`,
    where.values,
  );
  return (rows[0]?.[0] as number | undefined) ?? 0;
}

/** Returns conditions whose parameters are appended to `values`. */
function conditionsOf(
  filters: PeopleFilters,
  { titles, keywords, names }: Wording,
  of: Of,
  values: unknown[] = [],
) {
  const { columns, own } = tablesOf[of];
  const conditions: string[] = [];
  const add = (condition: (parameter: string) => string, value: unknown) => {
    values.push(value);
    conditions.push(condition(`$${values.length}`));
  };
  const matches = filters.job_title_match === 'exact' ? isSameTitle : isSimilarTitle;
  const meant = (asked: readonly string[]) => {
    const read = asked.flatMap(readingsOf);
    return titles.filter(title => read.some(each => matches(each, readTitle(title))));
  };
  for (const name of singleFacets) {
    const valuesOf = (asked: readonly string[]) => (name === 'job_titles' ? meant(asked) : asked);
    const { [name]: wanted, [excludedOf(name)]: excluded } = filters;
    if (wanted) {
      add(parameter => `${columns[name]} = ANY(${parameter})`, valuesOf(wanted));
    }
    if (excluded) {
      add(parameter => `(${columns[name]} = ANY(${parameter})) IS NOT TRUE`, valuesOf(excluded));
    }
  }
  const named = (asked: readonly string[]) =>
    asked
      .map(name => {
        const words = name.toLowerCase().split(' ');
        return words
          .map(word => {
            values.push(`\\m${word}`);
            const least = words.filter(other => other.startsWith(word)).length;
            return `regexp_count(person.full_name, $${values.length}, 1, 'i') >= ${least}`;
          })
          .join(' AND ');
      })
      .map(each => `(${each})`)
      .join(' OR ');
  if (filters.person_names) {
    conditions.push(`(${named(filters.person_names)})`);
  }
  if (filters.excluded_person_names) {
    conditions.push(`NOT (${named(filters.excluded_person_names)})`);
  }
  const companyNames = (asked: readonly string[]) =>
    asked.flatMap(name => names.get(keyOfCompanyName(name)) ?? []);
  if (filters.company_names) {
    add(parameter => `company.name = ANY(${parameter})`, companyNames(filters.company_names));
  }
  if (filters.excluded_company_names) {
    add(
      parameter => `(company.name = ANY(${parameter})) IS NOT TRUE`,
      companyNames(filters.excluded_company_names),
    );
  }
  if (filters.company_domains) {
    add(parameter => `company.domain = ANY(${parameter})`, filters.company_domains);
  }
  if (filters.excluded_company_domains) {
    add(parameter => `(company.domain = ANY(${parameter})) IS NOT TRUE`, filters.excluded_company_domains);
  }
  const ranges = { company_founded: 'company.founded_year', company_funding: 'company.funding_usd' } as const;
  for (const [name, column] of Object.entries(ranges) as [keyof typeof ranges, string][]) {
    for (const [range, truth] of [
      [filters[name], 'IS TRUE'],
      [filters[`excluded_${name}`], 'IS NOT TRUE'],
    ] as const) {
      if (range) {
        values.push(range.min ?? 0, range.max ?? Number.MAX_SAFE_INTEGER);
        conditions.push(
          `(${column} BETWEEN $${values.length - 1}::bigint AND $${values.length}::bigint) ${truth}`,
        );
      }
    }
  }
  if (filters.company_technologies) {
    add(parameter => `company.technologies && ${parameter}::text[]`, filters.company_technologies);
  }
  if (filters.excluded_company_technologies) {
    add(
      parameter => `(company.technologies && ${parameter}::text[]) IS NOT TRUE`,
      filters.excluded_company_technologies,
    );
  }
  const meantKeywords = (asked: readonly string[]) => {
    const keys = asked.map(keyOfText);
    const parts = filters.keyword_terms === 'words' ? keys.filter(isPart).map(key => ` ${key} `) : [];
    return keywords.filter(each => {
      const held = keyOfText(each);
      return keys.includes(held) || parts.some(part => ` ${held} `.includes(part));
    });
  };
  const wanted = filters.keywords ?? [];
  for (const asked of filters.keyword_match === 'all' ? wanted.map(each => [each]) : [wanted]) {
    if (asked.length > 0) {
      add(parameter => `${own}.keywords && ${parameter}::text[]`, meantKeywords(asked));
    }
  }
  if (filters.excluded_keywords) {
    add(parameter => `NOT ${own}.keywords && ${parameter}::text[]`, meantKeywords(filters.excluded_keywords));
  }
  return { text: conditions.length > 0 ? conditions.join(' AND ') : 'true', values };
}

function isPart(key: string): boolean {
  return key.split(' ').length <= limits.keywordPartWordsMax;
}

/** What SQL answers to a search for people. */
export interface SqlAnswer {
  readonly total: number;
  /** The number of people with each value of each facet; null counts those without any. */
  readonly facets: ReadonlyMap<PeopleFacetName, ReadonlyMap<string | null, number>>;
  /** The first people. */
  readonly personNos: readonly number[];
}

/**
 * Answers a search for people in one statement that reads everyone once: the total, every value of all facets, and the
 * first people.
 */
export async function answerBySql(
  client: pg.ClientBase,
  { filters, members, skip = [] }: PeopleQuery,
  wording: Wording,
  limit: number,
): Promise<SqlAnswer> {
  const own = peopleFacetNames.filter(
    name => filters[name] && (name !== 'keywords' || filters.keyword_match !== 'all'),
  );
  const others = { ...filters, ...Object.fromEntries(own.map(name => [name, undefined])) };
  const values: unknown[] = [[...skip]];
  const always = [
    'person_no > 0',
    'person_no <> ALL ($1)',
    conditionsOf(others, wording, 'people', values).text,
  ];
  if (members?.wanted) {
    always.push(isListed(members.wanted, values));
  }
  if (members) {
    always.push(`NOT ${isListed(members.excluded, values)}`);
  }
  const { job_title_match, keyword_match, keyword_terms } = filters;
  const tests = own.map(name => {
    const only = { [name]: filters[name], job_title_match, keyword_match, keyword_terms } as PeopleFilters;
    return { name, text: `(${conditionsOf(only, wording, 'people', values).text}) IS TRUE` };
  });
  const columns = singleFacets.map(name => `${columnsOfPeople[name]} AS ${name}`);
  // Who fails one filter counts in the facet of that one alone; who fails two counts nowhere.
  const failed = tests.map(({ name }) => `WHEN NOT has_${name} THEN '${name}'`).join(' ');
  const failures = tests.map(({ name }) => `(NOT has_${name})::int`).join(' + ');
  const counts = peopleFacetNames.map(name => {
    const isList = name === 'keywords' || name === 'company_technologies';
    const value = isList ? 'held' : name;
    const lists = `CROSS JOIN LATERAL (
      SELECT DISTINCT unnest(CASE WHEN cardinality(${name}) > 0 THEN ${name} ELSE '{NULL}' END) AS held) AS each`;
    return `SELECT '${name}' AS facet, ${value} AS value, count(*)::int AS count FROM found ${isList ? lists : ''}
      WHERE failed IN ('', '${name}') GROUP BY 2`;
  });
  const { rows } = await client.query<[string, string | null, number]>({
    text: `WITH tested AS NOT MATERIALIZED (
        SELECT person_no, ${columns.join(', ')}, person.keywords, company.technologies AS company_technologies
          ${tests.map(({ name, text }) => `, ${text} AS has_${name}`).join('')}
        FROM person LEFT JOIN company USING (company_no)
        WHERE ${always.join(' AND ')} OFFSET 0),
      found AS MATERIALIZED (
        SELECT *, ${failed ? `CASE ${failed} ELSE '' END` : "''"} AS failed
        FROM tested WHERE ${failures || '0'} <= 1)
      ${counts.join(' UNION ALL ')}
      UNION ALL SELECT 'total', NULL, count(*)::int FROM found WHERE failed = ''
      UNION ALL (SELECT 'person_no', person_no::text, 1 FROM found WHERE failed = '' ORDER BY found.person_no LIMIT ${limit})`,
    values,
    rowMode: 'array',
  });
  const of = (facet: string) => rows.filter(([each]) => each === facet);
  return {
    total: of('total')[0]?.[2] ?? 0,
    facets: new Map(
      peopleFacetNames.map(name => [name, new Map(of(name).map(([, value, count]) => [value, count]))]),
    ),
    personNos: of('person_no')
      .map(([, personNo]) => Number(personNo))
      .sort((one, other) => one - other),
  };
}

function isListed({ people, companies, domains }: ListMembers, values: unknown[]): string {
  values.push([...people], [...companies], domains);
  const at = values.length;
  return `((person_no = ANY ($${at - 2}) OR person.company_no = ANY ($${at - 1}) OR company.domain = ANY ($${at})) IS TRUE)`;
}
