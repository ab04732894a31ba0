import { createHash } from 'node:crypto';

/** Returns numbers from 0 to below 1. */
export type Random = () => number;

/** Random numbers that depend only on the subject (mulberry32, seeded by SHA-256). */
export function randomOf(subject: string): Random {
  let state = createHash('sha256').update(subject).digest().readUInt32LE();
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function pick<Item>(items: readonly Item[], random: Random): Item {
  return items[Math.floor(random() * items.length)] as Item;
}

/** Picks early items more often, as names are distributed. */
export function pickEarly<Item>(items: readonly Item[], random: Random): Item {
  return items[Math.floor(random() ** 2 * items.length)] as Item;
}

/** Picks a name by weights that need not sum up to 1. */
export function pickWeighted<Name extends string>(
  weights: Readonly<Record<Name, { readonly value: number }>>,
  random: Random,
): Name {
  const entries = Object.entries(weights) as [Name, { value: number }][];
  let left = random() * entries.reduce((sum, [, { value }]) => sum + value, 0);
  for (const [name, { value }] of entries) {
    left -= value;
    if (left < 0) {
      return name;
    }
  }
  return (entries.at(-1) as [Name, unknown])[0];
}

export function between({ min, max }: { min: number; max: number }, random: Random): number {
  return min + Math.floor(random() * (max - min + 1));
}

/** Some of the items, each with the same chance. */
export function someOf<Item>(items: readonly Item[], chance: number, random: Random): Item[] {
  return items.filter(() => random() < chance);
}
