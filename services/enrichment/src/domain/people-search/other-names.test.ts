import { describe, expect, it } from '@jest/globals';
import { unknownValues } from './check-filters.ts';
import { keyOfText } from './columns/column.ts';
import { readOtherNames } from './other-names.ts';

const knownAs = (...values: string[]) => ({
  has: (value: string) => values.some(each => keyOfText(each) === keyOfText(value)),
  all: () => values.map(value => [value]),
});
const store = {
  countries: knownAs('DE', 'GB', 'US', 'AU'),
  regions: knownAs('Bavaria', 'Washington', 'Western Australia', 'Ile-de-France', 'Sachsen', 'Brittany'),
};

describe('other names', () => {
  it.each([
    ['countries', 'UK', ['GB']],
    ['countries', 'Germany', ['DE']],
    ['countries', 'Deutschland', ['DE']],
    ['countries', 'usa', ['US']],
    ['excluded_countries', 'Great Britain', ['GB']],
    ['regions', 'Bayern', ['Bavaria']],
    ['regions', 'WA', ['Washington']],
    ['regions', 'by', ['Bavaria']],
    ['excluded_regions', 'Saxony', ['Sachsen']],
  ] as const)('in %s, %s is read as %j', (filter, value, readAs) => {
    const first = filter.endsWith('countries') ? 'US' : 'Brittany';
    const { filters, read } = readOtherNames({ [filter]: [first, value] }, store);
    expect(filters).toEqual({ [filter]: [first, ...readAs] });
    expect(read).toEqual([{ pointer: `/${filter}/1`, value, readAs }]);
  });

  it('are of the countries in the filters', () => {
    const asked = { countries: ['Australia'], regions: ['WA'] };
    expect(readOtherNames(asked, store).filters).toEqual({
      countries: ['AU'],
      regions: ['Western Australia'],
    });
    expect(readOtherNames({ countries: ['DE'], regions: ['WA'] }, store).read).toEqual([]);
  });

  it('replace no value that the store has, and leave an unknown one to be refused', () => {
    const asked = { regions: ['Sachsen', 'ILE DE FRANCE', 'Bretagna'], countries: ['FR'], cities: ['WA'] };
    const { filters, read } = readOtherNames(asked, store);
    expect([filters, read]).toEqual([asked, []]);
    const none = knownAs();
    const unknown = unknownValues(filters, { ...store, industries: none, cities: none }, read);
    expect(unknown.map(({ pointer }) => pointer)).toEqual(['/regions/2', '/countries/0', '/cities/0']);
  });
});
