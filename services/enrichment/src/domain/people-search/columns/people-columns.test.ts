import { describe, expect, it } from '@jest/globals';
import {
  companySizes,
  companyTypes,
  departments,
  newId,
  type PeopleFilters,
  revenues,
  seniorities,
} from '@mailproof/shared-types';
import fc from 'fast-check';
import { plainSearch } from '../testing/plain-search.ts';
import type { IndexedCompany } from './company-columns.ts';
import { type IndexedPerson, PeopleColumns } from './people-columns.ts';
import { countPeople, pagePeople } from './search-people.ts';

const titles = [
  'CEO',
  'Chief Executive Officer',
  'VP Sales',
  'Sales Vice President',
  'Engineer',
  'Former CEO',
  'President',
];
const names = [
  ...[
    'Mary Jones',
    'John Jones',
    'J. R. R. Tolkien',
    'José Ortega-José',
    'Jo Ann Ånn',
    "Conan O'Brien",
    '山田 太郎',
  ],
  ...['Boutros Boutros-Ghali', 'Ada', '…', 'Zoë Straßer', 'Łukasz Yıldız'],
];
const askedNames = [
  ...[
    'jones',
    'j jones',
    'JONES, J.',
    'r r',
    'r j t',
    'r r r',
    'tolkien j r',
    'jose jose',
    'josé o',
    'an ann',
  ],
  ...[
    'ann jo a',
    'a a a',
    'o’brien',
    'obrien c',
    '山',
    '山田 太',
    '太郎',
    'bout bout',
    'bou bou bou',
    'ada',
    '!?',
  ],
  ...['zoe strasser', 'lukasz yildiz', 'ones', 'nobody', 'b g', 'g b b', 'mary j j', 'a', 'j'],
];
const words = ['red', 'green', 'blue', 'rot'];
const locations = ['Paris', 'Köln', 'Lima', 'Oslo'];
const companyNos = [1, 2, 3, 4];
const oneOf = (values: readonly string[]) => fc.option(fc.constantFrom(...values), { freq: 4 });

const technologies = ['Salesforce', 'React', 'Node.js'];
const year = fc.integer({ min: 1998, max: 2003 });

const company = fc.record({
  companyNo: fc.constantFrom(...companyNos),
  name: fc.constantFrom('Acme Inc.', 'ACME', 'Beta GmbH', 'The Gamma Group'),
  companySize: oneOf(companySizes),
  revenue: oneOf(revenues),
  companyType: oneOf(companyTypes),
  industry: oneOf(words),
  foundedYear: fc.option(year, { freq: 4 }),
  technologies: fc.uniqueArray(fc.constantFrom(...technologies), { maxLength: 3 }),
});

const person = fc.record({
  personNo: fc.integer({ min: 1, max: 60 }),
  fullName: fc.constantFrom(...names),
  jobTitle: oneOf(titles),
  seniority: oneOf(seniorities),
  department: oneOf(departments),
  companyNo: fc.option(fc.constantFrom(...companyNos), { freq: 3 }),
  companyName: oneOf(['Acme', 'Delta']),
  country: oneOf(['DE', 'FR', 'US']),
  region: oneOf(locations),
  city: oneOf(locations),
  keywords: fc.uniqueArray(fc.constantFrom(...words), { maxLength: 4 }),
});

const some = (values: readonly string[]) =>
  fc.option(fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 4 }), {
    nil: undefined,
    freq: 2,
  });

const filters = fc
  .record({
    person_names: some(askedNames),
    job_titles: some([...titles, 'Sales', 'nobody']),
    job_title_match: fc.constantFrom(undefined, 'exact' as const, 'similar' as const),
    excluded_job_titles: some(titles),
    seniorities: some(seniorities),
    departments: some(departments),
    company_names: some(['acme', 'Gamma', 'Delta', 'Omega']),
    company_domains: some(['c1.example', 'c2.example', 'none.example']),
    excluded_company_domains: some(['c1.example', 'none.example']),
    countries: some(['DE', 'FR']),
    regions: some(['paris', 'koln']),
    cities: some(locations),
    industries: some(words),
    company_sizes: some(companySizes),
    revenues: some(revenues),
    company_types: some(companyTypes),
    company_technologies: some(['salesforce', 'Node js', 'React', 'nothing']),
    excluded_company_technologies: some(['SALESFORCE', 'react', 'nothing']),
    company_founded: fc.option(
      fc.oneof(
        fc.record({ min: year }),
        fc.record({ max: year }),
        fc.tuple(year, year).map(both => ({ min: Math.min(...both), max: Math.max(...both) })),
      ),
      { nil: undefined, freq: 2 },
    ),
    keywords: some([...words, 'nothing']),
    keyword_match: fc.constantFrom(undefined, 'any' as const, 'all' as const),
  })
  // With every filter at once nothing would ever match; a filter and its match mode belong together.
  .chain(all =>
    fc
      .subarray(Object.keys(all).filter(name => !name.endsWith('_match')) as (keyof typeof all)[], {
        maxLength: 3,
      })
      .map(names => {
        const chosen = Object.fromEntries(names.map(name => [name, all[name]])) as PeopleFilters;
        const { job_title_match, keyword_match } = all;
        return {
          ...chosen,
          ...((chosen.job_titles || chosen.excluded_job_titles) && { job_title_match }),
          ...(chosen.keywords && { keyword_match }),
        };
      }),
  );

const list = fc.record({
  people: fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 20 }).map(inOrder),
  companies: fc.uniqueArray(fc.constantFrom(...companyNos)).map(inOrder),
  domains: fc.uniqueArray(fc.constantFrom('c1.example', 'c3.example', 'none.example')),
});

