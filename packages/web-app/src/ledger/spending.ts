import type { Schema } from '../api/client.ts';
import { type Days, eachDay } from './period.ts';

type UsageDay = Schema['Usage']['days'][number];

/** One bar of a chart: a day, or seven days where there are many. */
export interface Bar {
  /** The first day. */
  readonly day: string;
  readonly spent: number;
  /** Credits by operation. */
  readonly parts: Readonly<Record<string, number>>;
}

/** More bars than this are too thin to be seen. */
const barsMax = 100;
const weekDays = 7;

/** Days that a bar stands for. */
export function barDays(days: Days): number {
  return eachDay(days).length > barsMax ? weekDays : 1;
}

/** A bar for every day or week, those without spending too. */
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

export interface OperationTotal {
  readonly operation: string;
  readonly spent: number;
}

/** What each operation spent, the most first. */
export function totalsOf(usage: readonly UsageDay[]): OperationTotal[] {
  const totals = new Map<string, number>();
  for (const { operation, spent } of usage) totals.set(operation, (totals.get(operation) ?? 0) + spent);
  return [...totals]
    .map(([operation, spent]) => ({ operation, spent }))
    .toSorted((one, other) => other.spent - one.spent || one.operation.localeCompare(other.operation));
}
