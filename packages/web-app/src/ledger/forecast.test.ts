import { describe, expect, it } from '@jest/globals';
import { forecastOf } from './forecast.ts';

const period = { from: '2026-03-01', until: '2026-03-30' };
const spent = (...days: readonly (readonly [day: string, spent: number])[]) => ({
  ...period,
  days: days.map(([day, credits]) => ({ day, operation: 'validate-single-email', spent: credits })),
});
const never = (available: number) => ({ available, expires_at: null });

describe('the forecast of credits', () => {
  it('is none without spending', () => {
    expect(forecastOf(spent(), [never(100)])).toBeUndefined();
    expect(forecastOf(spent(['2026-03-02', 0]), [never(100)])).toBeUndefined();
  });

  it('spends the average since the first spending of the period', () => {
    // 300 credits in 30 days, and 200 in the last 10 days.
    expect(
      forecastOf(spent(['2026-03-01', 100], ['2026-03-01', 50], ['2026-03-09', 150]), [never(40)]),
    ).toEqual({
      pace: 10,
      days: 30,
      until: '2026-04-03',
      expiring: 0,
    });
    expect(forecastOf(spent(['2026-03-21', 200]), [never(40)])).toMatchObject({ pace: 20, days: 10 });
  });

  it('does not take one list for daily spending', () => {
    expect(forecastOf(spent(['2026-03-30', 700]), [never(350)])).toEqual({
      pace: 100,
      days: 7,
      until: '2026-04-03',
      expiring: 0,
    });
  });

  it('spends what expires first, and does not count what expires unspent', () => {
    const grants = [never(20), { available: 50, expires_at: '2026-04-02T00:00:00.000Z' }];
    // Two days at 10 a day before the grant expires with 30, then two days from the other one.
    expect(forecastOf(spent(['2026-03-01', 300]), grants)).toEqual({
      pace: 10,
      days: 30,
      until: '2026-04-03',
      expiring: 30,
    });
  });

  it('ends at its horizon, and on the next day if nothing is left', () => {
    expect(forecastOf(spent(['2026-03-01', 30]), [never(366)])).toMatchObject({ until: undefined });
    expect(forecastOf(spent(['2026-03-01', 30]), [never(364)])).toMatchObject({ until: '2027-03-29' });
    expect(forecastOf(spent(['2026-03-01', 30]), [])).toMatchObject({ until: period.until, expiring: 0 });
  });
});
