/** A number from 0 (included) to 1 (excluded), as `Math.random` gives it. */
export type Random = () => number;

/** A whole number from 0 (included) to `bound` (excluded). */
export function randomBelow(random: Random, bound: number): number {
  return Math.min(bound - 1, Math.floor(random() * bound));
}

/** Fisher-Yates, on a copy. */
export function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  const rest = [...items];
  const result: Item[] = [];
  while (rest.length > 0) {
    result.push(...rest.splice(randomBelow(random, rest.length), 1));
  }
  return result;
}
