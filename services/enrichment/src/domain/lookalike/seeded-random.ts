/**
 * A pseudorandom generator of numbers in [0, 1) that are the same for the same seed (Mulberry32). Models and
 * measurements must be equal on every machine.
 */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Generates normally distributed numbers (Box and Muller 1958). */
export function normalNumbers(random: () => number): () => number {
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Returns `count` distinct integers below `size`, in random order; all of them if there are fewer. */
export function sampleOf(size: number, count: number, random: () => number): Int32Array {
  const numbers = Int32Array.from({ length: size }, (_, index) => index);
  const taken = Math.min(size, count);
  for (let index = 0; index < taken; index++) {
    const other = index + Math.floor(random() * (size - index));
    const kept = numbers[index] as number;
    numbers[index] = numbers[other] as number;
    numbers[other] = kept;
  }
  return numbers.slice(0, taken);
}
