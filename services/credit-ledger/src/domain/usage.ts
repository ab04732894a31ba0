import type { AccountId } from '@mailproof/shared-types';

/** Days of UTC as `2026-03-01`; both count. */
export interface UsageDays {
  readonly from: string;
  readonly until: string;
}

/** Credits that one cause spent on one day. */
export interface DayOfUsage {
  readonly day: string;
  readonly cause: string;
  readonly spent: number;
}

/** Tells what an account spent, by day and cause. */
export type ReadUsage = (accountId: AccountId, days: UsageDays) => Promise<DayOfUsage[]>;

const dayMs = 86_400_000;

/** How many days a span has, both ends counted; none or fewer when it ends before it begins. */
export function daysIn({ from, until }: UsageDays): number {
  return (Date.parse(until) - Date.parse(from)) / dayMs + 1;
}
