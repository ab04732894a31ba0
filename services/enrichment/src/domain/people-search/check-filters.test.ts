import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type KnownValues, nearestValues, unknownValues } from './check-filters.ts';
import { keyOfCompanyName } from './columns/company-columns.ts';
import { labelOf } from './labels.ts';

const knownAs = (...values: string[]): KnownValues => ({
  has: value => values.includes(value),
  all: () => values.map(value => [value]),
});
const store = {
  industries: knownAs('software', 'hardware'),
  countries: knownAs('DE'),
  regions: knownAs(),
  cities: knownAs('Berlin', 'Bern'),
};

describe('unknown values', () => {
  it('are none where every vocabulary has its values, and where the text is free', () => {
    const filters = {
      ...{ seniorities: ['vp'], company_sizes: ['10001+'], industries: ['software'], cities: ['Bern'] },
      ...{ job_titles: ['Xyz'], keywords: ['xyz'], company_names: ['Xyz'], company_domains: ['xyz.example'] },
    };
    expect(unknownValues(filters, store)).toEqual([]);
  });

  it('are named with the whole of a fixed vocabulary, or with the nearest that the store holds', () => {
    expect(
      unknownValues(
        { company_types: ['private', 'listed'], regions: ['Bavaria'], cities: ['Berlinn'] },
        store,
      ),
    ).toEqual([
      {
        pointer: '/company_types/1',
        value: 'listed',
        isWhole: true,
        known: expect.arrayContaining(['public']),
      },
      { pointer: '/regions/0', value: 'Bavaria', isWhole: false, known: [] },
      { pointer: '/cities/0', value: 'Berlinn', isWhole: false, known: ['Berlin', 'Bern'] },
    ]);
  });

  it('are refused among excluded values too, which would exclude no one', () => {
    expect(
      unknownValues({ excluded_cities: ['Bern', 'Berlinn'], excluded_seniorities: ['boss'] }, store),
    ).toMatchObject([
      { pointer: '/excluded_cities/1', known: ['Berlin', 'Bern'] },
      { pointer: '/excluded_seniorities/0', isWhole: true },
    ]);
  });

  it('are named ten at most, and members of every object are no vocabulary', () => {
    expect(
      unknownValues({ seniorities: Array.from({ length: 50 }, (_, each) => `s${each}`) }, store),
    ).toHaveLength(10);
    expect(unknownValues({ seniorities: ['constructor', '__proto__'] }, store)).toHaveLength(2);
  });
});

describe('the nearest values', () => {
  it('are those that the user may have meant, the nearest first', () => {
    const known = [['machinery'], ['mining'], ['logistics'], ['hospital & health care'], ['DE', 'Germany']];
    expect(nearestValues('machinry', known)).toEqual(['machinery']);
    expect(nearestValues('germany', known)).toEqual(['DE']);
    expect(nearestValues('Health Care', known)).toEqual(['hospital & health care']);
    expect(nearestValues('zzzzzzzz', known)).toEqual([]);
  });

  it('are five at most, and the same value before any other', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 1 }), { maxLength: 40 }),
        fc.string({ minLength: 1 }),
        (values, asked) => {
          const nearest = nearestValues(
            asked,
            [...values, asked].map(value => [value]),
          );
          expect(nearest.length).toBeLessThanOrEqual(5);
          expect([...values, asked]).toEqual(expect.arrayContaining([...nearest]));
        },
      ),
    );
    expect(nearestValues('berlin', [['Bernlin'], ['Berlin']])[0]).toBe('Berlin');
  });
});

describe('names of companies', () => {
  it.each([
    ['Acme, Inc.', 'acme'],
    ['The Acme Group', 'acme'],
    ['Müller GmbH & Co. KG', 'muller'],
    ['ACME', 'acme'],
    ['Co', 'co'],
    ['The', 'the'],
  ])('%s is %s', (name, key) => expect(keyOfCompanyName(name)).toBe(key));
});

it('labels any value of the store', () => {
  expect(['constructor', 'it services', '__proto__'].map(value => labelOf('industries', value))).toEqual([
    'Constructor',
    'IT services',
    '  proto  ',
  ]);
});
