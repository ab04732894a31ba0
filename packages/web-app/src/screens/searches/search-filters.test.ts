import { describe, expect, it } from '@jest/globals';
import { peopleFilters } from '@mailproof/shared-types';
import { ProblemError } from '../../api/problem.ts';
import { blockingFilters, knownShare, offeredValues } from './filter-counts.ts';
import {
  type Facets,
  type Filters,
  filterFields,
  filterNames,
  filtersOfCompanies,
  findingCompanies,
  type Vocabulary,
} from './filter-fields.ts';
import { inWords, suggestedName } from './filter-words.ts';
import {
  areSameFilters,
  filterFaults,
  rangeKind,
  readFilters,
  valuesOf,
  withoutValue,
  withValues,
} from './search-filters.ts';
import { keepTried, readTried, triedFilters } from './tried-filters.ts';

const vocabulary = {
  countries: [{ value: 'DE', label: 'Germany', count: 2 }],
  industries: [],
  seniorities: [
    { value: 'cxo', label: 'Chief officer' },
    { value: 'vp', label: 'Vice president' },
  ],
  saved_lists: [{ value: 'list_1', label: 'Customers' }],
} as unknown as Vocabulary;

const noFacet = { values: [], unknown: 0, more: false };
const facets = Object.fromEntries(
  filterFields.flatMap(({ facet }) => (facet ? [[facet, noFacet]] : [])),
) as unknown as Facets;

function field(name: string) {
  const found = filterFields.find(each => each.name === name);
  if (!found) throw new Error(`There is no ${name}.`);
  return found;
}

describe('filters in an address', () => {
  it('are read from the URL, without unknown values', () => {
    expect(
      readFilters({
        job_titles: ['CEO', 'CEO', '', 5],
        countries: [],
        keyword_match: 'all',
        job_title_match: 'exact',
        sql: ['drop'],
      }),
    ).toEqual({ job_titles: ['CEO'], job_title_match: 'exact' });
  });

  it.each([undefined, null, 'CEO', ['CEO'], 7])('are none in %p', value => {
    expect(readFilters(value)).toBeUndefined();
  });
});

describe('a range of years', () => {
  it.each([
    [{ min: 1_999 }, 'Founded: from 1999'],
    [{ max: 2_005 }, 'Founded: to 2005'],
    [{ min: 1_999, max: 2_005 }, 'Founded: from 1999 to 2005'],
    [{ min: 2_005, max: 2_005 }, 'Founded: in 2005'],
  ])('is read from the URL and is one value: %j', (company_founded, words) => {
    const filters = readFilters({ company_founded, countries: ['DE'] }) ?? {};
    expect(filters).toEqual({ company_founded, countries: ['DE'] });
    expect(inWords({ company_founded }, vocabulary)).toBe(words);
    const [value = ''] = valuesOf(filters, 'company_founded');
    expect(withoutValue(filters, 'company_founded', value)).toEqual({ countries: ['DE'] });
    expect(areSameFilters(filters, { countries: ['DE'] })).toBe(false);
  });

  it.each([{}, [1_999], { min: '1999' }, { min: 999, max: 2_101 }, { max: 1_999.5 }, 7])(
    'is none in %j',
    company_founded => expect(readFilters({ company_founded })).toEqual({}),
  );
});

describe('a range of dollars', () => {
  it.each([
    ['500000', 500_000],
    ['$1,500,000', 1_500_000],
    ['5m', 5_000_000],
    ['1.5 B', 1_500_000_000],
    ['0', 0],
    ['1000b', 1_000_000_000_000],
    ['1001b', undefined],
    ['1,5m', undefined],
    ['m', undefined],
    ['-5', undefined],
    ['', undefined],
  ])('reads %j', (text, amount) => {
    expect(rangeKind('excluded_company_funding').read(text)).toBe(amount);
  });

  it('is shown in words, and included and excluded apart', () => {
    const filters = {
      company_funding: { min: 5_000_000 },
      excluded_company_funding: { max: 10, min: 10 },
    };
    expect(readFilters({ ...filters, company_founded: { min: 1.5 } })).toEqual(filters);
    expect(inWords(filters, vocabulary)).toBe('Total funding: from $5,000,000, not in $10');
  });
});

