import { expect, it } from '@jest/globals';
import { employeesOf, locationOf, moneyOf, wordsOf } from './words.ts';

it('shows codes in words', () => {
  expect(['cxo', 'vp', 'entry', 'human_resources', 'it services', 'toString', null].map(wordsOf)).toEqual([
    'C-level',
    'Vice president',
    'Entry level',
    'Human resources',
    'IT services',
    'ToString',
    '–',
  ]);
});

it('shows a number of employees as people write it', () => {
  expect(['1-10', '501-1000', '10001+'].map(employeesOf)).toEqual([
    '1–10 employees',
    '501–1,000 employees',
    '10,001+ employees',
  ]);
});

it('shows a location as far as it is known, and nothing twice', () => {
  expect(locationOf({ city: 'Berlin', region: 'Berlin', country: 'DE' })).toBe('Berlin, Germany');
  expect(locationOf({ city: null, region: null, country: null })).toBe('–');
});

it('shows an amount, or otherwise its range', () => {
  expect([moneyOf(1_200, '$0-1M'), moneyOf(null, '$0-1M'), moneyOf(null, null)]).toEqual([
    '$1,200',
    '$0-1M',
    '–',
  ]);
});
