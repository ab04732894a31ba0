import type { SparseRow } from './sparse-rows.ts';

/** Returns the vector of a company in a model's space, of length 1; all zeros if none of its words is known. */
export function project(row: SparseRow, projection: Float32Array, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  for (let at = 0; at < row.columns.length; at++) {
    const start = (row.columns[at] as number) * dimensions;
    const value = row.values[at] as number;
    for (let dimension = 0; dimension < dimensions; dimension++) {
      vector[dimension] = (vector[dimension] as number) + value * (projection[start + dimension] as number);
    }
  }
  return normalize(vector);
}

/** Scales a vector to length 1 in place. */
export function normalize(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) {
    squares += value * value;
  }
  const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0;
  for (let at = 0; at < vector.length; at++) {
    vector[at] = (vector[at] as number) * scale;
  }
  return vector;
}

/** Returns the dot product of a vector and one of many concatenated vectors. */
export function dotAt(vector: Float32Array, many: Float32Array, start: number): number {
  // Four sums let the CPU compute four products at once.
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let at = 0;
  for (; at + 3 < vector.length; at += 4) {
    a += (vector[at] as number) * (many[start + at] as number);
    b += (vector[at + 1] as number) * (many[start + at + 1] as number);
    c += (vector[at + 2] as number) * (many[start + at + 2] as number);
    d += (vector[at + 3] as number) * (many[start + at + 3] as number);
  }
  for (; at < vector.length; at++) {
    a += (vector[at] as number) * (many[start + at] as number);
  }
  return a + b + c + d;
}

/** Returns the dot product of two sparse rows. */
export function rowProduct(a: SparseRow, b: SparseRow): number {
  let sum = 0;
  let i = 0;
  let j = 0;
  while (i < a.columns.length && j < b.columns.length) {
    const difference = (a.columns[i] as number) - (b.columns[j] as number);
    if (difference === 0) {
      sum += (a.values[i] as number) * (b.values[j] as number);
    }
    if (difference <= 0) {
      i++;
    }
    if (difference >= 0) {
      j++;
    }
  }
  return sum;
}
