import type { Schema } from '../api/client.ts';
import { eachDay } from './spending.ts';

type Grant = Pick<Schema['AccountBalance']['grants'][number], 'available' | 'expires_at'>;
type Usage = Pick<Schema['Usage'], 'from' | 'until' | 'days'>;

/** How long the available credits last if spending continues at the pace of the last days, without new credits. */
export interface Forecast {
  /** Credits a day. */
  readonly pace: number;
  /** The days over which the pace is an average. */
  readonly days: number;
  /** The last day, in UTC, on which there are credits; undefined if they last longer than the horizon. */
  readonly until: string | undefined;
  /** Credits that expire unspent before that, or within the horizon. */
  readonly expiring: number;
}

/** A pace over fewer days says little: one list would look like daily spending. */
const paceDaysMin = 7;
/** How far a forecast looks. */
const horizonDays = 365;
const dayMs = 86_400_000;

/**
 * Returns the forecast; undefined if nothing was spent in the period, because then there is no pace. The pace is the
 * average since the first spending of the period. Credits are spent in the order of their expiry, as the ledger spends
 * them; credits of work in progress are not included.
 */
export function forecastOf(usage: Usage, grants: readonly Grant[]): Forecast | undefined {
  const spentOf = new Map<string, number>();
  for (const { day, spent } of usage.days) spentOf.set(day, (spentOf.get(day) ?? 0) + spent);
  const first = firstOf(spentOf);
  const days = eachDay(usage).filter(day => day >= first).length;
  const spent = [...spentOf.values()].reduce((sum, each) => sum + each, 0);
  if (spent === 0) return undefined;
  const over = Math.max(paceDaysMin, days);
  return { pace: spent / over, days: over, ...spendingOf(spent / over, usage.until, grants) };
}

/** The first day with spending. */
function firstOf(spentOf: ReadonlyMap<string, number>): string {
  return [...spentOf].reduce((day, [each, spent]) => (spent > 0 && each < day ? each : day), '9999-12-31');
}

/** Spends at a pace from the day after `today`. */
function spendingOf(pace: number, today: string, grants: readonly Grant[]) {
  let left = grants
    .filter(({ available }) => available > 0)
    .map(({ available, expires_at: expiresAt }) => ({
      available,
      expiresAtMs: expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt),
    }))
    .toSorted((one, other) => one.expiresAtMs - other.expiresAtMs);
  if (left.length === 0) return { until: today, expiring: 0 };
  let expiring = 0;
  for (let day = 1; day <= horizonDays; day += 1) {
    const atMs = Date.parse(today) + day * dayMs;
    expiring += left
      .filter(({ expiresAtMs }) => expiresAtMs <= atMs)
      .reduce((sum, each) => sum + each.available, 0);
    left = left.filter(({ expiresAtMs }) => expiresAtMs > atMs);
    let due = pace;
    for (const grant of left) {
      const taken = Math.min(due, grant.available);
      grant.available -= taken;
      due -= taken;
    }
    // Sums of fractions are not exact; less than a credit cannot be spent.
    if (due > 1e-6 || left.reduce((sum, { available }) => sum + available, 0) < 1e-6) {
      return { until: new Date(atMs).toISOString().slice(0, 10), expiring: Math.floor(expiring + 1e-6) };
    }
  }
  return { until: undefined, expiring: Math.floor(expiring + 1e-6) };
}
