import { sampleOf, seededRandom } from './seeded-random.ts';
import type { SparseRows } from './sparse-rows.ts';
import { dotAt, normalize, rowProduct } from './vectors.ts';

/** The number of neighbors that move a company's vector; they are chosen among `nearMax` companies by words too. */
const neighborsMax = 10;
const nearMax = 30;
const wordShare = 0.7;

/**
 * With at most `comparedMax` companies, each is compared with every other; with more, only with those of the nearest
 * groups.
 */
const comparedMax = 6_000;
const groupsAsked = 8;
const groupComparedMax = 3_000;
const groupingSteps = 4;

/** A near company and its nearness. */
interface Near {
  readonly row: number;
  readonly nearness: number;
}

/** Keeps the nearest of all offered rows. */
export class NearestRows {
  readonly #rows: Int32Array;
  readonly #nearness: Float64Array;
  #length = 0;

  constructor(count: number = nearMax) {
    this.#rows = new Int32Array(count);
    this.#nearness = new Float64Array(count);
  }

  offer(row: number, nearness: number): void {
    let at = this.#length;
    if (at === this.#rows.length) {
      if (nearness <= (this.#nearness[at - 1] as number)) {
        return;
      }
      at--;
    } else {
      this.#length++;
    }
    while (at > 0 && (this.#nearness[at - 1] as number) < nearness) {
      this.#rows[at] = this.#rows[at - 1] as number;
      this.#nearness[at] = this.#nearness[at - 1] as number;
      at--;
    }
    this.#rows[at] = row;
    this.#nearness[at] = nearness;
  }

  list(): Near[] {
    return Array.from({ length: this.#length }, (_, at) => ({
      row: this.#rows[at] as number,
      nearness: this.#nearness[at] as number,
    }));
  }
}

/**
 * Moves a vector half-way to the centroid of its nearest neighbors, so that words used only by the neighbors count too.
 * Companies of one industry move together, which is the largest gain after the weights of words.
 */
export function movedToNeighbors(
  vector: Float32Array,
  near: readonly Near[],
  vectorOf: (row: number) => Float32Array,
): Float32Array {
  const middle = new Float32Array(vector.length);
  for (const { row, nearness } of near) {
    const other = vectorOf(row);
    for (let at = 0; at < middle.length; at++) {
      middle[at] = (middle[at] as number) + Math.max(0, nearness) * (other[at] as number);
    }
  }
  normalize(middle);
  return normalize(Float32Array.from(vector, (value, at) => value + (middle[at] as number)));
}

/** Chooses the nearest of the near ones by vectors and words together. */
export function chooseNeighbors(near: readonly Near[], wordNearness: (row: number) => number): Near[] {
  return near
    .map(({ row, nearness }) => ({ row, nearness: nearness + wordShare * wordNearness(row) }))
    .sort((a, b) => b.nearness - a.nearness || a.row - b.row)
    .slice(0, neighborsMax);
}

/** Moves the vectors of all companies of a model toward their neighbors. */
export function smoothVectors(
  vectors: Float32Array,
  rows: SparseRows,
  settings: { dimensions: number; seed: number; onProgress?: (done: number) => void },
): Float32Array {
  const { dimensions } = settings;
  const vectorOf = (row: number) => vectors.subarray(row * dimensions, (row + 1) * dimensions);
  const comparedWith = comparedRows(vectors, rows.length, settings);
  const smooth = new Float32Array(vectors.length);
  for (let row = 0; row < rows.length; row++) {
    const nearest = new NearestRows();
    const vector = vectorOf(row);
    for (const list of comparedWith(row)) {
      for (const other of list) {
        if (other !== row) {
          nearest.offer(other, dotAt(vector, vectors, other * dimensions));
        }
      }
    }
    const words = rows.row(row);
    const near = chooseNeighbors(nearest.list(), other => rowProduct(words, rows.row(other)));
    smooth.set(movedToNeighbors(vector, near, vectorOf), row * dimensions);
    if (row % 1_000 === 0) {
      settings.onProgress?.(row / rows.length);
    }
  }
  return smooth;
}

/** Returns the rows to compare a row with: all of them, or in a large store those of the nearest groups (k-means). */
function comparedRows(
  vectors: Float32Array,
  count: number,
  { dimensions, seed }: { dimensions: number; seed: number },
): (row: number) => Iterable<Int32Array> {
  if (count <= comparedMax) {
    const all = [Int32Array.from({ length: count }, (_, row) => row)];
    return () => all;
  }
  const vectorOf = (row: number) => vectors.subarray(row * dimensions, (row + 1) * dimensions);
  const centers = groupCenters(vectors, count, { dimensions, seed });
  const nearestGroups = (row: number, asked: number) => {
    const nearest = new NearestRows(asked);
    for (let group = 0; group * dimensions < centers.length; group++) {
      nearest.offer(group, dotAt(vectorOf(row), centers, group * dimensions));
    }
    return nearest.list().map(({ row: group }) => group);
  };
  const asked = Array.from({ length: count }, (_, row) => Int32Array.from(nearestGroups(row, groupsAsked)));
  const members: number[][] = Array.from({ length: centers.length / dimensions }, () => []);
  asked.forEach((groups, row) => {
    members[groups[0] as number]?.push(row);
  });
  const lists = members.map(list => Int32Array.from(list));
  return row => {
    const compared: Int32Array[] = [];
    let left = groupComparedMax;
    for (const group of asked[row] as Int32Array) {
      const list = (lists[group] as Int32Array).subarray(0, left);
      compared.push(list);
      left -= list.length;
    }
    return compared;
  };
}

function groupCenters(
  vectors: Float32Array,
  count: number,
  { dimensions, seed }: { dimensions: number; seed: number },
): Float32Array {
  const random = seededRandom(seed);
  const groups = Math.ceil(Math.sqrt(count));
  const sample = sampleOf(count, groups * 30, random);
  const vectorOf = (row: number) => vectors.subarray(row * dimensions, (row + 1) * dimensions);
  const centers = new Float32Array(groups * dimensions);
  sample.subarray(0, groups).forEach((row, group) => {
    centers.set(vectorOf(row), group * dimensions);
  });
  for (let step = 0; step < groupingSteps; step++) {
    const sums = new Float32Array(centers.length);
    for (const row of sample) {
      const nearest = new NearestRows(1);
      for (let group = 0; group < groups; group++) {
        nearest.offer(group, dotAt(vectorOf(row), centers, group * dimensions));
      }
      const start = (nearest.list()[0]?.row ?? 0) * dimensions;
      for (let at = 0; at < dimensions; at++) {
        sums[start + at] = (sums[start + at] as number) + (vectors[row * dimensions + at] as number);
      }
    }
    for (let group = 0; group < groups; group++) {
      const sum = sums.subarray(group * dimensions, (group + 1) * dimensions);
      if (sum.some(value => value !== 0)) {
        centers.set(normalize(sum), group * dimensions);
      }
    }
  }
  return centers;
}
