/**
 * Numbers that look random and are the same for the same seed (Mulberry32), in [0, 1). Models and measurements must
 * come out equal wherever they are made.
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

/** Normally distributed numbers (Box and Muller 1958). */
export function normalNumbers(random: () => number): () => number {
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** `count` different whole numbers below `size`, in random order; all of them where there are fewer. */
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
