/** A source of numbers that gives the same ones for the same seed, on every machine. Good for variety, not for secrets. */
export interface SeededRandom {
  /** From 0, without 1. */
  next(): number;
  /** A whole number from 0, below `end`. */
  below(end: number): number;
  pick<Item>(items: readonly [Item, ...Item[]]): Item;
  /** Of items with weights, the heavier ones more often. */
  pickWeighted<Item extends { readonly weight: number }>(items: readonly [Item, ...Item[]]): Item;
  /** Different items, in the order of the list. */
  some<Item>(items: readonly Item[], count: number): Item[];
  happens(probability: number): boolean;
}

/**
 * Each record has a source of its own, made of the seed and the record's place, so that any record can be made without
 * those before it. The numbers are of the generator sfc32 (Chris Doty-Humphrey, PractRand), which passes the usual tests
 * and needs no big integers.
 */
export function seededRandom(seed: number, stream: number, index: number): SeededRandom {
  let a = seed | 0;
  let b = stream | 0;
  let c = index | 0;
  let counter = (Math.floor(index / 2 ** 32) + 1) | 0;
  function next32(): number {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return sum >>> 0;
  }
  // Neighbouring seeds begin alike; they have parted by then.
  for (let round = 0; round < 15; round += 1) {
    next32();
  }
  const next = (): number => next32() / 2 ** 32;
  const below = (end: number): number => Math.floor(next() * end);
  return {
    next,
    below,
    pick: items => items[below(items.length)] ?? items[0],
    pickWeighted(items) {
      let rest = next() * items.reduce((sum, { weight }) => sum + weight, 0);
      for (const item of items) {
        rest -= item.weight;
        if (rest < 0) {
          return item;
        }
      }
      return items[0];
    },
    some(items, count) {
      let wanted = Math.min(count, items.length);
      return items.filter((_, place) => {
        const isTaken = next() * (items.length - place) < wanted;
        wanted -= isTaken ? 1 : 0;
        return isTaken;
      });
    },
    happens: probability => next() < probability,
  };
}
