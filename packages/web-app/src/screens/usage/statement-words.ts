import type { Movements } from '@mailproof/shared-types';
import { formatNumber } from '../../design/format.ts';

/** The filters by kind of movement. */
export const movementsNames = {
  spending: 'Reserved, spent and returned',
  grants: 'Added and expired',
} as const satisfies Readonly<Record<Movements, string>>;

export function readMovements(text: unknown): Movements | undefined {
  return typeof text === 'string' && Object.hasOwn(movementsNames, text) ? (text as Movements) : undefined;
}

/** `+100`, `−5`, `0`; uses a minus sign that is as wide as the plus sign. */
export function signed(change: number): string {
  if (change === 0) return '0';
  return `${change > 0 ? '+' : '−'}${formatNumber(Math.abs(change))}`;
}
