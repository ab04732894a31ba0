/** An observed value with its outcome. */
export interface Observation {
  readonly value: number;
  readonly outcome: number;
  readonly weight: number;
}

/** A rising function of line segments through points. */
export interface RisingLine {
  readonly values: readonly number[];
  readonly outcomes: readonly number[];
}

const cellsMax = 400;

/**
 * Fits the best rising line: isotonic regression by pooling adjacent violators (Ayer et al. 1955). Observations are
 * first grouped into cells of equal weight, so that no point depends on a handful of them.
 */
export function fitRisingLine(observations: readonly Observation[]): RisingLine {
  const blocks = poolViolators(cellsOf(observations));
  return {
    values: blocks.map(({ value }) => value),
    outcomes: blocks.map(({ outcome }) => outcome),
  };
}

/** Returns the line's outcome at a value; constant beyond its ends, linear between its points. */
export function lineAt({ values, outcomes }: RisingLine, value: number): number {
  let low = 0;
  let high = values.length - 1;
  if (high < 0) {
    return 0;
  }
  if (value <= (values[0] as number)) {
    return outcomes[0] as number;
  }
  if (value >= (values[high] as number)) {
    return outcomes[high] as number;
  }
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((values[middle] as number) <= value) {
      low = middle;
    } else {
      high = middle;
    }
  }
  const from = values[low] as number;
  const share = (value - from) / ((values[high] as number) - from);
  const [below, above] = [outcomes[low] as number, outcomes[high] as number];
  // Rounding must not raise an outcome above that of the next point: the line would fall there.
  return Math.min(above, below + share * (above - below));
}

/** Returns the nearest non-increasing sequence, with the same sum. */
export function fallingFit(numbers: ArrayLike<number>): Float64Array {
  const fitted = new Float64Array(numbers.length);
  const means = new Float64Array(numbers.length);
  const counts = new Int32Array(numbers.length);
  let blocks = 0;
  for (let at = 0; at < numbers.length; at++) {
    means[blocks] = numbers[at] as number;
    counts[blocks] = 1;
    blocks++;
    while (blocks > 1 && (means[blocks - 2] as number) < (means[blocks - 1] as number)) {
      const left = counts[blocks - 2] as number;
      const right = counts[blocks - 1] as number;
      means[blocks - 2] =
        ((means[blocks - 2] as number) * left + (means[blocks - 1] as number) * right) / (left + right);
      counts[blocks - 2] = left + right;
      blocks--;
    }
  }
  let start = 0;
  for (let block = 0; block < blocks; block++) {
    const end = start + (counts[block] as number);
    fitted.fill(means[block] as number, start, end);
    start = end;
  }
  return fitted;
}

function cellsOf(observations: readonly Observation[]): Observation[] {
  const sorted = [...observations].sort((a, b) => a.value - b.value);
  const whole = sorted.reduce((sum, { weight }) => sum + weight, 0);
  // Half of the cells are limited by weight and half by count: strong matches are few and have little weight.
  const weightMax = (2 * whole) / cellsMax;
  const countMax = Math.ceil((2 * sorted.length) / cellsMax);
  const cells: Observation[] = [];
  let members: Observation[] = [];
  let weight = 0;
  for (const observation of sorted) {
    members.push(observation);
    weight += observation.weight;
    if (weight >= weightMax || members.length >= countMax) {
      cells.push(joined(members));
      members = [];
      weight = 0;
    }
  }
  return members.length > 0 ? [...cells, joined(members)] : cells;
}

function poolViolators(cells: readonly Observation[]): Observation[] {
  const blocks: Observation[] = [];
  for (const cell of cells) {
    let block = cell;
    let last = blocks.at(-1);
    while (last !== undefined && last.outcome >= block.outcome) {
      block = joined([last, block]);
      blocks.pop();
      last = blocks.at(-1);
    }
    blocks.push(block);
  }
  return blocks;
}

function joined(observations: readonly Observation[]): Observation {
  let weight = 0;
  let value = 0;
  let outcome = 0;
  for (const each of observations) {
    weight += each.weight;
    value += each.weight * each.value;
    outcome += each.weight * each.outcome;
  }
  return { weight, value: value / weight, outcome: outcome / weight };
}
