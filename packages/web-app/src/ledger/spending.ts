import type { Schema } from '../api/client.ts';

type UsageDay = Schema['Usage']['days'][number];

/** One bar of a chart: one day, or seven days in long periods. */
interface Bar {
  /** The first day. */
  readonly day: string;
  readonly spent: number;
  /** Credits by operation. */
  readonly parts: Readonly<Record<string, number>>;
}

/** The largest number of bars; more would be too thin to see. */
const barsMax = 100;
const weekDays = 7;

/** The number of days per bar. */
export function barDays(days: Days): number {
  return eachDay(days).length > barsMax ? weekDays : 1;
}

/** Returns a bar for every day or week, including those without spending. */
export function barsOf(usage: readonly UsageDay[], days: Days): Bar[] {
  const all = eachDay(days);
  const size = barDays(days);
  const bars: Bar[] = [];
  for (let at = 0; at < all.length; at += size) {
    const these = new Set(all.slice(at, at + size));
    const parts: Record<string, number> = {};
    for (const { day, operation, spent } of usage) {
      if (these.has(day)) parts[operation] = (parts[operation] ?? 0) + spent;
    }
    const spent = Object.values(parts).reduce((sum, part) => sum + part, 0);
    bars.push({ day: all[at] ?? '', spent, parts });
  }
  return bars;
}

interface OperationTotal {
  readonly operation: string;
  readonly spent: number;
}

/** Returns the credits that each operation spent, the largest first. */
export function totalsOf(usage: readonly UsageDay[]): OperationTotal[] {
  const totals = new Map<string, number>();
  for (const { operation, spent } of usage) totals.set(operation, (totals.get(operation) ?? 0) + spent);
  return [...totals]
    .map(([operation, spent]) => ({ operation, spent }))
    .toSorted((one, other) => other.spent - one.spent || one.operation.localeCompare(other.operation));
}

/** The periods to choose from, each with its number of days, including today. */
export const periods = {
  '7d': { label: 'Last 7 days', days: 7 },
  '30d': { label: 'Last 30 days', days: 30 },
  '90d': { label: 'Last 90 days', days: 90 },
  '365d': { label: 'Last 365 days', days: 365 },
} as const;

export type Period = keyof typeof periods;

export const periodDefault: Period = '30d';

const dayMs = 86_400_000;

/** Returns the period named in a URL, if there is one. */
export function readPeriod(text: unknown): Period | undefined {
  return typeof text === 'string' && Object.hasOwn(periods, text) ? (text as Period) : undefined;
}

/** A range of UTC days, as the API counts them; both ends are inclusive. */
interface Days {
  readonly from: string;
  readonly until: string;
}

export function daysOf(period: Period, now: Date): Days {
  return { from: dayOf(now.getTime() - (periods[period].days - 1) * dayMs), until: dayOf(now.getTime()) };
}

/** Returns the current month up to today. */
export function monthOf(now: Date): Days {
  const until = dayOf(now.getTime());
  return { from: `${until.slice(0, 7)}-01`, until };
}

/**
 * Converts the days to times: from midnight of the first day (inclusive) to the midnight after the last day
 * (exclusive).
 */
export function momentsOf({ from, until }: Days): Days {
  return {
    from: `${from}T00:00:00.000Z`,
    until: new Date(Date.parse(until) + dayMs).toISOString(),
  };
}

/** Lists every day from first to last. */
export function eachDay({ from, until }: Days): string[] {
  const days: string[] = [];
  for (let atMs = Date.parse(from); atMs <= Date.parse(until); atMs += dayMs) days.push(dayOf(atMs));
  return days;
}

function dayOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}
