import { describe, expect, test } from '@jest/globals';
import type { Observation } from '../observation.ts';
import { weights } from '../weights.ts';
import { fitWeights, splitByDomain } from './fit-weights.ts';
import type { Labeled } from './labeled.ts';
import { formatReliability, judgeAll, measureReliability } from './reliability.ts';

const key: Observation = { source: 'openpgpkey', finding: 'published' };
const account: Observation = { source: 'webfinger', finding: 'published' };

function addresses(count: number, exists: boolean, ...observations: readonly Observation[]): Labeled[] {
  return Array.from({ length: count }, (_, index) => ({ domain: `d${index % 97}`, exists, observations }));
}
const fit = (...labeled: readonly (readonly Labeled[])[]) => fitWeights(labeled.flat(), weights, 'test');

describe('fitting', () => {
  test('leaves the starting values where nothing is known', () => {
    expect(fit()).toEqual({ ...weights, version: 'test' });
  });

  test('learns from many cases what a finding is worth', () => {
    // 20 % of 5,000 existing and 1 % of 5,000 missing mailboxes: ln 20 = 3.0.
    const fitted = fit(
      addresses(1_000, true, key),
      addresses(4_000, true),
      addresses(50, false, key),
      addresses(4_950, false),
    );
    expect(fitted.sources.openpgpkey.llr.published).toBeCloseTo(Math.log(20), 1);
    expect(fitted.prior).toBeCloseTo(0.5, 2);
    expect(fitted.sources.smimea.llr.published).toBeLessThan(weights.sources.smimea.llr.published);
  });

  test('stays near the starting value where cases are few', () => {
    const fitted = fit(addresses(1, true, key), addresses(40, true), addresses(40, false));
    // The case itself says ln 3 = 1.1, and the starting value is 4.
    expect(fitted.sources.openpgpkey.llr.published).toBeGreaterThan(2);
    expect(fitted.sources.openpgpkey.llr.published).toBeLessThan(4);
  });

  test('never turns what speaks for a mailbox into what speaks against it', () => {
    const fitted = fit(addresses(5_000, true), addresses(2_500, false, account), addresses(2_500, false));
    expect(fitted.sources.webfinger.llr.published).toBe(0);
  });

  test('keeps every weight within its bounds', () => {
    const fitted = fit(addresses(1_000_000, true, key), addresses(1_000_000, false));
    expect(fitted.sources.openpgpkey.llr.published).toBe(6);
  });

  test('reads old observations for what fresh ones would be worth', () => {
    const old: Observation = { ...key, ageDays: weights.sources.openpgpkey.halfLifeDays };
    const [seen, unseen] = [addresses(4_000, true), addresses(4_950, false)];
    const fresh = fit(addresses(1_000, true, key), seen, addresses(250, false, key), unseen);
    const aged = fit(addresses(1_000, true, old), seen, addresses(250, false, old), unseen);
    const { published } = aged.sources.openpgpkey.llr;
    expect(published).toBeCloseTo(2 * fresh.sources.openpgpkey.llr.published, 0);
  });

  test('makes posteriors fit what is observed', () => {
    const labeled = [
      ...addresses(300, true, account),
      ...addresses(100, false, account),
      ...addresses(2_000, true),
      ...addresses(2_600, false),
    ];
    const before = measureReliability(judgeAll(labeled, weights));
    const after = measureReliability(judgeAll(labeled, fit(labeled)));
    expect(after.brierScore).toBeLessThan(before.brierScore - 0.02);
    for (const { meanPosterior, observedShare } of after.bins) {
      expect(meanPosterior).toBeCloseTo(observedShare, 1);
    }
  });
});

describe('a reliability table', () => {
  test('counts each address once and holds posteriors against the truth', () => {
    const table = measureReliability([
      { posterior: 1, exists: true },
      { posterior: 0.96, exists: false },
      { posterior: 0.96, exists: true },
      { posterior: 0, exists: false },
    ]);
    expect(table.bins).toEqual([
      { from: 0, to: 0.1, count: 1, meanPosterior: 0, observedShare: 0 },
      { from: 0.95, to: 0.98, count: 2, meanPosterior: 0.96, observedShare: 0.5 },
      { from: 0.99, to: 1, count: 1, meanPosterior: 1, observedShare: 1 },
    ]);
    expect(table.brierScore).toBeCloseTo((0.96 ** 2 + 0.04 ** 2) / 4, 10);
    expect(formatReliability(table)).toContain('0.95–0.98          2           0.960           0.500');
  });
});

describe('the split', () => {
  test('has each domain on one side, and something on both', () => {
    const { training, heldOut } = splitByDomain(addresses(970, true));
    const domains = new Set(training.map(({ domain }) => domain));
    expect(heldOut.some(({ domain }) => domains.has(domain))).toBe(false);
    expect(training.length + heldOut.length).toBe(970);
    expect(heldOut.length).toBeGreaterThan(100);
    expect(training.length).toBeGreaterThan(500);
  });
});
