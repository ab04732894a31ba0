import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { chanceHitsAsText, countChanceHits } from '../bench/chance-hits.ts';

const counts = countChanceHits();
const ofCompanies = counts.filter(({ population }) => /shop|company/.test(population));

test('a made-up recipient that exists leaves no verdict open, and none is ok without a refusal', () => {
  for (const { hits, resolved, calledCatchAll } of counts) {
    expect(resolved + calledCatchAll).toBe(hits);
  }
});

test('no company of the benchmark is taken for a catch-all by chance', () => {
  expect(ofCompanies.length).toBeGreaterThan(3);
  expect(ofCompanies.map(({ calledCatchAll }) => calledCatchAll)).toEqual(ofCompanies.map(() => 0));
});

test('the README tells the figures of today', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  expect(readme).toContain(chanceHitsAsText());
});
