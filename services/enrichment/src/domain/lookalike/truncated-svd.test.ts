import { describe, expect, it } from '@jest/globals';
import { normalNumbers, seededRandom } from './seeded-random.ts';
import { SparseRows } from './sparse-rows.ts';
import { fitProjection } from './truncated-svd.ts';

const columns = 40;
const dimensions = 3;
const settings = { columns, dimensions, rowsMax: 1_000, seed: 1 };

/** Rows in three directions plus a little noise, and the strength of each direction. */
function rowsOfThreeDirections(): SparseRows {
  const normal = normalNumbers(seededRandom(2));
  const directions = [0, 1, 2].map(() => Array.from({ length: columns }, normal));
  const rows = new SparseRows();
  for (let row = 0; row < 200; row++) {
    const shares = [9 * normal(), 6 * normal(), 3 * normal()];
    const values = Array.from({ length: columns }, (_, column) =>
      shares.reduce((sum, share, at) => sum + share * (directions[at]?.[column] ?? 0), 0.01 * normal()),
    );
    rows.append([...values.keys()], values);
  }
  return rows;
}

describe('the projection', () => {
  const rows = rowsOfThreeDirections();
  const projection = fitProjection(rows, settings);
  const direction = (at: number) =>
    Array.from({ length: columns }, (_, row) => projection[row * dimensions + at] ?? 0);
  const product = (a: readonly number[], b: readonly number[]) =>
    a.reduce((sum, each, at) => sum + each * (b[at] ?? 0), 0);

  it('has directions of length 1 at right angles', () => {
    for (const a of [0, 1, 2]) {
      for (const b of [0, 1, 2]) {
        expect(product(direction(a), direction(b))).toBeCloseTo(a === b ? 1 : 0, 4);
      }
    }
  });

  it('keeps all of rows that lie in so few directions, the strongest direction first', () => {
    const energies = [0, 0, 0];
    let all = 0;
    for (let row = 0; row < rows.length; row++) {
      const values = [...rows.row(row).values];
      all += product(values, values);
      for (const at of [0, 1, 2]) {
        energies[at] = (energies[at] ?? 0) + product(values, direction(at)) ** 2;
      }
    }
    expect(energies.reduce((sum, each) => sum + each, 0) / all).toBeGreaterThan(0.9999);
    expect(energies).toEqual([...energies].sort((a, b) => b - a));
  });

  it('is the same every time', () => {
    expect(fitProjection(rows, settings)).toEqual(projection);
  });
});
