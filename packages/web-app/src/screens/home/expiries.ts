import type { Schema } from '../../api/client.ts';

type Grant = Pick<Schema['AccountBalance']['grants'][number], 'available' | 'expires_at'>;

/** Credits that expire together; null for never. */
export interface Expiry {
  readonly at: string | null;
  readonly credits: number;
}

/** Groups available credits by expiry day, the next day first; credits that never expire come last. */
export function expiriesOf(grants: readonly Grant[]): Expiry[] {
  const byDay = new Map<string | null, number>();
  for (const { available, expires_at: at } of grants) {
    if (available === 0) continue;
    const day = at === null ? null : at.slice(0, 10);
    byDay.set(day, (byDay.get(day) ?? 0) + available);
  }
  return [...byDay]
    .map(([at, credits]) => ({ at, credits }))
    .toSorted((one, other) => (one.at ?? '9999').localeCompare(other.at ?? '9999'));
}
