import { expect, it } from '@jest/globals';
import { presetsFor } from './save-presets.ts';

const labels = (deliverable: number, affordable = deliverable) =>
  presetsFor(deliverable, affordable).map(({ label }) => label);

it.each([
  [12_000, ['500', '1,000', '5,000', '10,000', 'All 12,000']],
  [10_000, ['100', '500', '1,000', '5,000', 'All 10,000']],
  [1_001, ['50', '100', '500', '1,000', 'All 1,001']],
  [9, ['All 9']],
])('1,000, 5,000 and 10,000 are offered whenever more match: %s', (deliverable, expected) => {
  expect(labels(deliverable)).toEqual(expected);
});

it('as many as the credits pay for are offered, once', () => {
  expect(labels(12_000, 700)).toContain('Maximum for your credits: 700');
  expect(labels(12_000, 1_000)).toEqual(labels(12_000));
  expect(labels(12_000, 0)).toEqual(labels(12_000));
});
