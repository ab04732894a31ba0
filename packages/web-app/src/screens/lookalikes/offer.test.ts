import { expect, it } from '@jest/globals';
import {
  affordable,
  bandsOf,
  creditsMaxOf,
  type Expected,
  type Offer,
  outOfHundred,
  requestOf,
  strengthWords,
} from './offer.ts';

const fill_rate = { location: 1, employee_count: 1, revenue: 1, funding: 1, categories: 1, links: 1 };
const preset: Offer = {
  kind: 'preset',
  companies: 1_000,
  already_paid: 0,
  credits_max: 5_000,
  weakest_match_strength: 0.5,
  fill_rate,
};
const all: Offer = { ...preset, kind: 'all', companies: 1_200, credits_max: 6_000 };
const expected: Expected = {
  matches: 1_200,
  by_match_strength: [],
  credits_per_company: 5,
  offers: [preset, all],
};

it('requests the chosen number and shows its maximum price', () => {
  const ask = (choice: Parameters<typeof requestOf>[0]) => [
    requestOf(choice),
    creditsMaxOf(choice, expected),
  ];
  expect(ask({ kind: 'offer', offer: preset })).toEqual([1_000, 5_000]);
  expect(ask({ kind: 'offer', offer: all })).toEqual(['all', 6_000]);
  expect(ask({ kind: 'exact', companies: 30 })).toEqual([30, 150]);
  expect(ask({ kind: 'exact', companies: 40_000 })).toEqual([40_000, 6_000]);
});

it('shows how many companies the balance pays for', () => {
  expect([0, 4, 5, 52].map(credits => affordable(credits, expected))).toEqual([0, 0, 1, 10]);
});

it('shows a strength as a number out of 100 and in words', () => {
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

it('counts each strength in exactly one range', () => {
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