describe('changing filters', () => {
  it('omits a filter without values, and options that depend on it', () => {
    const filters = { keywords: ['pumps'], keyword_match: 'all' as const, countries: ['DE'] };
    expect(withValues(filters, 'keywords', [])).toEqual({ countries: ['DE'] });
    expect(withValues(filters, 'keywords', ['a', 'b'])).toEqual({ ...filters, keywords: ['a', 'b'] });
    const parts = { excluded_keywords: ['pumps'], keyword_terms: 'words' as const };
    expect(readFilters({ ...parts, keyword_match: 'all' })).toEqual(parts);
    expect(areSameFilters(parts, { excluded_keywords: ['pumps'] })).toBe(false);
    expect(withValues(parts, 'excluded_keywords', [])).toEqual({});
  });

  it('are equal in another order, but not with another match', () => {
    expect(areSameFilters({ countries: ['DE', 'FR'] }, { countries: ['FR', 'DE'] })).toBe(true);
    expect(areSameFilters({ job_titles: ['CEO'] }, { job_titles: ['CEO'], job_title_match: 'similar' })).toBe(
      true,
    );
    expect(areSameFilters({ job_titles: ['CEO'] }, { job_titles: ['CEO'], job_title_match: 'exact' })).toBe(
      false,
    );
  });
});

describe('filters in words', () => {
  it('list included and excluded values', () => {
    const filters = {
      countries: ['DE'],
      excluded_job_titles: ['Intern'],
      job_titles: ['a', 'b', 'c', 'd', 'e'],
    };
    expect(inWords(filters, vocabulary)).toBe('Job title: a, b, c or 2 more, not Intern · Country: Germany');
    expect(inWords({ excluded_saved_lists: ['list_1'] }, vocabulary)).toBe('Saved list: not Customers');
    expect(inWords({}, undefined)).toBe('Everyone');
  });

  it('make a name that is not too long', () => {
    expect(suggestedName({ countries: ['DE'], seniorities: ['cxo'] }, vocabulary, 120)).toBe(
      'Chief officer, Germany',
    );
    expect(suggestedName({ countries: ['DE'], company_founded: { min: 1_999 } }, vocabulary, 120)).toBe(
      'Germany, Founded from 1999',
    );
    expect(suggestedName({ job_titles: ['x'.repeat(300)] }, vocabulary, 120)).toHaveLength(120);
  });
});

it('have a field for every filter of the API, included and excluded', () => {
  const options = ['job_title_match', 'keyword_match', 'keyword_terms'];
  const all = Object.keys(peopleFilters.shape).filter(name => !options.includes(name));
  expect([...filterNames].sort()).toEqual(all.sort());
  expect(filterFields.filter(({ excluded }) => excluded === undefined)).toEqual([]);
});

describe('offered values', () => {
  it('have counts, the chosen values, and zero for values that a complete count does not contain', () => {
    const counted = { ...facets, seniorities: { ...noFacet, values: [{ value: 'vp', count: 3 }] } };
    expect(offeredValues(field('seniorities'), {}, counted, vocabulary)).toEqual([
      { value: 'vp', label: 'Vice president', count: 3 },
      { value: 'cxo', label: 'Chief officer', count: 0 },
    ]);
    expect(offeredValues(field('job_titles'), { job_titles: ['CEO'] }, facets, vocabulary)).toEqual([
      { value: 'CEO', label: 'CEO', count: undefined },
    ]);
  });

  it('show for how many people a field is known', () => {
    const some = { ...facets, departments: { ...noFacet, unknown: 25 } };
    expect(knownShare(field('departments'), {}, some, 100)).toBe(0.75);
    expect(knownShare(field('departments'), { departments: ['sales'] }, some, 100)).toBe(1);
    expect(knownShare(field('departments'), {}, some, 0)).toBe(0);
  });

  it('name the filter that excludes everyone', () => {
    const filters = { departments: ['sales'], seniorities: ['vp'] };
    const some = { ...facets, departments: { ...noFacet, values: [{ value: 'finance', count: 2 }] } };
    expect(blockingFilters(filters, some).map(({ name }) => name)).toEqual(['departments']);
  });
});

