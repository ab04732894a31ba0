import { expect, it } from '@jest/globals';
import { locationOf, moneyOf, wordsOf } from './words.ts';

it('shows codes in words', () => {
  expect(['cxo', 'vp', 'human_resources', null].map(wordsOf)).toEqual([
    'C-level',
    'Vice president',
    'Human resources',
    '–',
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
