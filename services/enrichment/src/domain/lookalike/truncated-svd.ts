import { EigenvalueDecomposition, Matrix } from 'ml-matrix';
import { normalNumbers, sampleOf, seededRandom } from './seeded-random.ts';
import type { SparseRows } from './sparse-rows.ts';

/** Extra directions make the kept ones exact (Halko, Martinsson and Tropp 2011, section 4.3). */
const spareDirections = 20;
const powerSteps = 3;

export interface ProjectionSettings {
  /** The number of columns of the rows. */
  readonly columns: number;
  readonly dimensions: number;
  /** If there are more rows than this, a sample represents them, which bounds time and memory. */
  readonly rowsMax: number;
  readonly seed: number;
  readonly onProgress?: (done: number) => void;
}

/**
 * Computes the directions of greatest variation: latent semantic analysis (Deerwester et al. 1990) by a randomized
 * singular value decomposition. Returns the right singular vectors, `columns` × `dimensions`, in row-major order:
 * multiplying a row by them gives its vector, for existing and new rows alike.
 */
export function fitProjection(rows: SparseRows, settings: ProjectionSettings): Float32Array {
  const random = seededRandom(settings.seed);
  const sample = sampleOf(rows.length, settings.rowsMax, random).sort();
  const width = Math.min(settings.dimensions + spareDirections, settings.columns, sample.length);
  const normal = normalNumbers(random);
  let basis = Float64Array.from({ length: settings.columns * width }, normal);
  let products = basis;
  for (let step = 0; step <= powerSteps; step++) {
    // In intermediate steps directions need only be kept apart; the last ones must be exact.
    orthonormalize(basis, width, step === powerSteps ? 2 : 1);
    products = timesBothWays(rows, sample, basis, width);
    if (step < powerSteps) {
      basis = products;
    }
    settings.onProgress?.((step + 1) / (powerSteps + 1));
  }
  return leadingDirections(basis, products, width, settings);
}

/** Computes the exact directions within the subspace, from a small symmetric matrix. */
function leadingDirections(
  basis: Float64Array,
  products: Float64Array,
  width: number,
  { columns, dimensions }: ProjectionSettings,
): Float32Array {
  const small = gram(basis, products, width);
  const { eigenvectorMatrix, realEigenvalues } = new EigenvalueDecomposition(new Matrix(small), {
    assumeSymmetric: true,
  });
  const order = realEigenvalues
    .map((value, index) => ({ value, index }))
    .sort((a, b) => b.value - a.value)
    .slice(0, dimensions)
    .map(({ index }) => index);
  const turn = eigenvectorMatrix.to2DArray().map(row => Float64Array.from(order, at => row[at] as number));
  const projection = new Float32Array(columns * dimensions);
  const sum = new Float64Array(dimensions);
  for (let column = 0; column < columns; column++) {
    sum.fill(0);
    for (let at = 0; at < width; at++) {
      addScaled(sum, 0, turn[at] as Float64Array, 0, order.length, basis[column * width + at] as number);
    }
    projection.set(sum, column * dimensions);
  }
  return projection;
}

/** Multiplies AᵀA by the basis, one row of A at a time; never builds a dense matrix of the rows. */
function timesBothWays(
  rows: SparseRows,
  sample: Int32Array,
  basis: Float64Array,
  width: number,
): Float64Array<ArrayBuffer> {
  const products = new Float64Array(basis.length);
  const image = new Float64Array(width);
  for (const index of sample) {
    const { columns, values } = rows.row(index);
    image.fill(0);
    for (let at = 0; at < columns.length; at++) {
      addScaled(image, 0, basis, (columns[at] as number) * width, width, values[at] as number);
    }
    for (let at = 0; at < columns.length; at++) {
      addScaled(products, (columns[at] as number) * width, image, 0, width, values[at] as number);
    }
  }
  return products;
}

/** Orthonormalizes the columns of a tall matrix in place: Cholesky of its Gram matrix, twice for exactness. */
function orthonormalize(tall: Float64Array, width: number, passes: number): void {
  for (let pass = 0; pass < passes; pass++) {
    const lower = cholesky(gram(tall, tall, width));
    for (let start = 0; start < tall.length; start += width) {
      for (let at = 0; at < width; at++) {
        const row = lower[at] as Float64Array;
        let value = tall[start + at] as number;
        for (let before = 0; before < at; before++) {
          value -= (row[before] as number) * (tall[start + before] as number);
        }
        tall[start + at] = value * (row[at] as number);
      }
    }
  }
}

/** Leftᵀ × right of two tall matrices. */
function gram(left: Float64Array, right: Float64Array, width: number): Float64Array[] {
  const products = Array.from({ length: width }, () => new Float64Array(width));
  for (let start = 0; start < left.length; start += width) {
    for (let at = 0; at < width; at++) {
      const factor = left[start + at] as number;
      if (factor !== 0) {
        addScaled(products[at] as Float64Array, 0, right, start, width, factor);
      }
    }
  }
  return products;
}

/** Returns the lower factor, with the diagonal inverted. A linearly dependent direction is dropped: it becomes zero. */
function cholesky(symmetric: readonly Float64Array[]): Float64Array[] {
  const width = symmetric.length;
  const lower = symmetric.map(() => new Float64Array(width));
  for (let at = 0; at < width; at++) {
    const row = lower[at] as Float64Array;
    const source = symmetric[at] as Float64Array;
    for (let before = 0; before < at; before++) {
      const other = lower[before] as Float64Array;
      row[before] = ((source[before] as number) - dot(row, other, before)) * (other[before] as number);
    }
    const rest = (source[at] as number) - dot(row, row, at);
    row[at] = rest > 1e-12 * (source[at] as number) && rest > 0 ? 1 / Math.sqrt(rest) : 0;
  }
  return lower;
}

function dot(a: Float64Array, b: Float64Array, length: number): number {
  let sum = 0;
  for (let at = 0; at < length; at++) {
    sum += (a[at] as number) * (b[at] as number);
  }
  return sum;
}

function addScaled(
  target: Float64Array,
  targetStart: number,
  source: Float64Array,
  sourceStart: number,
  length: number,
  factor: number,
): void {
  for (let at = 0; at < length; at++) {
    target[targetStart + at] =
      (target[targetStart + at] as number) + factor * (source[sourceStart + at] as number);
  }
}
