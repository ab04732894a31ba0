import { expect, test } from '@jest/globals';
import type { PeopleFilters } from '@mailproof/shared-types';
import fc from 'fast-check';
import type { IndexedPerson } from '../../domain/people-search/columns/people-columns.ts';
import { documentOf, type SearchDocument } from '../../domain/people-search/search-document.ts';
import {
  company,
  companyNos,
  filters,
  inOrder,
  members,
  person,
} from '../../domain/people-search/testing/random-searches.ts';
import { type CountAnswer, type CountOptions, countPeople } from './count-people.ts';
import type { Asked } from './search-query.ts';

/* The real engine counts in test/search-engine.long.ts. Here, rows answer what little of its language is asked. */

type Body = {
  readonly query?: Record<string, unknown>;
  readonly aggs?: Record<string, Record<string, { field: string; size?: number; include?: string[] }>>;
};

function valuesIn(row: SearchDocument, field: string): readonly unknown[] {
  return [row[field as keyof SearchDocument] ?? []].flat();
}

function matches(row: SearchDocument, query: Record<string, unknown>): boolean {
  const [[kind, asked] = ['', {}]] = Object.entries(query);
  const [[field, value] = ['', undefined]] = Object.entries(asked as object);
  const values = valuesIn(row, field);
  if (kind === 'bool') {
    const { filter = [], must_not = [], should } = asked as Record<string, Record<string, unknown>[]>;
    return (
      filter.every(each => matches(row, each)) &&
      !must_not.some(each => matches(row, each)) &&
      (should?.some(each => matches(row, each)) ?? true)
    );
  }
  if (kind === 'term') return values.includes(value);
  if (kind === 'terms') return (value as unknown[]).some(each => values.includes(each));
  if (kind === 'range') {
    const { gte = -Infinity, lte = Infinity } = value as { gte?: number; lte?: number };
    return values.some(each => (each as number) >= gte && (each as number) <= lte);
  }
  if (kind === 'match_none') return false;
  throw new Error(`The rows do not know ${kind}.`);
}

function answer(rows: readonly SearchDocument[], { query, aggs = {} }: Body): CountAnswer {
  const found = query ? rows.filter(row => matches(row, query)) : rows;
  const aggregations = Object.entries(aggs).map(([name, { terms, value_count }]) => {
    const values = found.flatMap(row => valuesIn(row, (terms ?? value_count)?.field ?? ''));
    if (!terms) {
      return [name, { value: values.length }];
    }
    const { size = 0, include } = terms;
    const counts = new Map<string, number>();
    for (const value of values as string[]) {
      if (!include || include.includes(value)) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    const buckets = [...counts]
      .map(([key, doc_count]) => ({ key, doc_count }))
      .sort((one, other) => other.doc_count - one.doc_count || (one.key < other.key ? -1 : 1));
    const others = buckets.slice(size).reduce((sum, { doc_count }) => sum + doc_count, 0);
    return [name, { buckets: buckets.slice(0, size), sum_other_doc_count: others }];
  });
  return { hits: { total: { value: found.length } }, aggregations: Object.fromEntries(aggregations) };
}

/** Counts people in an index that has settled or not; `visited` has the people of each search with facets and a query. */
async function count(rows: readonly SearchDocument[], asked: Asked, options: Partial<CountOptions> = {}) {
  const visited: number[] = [];
  const counts = await countPeople(asked, {
    ...{ withFacets: true, shards: 1, isSettled: true },
    run: async bodies =>
      (bodies as Body[]).map(body => {
        const answered = answer(rows, body);
        if (body.query && body.aggs) visited.push(answered.hits.total.value);
        return answered;
      }),
    ...options,
  });
  return { counts, visited };
}

test('counts the same by those who are excluded, if they are fewer, as by those who match', async () => {
  const store = fc.record({
    people: fc.array(person, { minLength: 20, maxLength: 60 }),
    companies: fc.tuple(...companyNos.map(() => company)),
  });
  const skip = fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 40 }).map(inOrder);
  let byExcluded = 0;
  await fc.assert(
    fc.asyncProperty(store, filters, members, skip, async ({ people, companies }, search, named, skipped) => {
      const rows = people.map((each, at) => {
        const employer = companies[(each.companyNo ?? 0) - 1];
        return documentOf(
          { ...each, personNo: at + 1 },
          employer && { ...employer, domain: `c${each.companyNo}.example` },
        );
      });
      const asked = { filters: search, skip: skipped, ...(named && { members: named }) };
      const [settled, unsettled] = [await count(rows, asked), await count(rows, asked, { isSettled: false })];
      expect(settled.counts).toEqual(unsettled.counts);
      const isBroad = ({ visited }: typeof settled) => visited.some(each => each > rows.length / 2);
      byExcluded += isBroad(unsettled) && !isBroad(settled) ? 1 : 0;
    }),
    { numRuns: 400, seed: 7 },
  );
  expect(byExcluded).toBeGreaterThan(50);
});

