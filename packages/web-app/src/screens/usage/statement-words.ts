import type { Movements } from '@mailproof/shared-types';
import { formatNumber } from '../../design/format.ts';

/** Which movements are looked at, where not all are. */
export const movementsNames = {
  spending: 'Set aside, spent and returned',
  grants: 'Added and expired',
} as const satisfies Readonly<Record<Movements, string>>;

export function readMovements(text: unknown): Movements | undefined {
  return typeof text === 'string' && Object.hasOwn(movementsNames, text) ? (text as Movements) : undefined;
}

/** `+100`, `−5`, `0`; with a minus that is as wide as a plus. */
export function signed(change: number): string {
  if (change === 0) return '0';
  return `${change > 0 ? '+' : '−'}${formatNumber(Math.abs(change))}`;
}
