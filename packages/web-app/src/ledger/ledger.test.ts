import { describe, expect, it } from '@jest/globals';
import { limits } from '@mailproof/shared-types';
import { operationName } from './operations.ts';
import {
  barDays,
  barsOf,
  daysOf,
  eachDay,
  momentsOf,
  monthOf,
  type Period,
  periods,
  readPeriod,
  totalsOf,
} from './spending.ts';

const now = new Date('2026-03-02T23:30:00.000Z');

describe('a period', () => {
  it('counts its days in UTC, today included', () => {
    expect(daysOf('7d', now)).toEqual({ from: '2026-02-24', until: '2026-03-02' });
    expect(eachDay(daysOf('7d', now))).toHaveLength(7);
    expect(monthOf(now)).toEqual({ from: '2026-03-01', until: '2026-03-02' });
  });

  it('is the same for lists, which are requested by time', () => {
    expect(momentsOf(daysOf('7d', now))).toEqual({
      from: '2026-02-24T00:00:00.000Z',
      until: '2026-03-03T00:00:00.000Z',
    });
  });

  it.each(Object.keys(periods) as Period[])('of %s is accepted by the API', period => {
    expect(eachDay(daysOf(period, now)).length).toBeLessThanOrEqual(limits.usageDaysMax);
  });

  it('is read from a URL only if it exists', () => {
    expect(['90d', 'toString', '1d', 7, undefined].map(readPeriod)).toEqual([
      '90d',
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

const usage = [
  { day: '2026-03-01', operation: 'check-address', spent: 2 },
  { day: '2026-03-01', operation: 'start-discovery-run', spent: 30 },
  { day: '2026-03-02', operation: 'check-address', spent: 1 },
];

describe('spending', () => {
  it('has a bar for each day, also for those without any', () => {
    const bars = barsOf(usage, { from: '2026-02-28', until: '2026-03-02' });
    expect(bars).toEqual([
      { day: '2026-02-28', spent: 0, parts: {} },
      { day: '2026-03-01', spent: 32, parts: { 'check-address': 2, 'start-discovery-run': 30 } },
      { day: '2026-03-02', spent: 1, parts: { 'check-address': 1 } },
    ]);
  });

  it('is shown by week if there are too many days, without losing any', () => {
    const year = daysOf('365d', now);
    expect(barDays(year)).toBe(7);
    expect(barsOf(usage, year)).toHaveLength(53);
    expect(barsOf(usage, year).reduce((sum, { spent }) => sum + spent, 0)).toBe(33);
  });

  it('is summed by operation, the most first', () => {
    expect(totalsOf(usage)).toEqual([
      { operation: 'start-discovery-run', spent: 30 },
      { operation: 'check-address', spent: 3 },
    ]);
  });
});

describe('the name of an operation', () => {
  it('is readable, even if the page does not know the operation', () => {
    expect(['check-address', 'brew-tea', 'constructor'].map(operationName)).toEqual([
      'Single checks',
      'brew tea',
      'constructor',
    ]);
  });
});
