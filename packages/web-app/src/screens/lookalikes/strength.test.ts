import { expect, it } from '@jest/globals';
import { bandsOf, outOfHundred, strengthWords } from './strength.ts';

it('says a strength as a number of a hundred and in words', () => {
  expect(
    [0.1, 0.2, 0.45, 0.6, 0.8].map(strength => [outOfHundred(strength), strengthWords(strength)]),
  ).toEqual([
    [10, 'Faint'],
    [20, 'Loose'],
    [45, 'Fair'],
    [60, 'Close'],
    [80, 'Very close'],
  ]);
});

it('counts what lies between two borders once', () => {
  expect(
    bandsOf([
      { match_strength_from: 0.1, companies: 10 },
      { match_strength_from: 0.5, companies: 4 },
      { match_strength_from: 0.9, companies: 1 },
    ]),
  ).toEqual([
    { from: 0.9, to: 1, companies: 1 },
    { from: 0.5, to: 0.9, companies: 3 },
    { from: 0.1, to: 0.5, companies: 6 },
  ]);
});
