/** Periods that one can look at, and their days, today included. */
export const periods = {
  '7d': { label: 'Last 7 days', days: 7 },
  '30d': { label: 'Last 30 days', days: 30 },
  '90d': { label: 'Last 90 days', days: 90 },
  '365d': { label: 'Last 365 days', days: 365 },
} as const;

export type Period = keyof typeof periods;

export const periodDefault: Period = '30d';

const dayMs = 86_400_000;

/** A period that an address names, if it does. */
export function readPeriod(text: unknown): Period | undefined {
  return typeof text === 'string' && Object.hasOwn(periods, text) ? (text as Period) : undefined;
}

/** Days in UTC, as the API counts them; both count. */
export interface Days {
  readonly from: string;
  readonly until: string;
}

export function daysOf(period: Period, now: Date): Days {
  return { from: dayOf(now.getTime() - (periods[period].days - 1) * dayMs), until: dayOf(now.getTime()) };
}

/** The month so far. */
export function monthOf(now: Date): Days {
  const until = dayOf(now.getTime());
  return { from: `${until.slice(0, 7)}-01`, until };
}

/** The same as moments: from the first midnight, and before the one that follows the last day. */
export function momentsOf({ from, until }: Days): Days {
  return {
    from: `${from}T00:00:00.000Z`,
    until: new Date(Date.parse(until) + dayMs).toISOString(),
  };
}

/** Every day, first to last. */
export function eachDay({ from, until }: Days): string[] {
  const days: string[] = [];
  for (let atMs = Date.parse(from); atMs <= Date.parse(until); atMs += dayMs) days.push(dayOf(atMs));
  return days;
}

function dayOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}