const blank: Omit<IndexedPerson, 'personNo' | 'jobTitle' | 'country'> = {
  ...{ fullName: 'Ada', seniority: null, department: null, companyNo: null, companyName: null },
  ...{ region: null, city: null, keywords: [] },
};

/** People with many job titles, each as frequent as `frequency` says, in two countries. */
function withTitles(titles: number, frequency: (at: number) => number): SearchDocument[] {
  const jobTitles = Array.from({ length: titles }, (_, at) =>
    Array.from({ length: frequency(at) }, () => `t${at}`),
  ).flat();
  return [null, ...jobTitles].map((jobTitle, at) =>
    documentOf({ ...blank, personNo: at + 1, jobTitle, country: at % 4 === 0 ? 'DE' : 'FR' }, undefined),
  );
}

const notGermany: PeopleFilters = { excluded_countries: ['DE'] };

test.each([300, 600])(
  'counts the most frequent of %s values without those who are excluded',
  async titles => {
    const rows = withTitles(titles, at => Math.ceil(2_000 / (at + 1)));
    const settled = await count(rows, { filters: notGermany });
    const unsettled = await count(rows, { filters: notGermany }, { isSettled: false });
    expect(unsettled.counts.facets?.job_titles).toMatchObject({ more: true, unknown: 0 });
    expect(settled.counts).toEqual(unsettled.counts);
    expect(Math.max(...settled.visited)).toBeLessThan(rows.length / 2);
  },
);

test.each([
  ['values that it does not read of everyone could be more frequent', () => 4, 1],
  ['several shards read different values', (at: number) => Math.ceil(2_000 / (at + 1)), 3],
])('counts those who match if %s', async (_, frequency, shards) => {
  const rows = withTitles(600, frequency);
  const settled = await count(rows, { filters: notGermany }, { shards });
  const unsettled = await count(rows, { filters: notGermany }, { shards, isSettled: false });
  expect(settled.counts).toEqual(unsettled.counts);
  expect(Math.max(...settled.visited)).toBeGreaterThan(rows.length / 2);
});

test('lists the same of values that are equally frequent', async () => {
  // The first 490 titles have one person in each country, and the next 520 one in France.
  const rows = Array.from({ length: 1_500 }, (_, at) =>
    documentOf(
      {
        ...blank,
        personNo: at + 1,
        jobTitle: at < 980 ? `b${String(at >> 1).padStart(3, '0')}` : `a${String(at).padStart(4, '0')}`,
        country: at < 980 && at % 2 === 0 ? 'DE' : 'FR',
      },
      undefined,
    ),
  );
  const settled = await count(rows, { filters: notGermany });
  const unsettled = await count(rows, { filters: notGermany }, { isSettled: false });
  expect(settled.counts).toEqual(unsettled.counts);
});

test('counts those who match if people change between the searches', async () => {
  const rows = withTitles(20, () => 8);
  const left = rows.filter(row => row.job_titles !== 't0');
  let isLeft = false;
  const run: CountOptions['run'] = async bodies => {
    const answers = (bodies as Body[]).map(body => answer(isLeft ? left : rows, body));
    isLeft ||= (bodies as Body[]).some(body => body.aggs);
    return answers;
  };
  const { counts } = await count(rows, { filters: notGermany }, { run });
  const { counts: expected } = await count(left, { filters: notGermany }, { isSettled: false });
  expect(counts.facets).toEqual(expected.facets);
});