it('identify the filter that a problem points at', () => {
  const problem = new ProblemError({
    title: 'No',
    errors: [
      { pointer: '/filters/countries/1', detail: '"XX" is not known.' },
      { pointer: '/filters/keywords', detail: 'too many' },
      { pointer: '/filters/company_founded/max', detail: 'must not be below `min`' },
      { pointer: '/name', detail: 'too long' },
    ],
  });
  expect(filterFaults(problem)).toEqual([
    { filter: 'countries', index: 1, sentence: '"XX" is not known.' },
    { filter: 'keywords', index: undefined, sentence: 'too many' },
    { filter: 'company_founded', index: 0, sentence: 'The end must not be below the start.' },
  ]);
});

/** An in-memory `Storage`. */
function openStorage(): Storage {
  const kept = new Map<string, string>();
  return {
    get length() {
      return kept.size;
    },
    clear: () => kept.clear(),
    key: index => [...kept.keys()][index] ?? null,
    getItem: key => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: key => void kept.delete(key),
  };
}

describe('filters of a new search', () => {
  it('are in the URL while they fit', () => {
    const storage = openStorage();
    const filters = { countries: ['DE'] };
    expect(keepTried(filters, storage)).toEqual({ filters, kept: undefined });
    expect(triedFilters(readTried({ filters }), storage)).toEqual(filters);
    expect(storage.length).toBe(0);
  });

  it('are kept in the tab if they are too long for a URL', () => {
    const storage = openStorage();
    const filters = {
      company_domains: Array.from({ length: 100 }, (_, each) => `${'x'.repeat(60)}${each}.test`),
    };
    const address = keepTried(filters, storage);
    expect(address).toEqual({ filters: undefined, kept: true });
    expect(triedFilters(readTried({ kept: true }), storage)).toEqual(filters);
  });

  it('are empty if the tab has stored nothing, or something else', () => {
    const storage = openStorage();
    expect(triedFilters({ kept: true }, storage)).toBeUndefined();
    storage.setItem('mailproof-tried-filters', '{');
    expect(triedFilters({ kept: true }, storage)).toBeUndefined();
    expect(readTried({ kept: 'yes', filters: 'CEO' })).toEqual({ filters: undefined, kept: undefined });
  });
});

describe('the filters of companies', () => {
  it('are those of people that are about companies, with their options', () => {
    const names = findingCompanies.groups.flatMap(({ fields }) => fields.map(({ name }) => name));
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter(name => !filterNames.includes(name))).toEqual([]);
    const ofPeople = {
      person_names: ['Ada'],
      excluded_seniorities: ['cxo'],
      job_title_match: 'exact',
    } as const;
    const ofCompanies = {
      countries: ['DE'],
      excluded_company_founded: { min: 2_000 },
      keywords: ['a'],
      keyword_terms: 'words',
    } as const;
    expect(filtersOfCompanies({ ...ofPeople, ...ofCompanies } as unknown as Filters)).toEqual(ofCompanies);
  });

  it('offer no country of people that no company is in, and name a country that only a company is in', () => {
    const countries = field('countries');
    const facets = { countries: { values: [{ value: 'JP', count: 2 }], unknown: 0, more: false } };
    expect(offeredValues(countries, {}, facets, vocabulary, findingCompanies)).toEqual([
      { value: 'JP', label: 'Japan', count: 2 },
    ]);
  });
});
