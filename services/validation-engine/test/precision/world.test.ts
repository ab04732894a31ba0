import { describe, expect, test } from '@jest/globals';
import { catalogFaults } from '@mailproof/mail-lab';
import { wilsonLowerBound } from './wilson.ts';
import { loadRates, makeWorld, offByTwo } from './world.ts';

describe('the made-up world', () => {
  const rates = loadRates();
  const { addresses, catalog } = makeWorld(rates, 'unit', 4_000);

  test('is one that the lab can play, with as many addresses as were wanted', () => {
    expect(catalogFaults(catalog)).toEqual([]);
    expect(new Set(addresses.map(({ email }) => email)).size).toBe(4_000);
    expect(makeWorld(rates, 'unit', 100).addresses.map(({ email }) => email)).toEqual(
      addresses.slice(0, 100).map(({ email }) => email),
    );
  });

  test('is as its rates say', () => {
    const existing = addresses.filter(({ exists }) => exists);
    expect(existing.length / addresses.length).toBeCloseTo(rates.existing, 1);
    const reported = (exists: boolean) =>
      addresses.filter(
        address => address.exists === exists && address.reports.some(({ report }) => isReply(report)),
      ).length;
    expect(reported(true) / existing.length).toBeCloseTo(rates.seen.repliedThisMonth.existing, 1);
    expect(reported(false) / (4_000 - existing.length)).toBeLessThan(0.02);
  });

  test('has worse evidence where rates are off by two', () => {
    const { seen } = offByTwo(rates);
    expect(seen.openpgpkey).toEqual({
      existing: rates.seen.openpgpkey.existing / 2,
      missing: rates.seen.openpgpkey.missing * 2,
    });
    expect(seen.bounced).toEqual({
      existing: rates.seen.bounced.existing * 2,
      missing: rates.seen.bounced.missing / 2,
    });
  });
});

function isReply(report: object): boolean {
  return 'outcome' in report && report.outcome === 'replied';
}

test('Wilson’s lower bound', () => {
  // 95 of 100 gives 0.8882, according to tables of the interval.
  expect(wilsonLowerBound(95, 100)).toBeCloseTo(0.8882, 4);
  expect(wilsonLowerBound(0, 10)).toBeCloseTo(0, 10);
  expect(wilsonLowerBound(0, 0)).toBe(0);
});
