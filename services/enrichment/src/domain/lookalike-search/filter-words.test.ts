import { describe, expect, it } from '@jest/globals';
import { type CompanyFilters, companyTypes } from '@mailproof/shared-types';
import { UnknownFilterValues } from '../people-search/people-index.ts';
import { knownFilters } from './filter-words.ts';

const unknownIn = (filters: CompanyFilters) => {
  try {
    knownFilters(filters);
  } catch (error) {
    return error instanceof UnknownFilterValues ? error.values : [];
  }
  return [];
};

describe('the filters of companies', () => {
  it('are read in the words of the store, each once', () => {
    expect(
      knownFilters({
        countries: ['DE', 'FR'],
        industries: ['Banks', 'banking', 'Airlines/Aviation'],
        company_sizes: ['51-200'],
        revenues: ['$1-10m'],
        company_types: ['Private'],
        excluded_domains: ['a.example'],
      }),
    ).toEqual({
      countries: ['DE', 'FR'],
      industries: ['banking', 'airlines'],
      company_sizes: ['51-200'],
      revenues: ['$1-10M'],
      company_types: ['private'],
      excluded_domains: ['a.example'],
    });
    expect(knownFilters({})).toEqual({});
  });

  it('are rejected with each unknown value and the known ones', () => {
    const unknown = unknownIn({
      countries: ['DE', 'XX', 'GERMANY'],
      industries: ['banking', 'bankin'],
      company_sizes: ['51–200'],
      revenues: ['a lot'],
      company_types: ['privat'],
    });
    expect(unknown.map(({ pointer }) => pointer)).toEqual([
      '/countries/1',
      '/countries/2',
      '/industries/1',
      '/company_sizes/0',
      '/revenues/0',
      '/company_types/0',
    ]);
    expect(unknown.at(-1)).toMatchObject({ known: companyTypes, isWhole: true });
    expect(unknown[1]?.known[0]).toBe('DE');
    expect(unknown[2]).toMatchObject({ known: expect.arrayContaining(['banking']), isWhole: false });
  });
});
