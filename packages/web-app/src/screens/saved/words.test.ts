import { expect, it } from '@jest/globals';
import { moneyOf, placeOf, wordsOf } from './words.ts';

it('says codes as people read them', () => {
  expect(['cxo', 'vp', 'human_resources', null].map(wordsOf)).toEqual([
    'C-level',
    'Vice president',
    'Human resources',
    '–',
  ]);
});

it('says a place as far as it is known, and nothing twice', () => {
  expect(placeOf({ city: 'Berlin', region: 'Berlin', country: 'DE' })).toBe('Berlin, Germany');
  expect(placeOf({ city: null, region: null, country: null })).toBe('–');
});

it('says an amount, or else its band', () => {
  expect([moneyOf(1_200, '$0-1M'), moneyOf(null, '$0-1M'), moneyOf(null, null)]).toEqual([
    '$1,200',
    '$0-1M',
    '–',
  ]);
});