/** The members of lists that a search names; most searches name none. */
const members = fc.option(
  fc.record({ wanted: fc.option(list, { nil: undefined, freq: 3 }), excluded: list }),
  { nil: undefined, freq: 1 },
);

function inOrder(numbers: readonly number[]): Int32Array {
  return Int32Array.from(numbers).sort();
}

type Change =
  | { readonly kind: 'put'; readonly people: readonly IndexedPerson[] }
  | { readonly kind: 'company'; readonly company: IndexedCompany }
  | { readonly kind: 'remove'; readonly personNo: number }
  | { readonly kind: 'removeCompany'; readonly companyNo: number };

const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('put' as const), people: fc.array(person, { maxLength: 30 }) }),
  },
  {
    weight: 3,
    arbitrary: company.map(each => ({
      kind: 'company' as const,
      company: { ...each, domain: `c${each.companyNo}.example` },
    })),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('remove' as const), personNo: fc.integer({ min: 1, max: 60 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('removeCompany' as const),
      companyNo: fc.constantFrom(...companyNos),
    }),
  },
);

/** A model of the store in Postgres, and the columns that follow it. */
function follow(changes: readonly Change[]) {
  const people = new Map<number, IndexedPerson>();
  const companies = new Map<number, IndexedCompany>(
    companyNos.map(companyNo => [
      companyNo,
      {
        ...{ companyNo, name: `C${companyNo}`, domain: `c${companyNo}.example` },
        ...{
          companySize: null,
          revenue: null,
          companyType: null,
          industry: null,
          foundedYear: null,
          technologies: [],
        },
      },
    ]),
  );
  const columns = new PeopleColumns();
  const put = (changed: readonly IndexedPerson[]) => {
    const companyNos = new Set(changed.map(({ companyNo }) => companyNo).filter(each => each !== null));
    columns.put(
      changed,
      [...companyNos]
        .filter(each => !columns.companies.has(each))
        .map(each => companies.get(each) as IndexedCompany),
    );
  };
  for (const each of changes) {
    if (each.kind === 'put') {
      const changed = new Map(
        each.people.map(one => [
          one.personNo,
          {
            ...one,
            companyNo: one.companyNo !== null && companies.has(one.companyNo) ? one.companyNo : null,
          },
        ]),
      );
      for (const [personNo, one] of changed) {
        people.set(personNo, one);
      }
      put([...changed.values()]);
    } else if (each.kind === 'company') {
      if (companies.has(each.company.companyNo)) {
        companies.set(each.company.companyNo, each.company);
        columns.putCompany(each.company);
      }
    } else if (each.kind === 'remove') {
      people.delete(each.personNo);
      columns.remove(each.personNo);
    } else {
      companies.delete(each.companyNo);
      for (const [personNo, one] of people) {
        people.set(personNo, one.companyNo === each.companyNo ? { ...one, companyNo: null } : one);
      }
      put(columns.removeCompany(each.companyNo).map(personNo => people.get(personNo) as IndexedPerson));
    }
  }
  return { people: [...people.values()], companies, columns };
}

describe('the columns', () => {
  it('answer what a plain search answers, after any changes, in total, facets and pages', () => {
    fc.assert(
      fc.property(
        fc.array(change, { minLength: 1, maxLength: 12 }),
        fc.array(fc.tuple(filters, members), { minLength: 1, maxLength: 5 }),
        fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 10 }),
        fc.integer({ min: 1, max: 7 }),
        (changes, searches, skip, limit) => {
          const { people, companies, columns } = follow(changes);
          expect(columns.people).toBe(people.length);
          const skipped = inOrder(skip);
          for (const [search, members] of searches) {
            const plain = plainSearch(people, companies, search, new Set(skip), members);
            expect(countPeople(columns, search, { skipped, members })).toEqual({
              total: plain.total,
              facets: plain.facets,
            });
            const personNos: number[] = [];
            for (let more = true; more; ) {
              const after = personNos.at(-1) ?? 0;
              const page = pagePeople(columns, search, { after, limit, skipped, members });
              personNos.push(...page.personNos);
              more = page.more;
            }
            expect(personNos).toEqual(plain.personNos);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('do not answer a search for lists whose members are missing', () => {
    const saved_lists = [newId('savedList')];
    expect(() => countPeople(new PeopleColumns(), { saved_lists })).toThrow('has no members');
    expect(() => countPeople(new PeopleColumns(), { excluded_saved_lists: saved_lists })).toThrow();
  });

  it('hold and find as many as there are, over many blocks, and clear away who is gone', () => {
    const columns = new PeopleColumns();
    const many = Array.from({ length: 60_000 }, (_, index) => plainPerson(index * 2 + 2));
    columns.put(many.slice(0, 40_000));
    columns.put(many.slice(40_000));
    columns.put([plainPerson(1), plainPerson(60_001), plainPerson(60_001)]);
    expect(columns.people).toBe(60_002);
    for (let personNo = 2; personNo <= 100_000; personNo += 2) {
      columns.remove(personNo);
    }
    expect([columns.people, columns.rows < 30_000]).toEqual([10_002, true]);
    expect(countPeople(columns, { keywords: ['k1'] }, { facets: false })).toEqual({ total: 10_002 });
    expect(pagePeople(columns, {}, { after: 0, limit: 3 }).personNos).toEqual([1, 60_001, 100_002]);
    expect(pagePeople(columns, {}, { after: 119_998, limit: 3 })).toEqual({
      personNos: [120_000],
      more: false,
    });
  });
});

function plainPerson(personNo: number): IndexedPerson {
  return {
    ...{
      personNo,
      fullName: `Person ${personNo}`,
      jobTitle: 'Engineer',
      seniority: null,
      department: null,
      companyNo: null,
    },
    ...{ companyName: null, country: 'DE', region: null, city: null, keywords: ['k1', `k${personNo % 7}`] },
  };
}
