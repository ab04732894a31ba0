import type { Admitted } from './in-flight.ts';

/** Runs work of a key when it is the key's turn, unless too much of that key runs or waits already. */
export type TakeTurn = <Result>(key: string, work: () => Promise<Result>) => Promise<Admitted<Result>>;

/**
 * @param take runs work in the order of its turns, without a bound
 * @param perKeyMax how much work of one key may run and wait
 */
export function createBoundedTurns(
  take: <Result>(key: string, work: () => Promise<Result>) => Promise<Result>,
  perKeyMax: number,
): TakeTurn {
  const admitted = new Map<string, number>();
  return async (key, work) => {
    const others = admitted.get(key) ?? 0;
    if (others >= perKeyMax) {
      return { kind: 'turned_away' };
    }
    admitted.set(key, others + 1);
    try {
      return { kind: 'done', result: await take(key, work) };
    } finally {
      const left = (admitted.get(key) ?? 1) - 1;
      if (left > 0) admitted.set(key, left);
      else admitted.delete(key);
    }
  };
}
