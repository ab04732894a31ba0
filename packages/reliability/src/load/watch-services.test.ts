import { describe, expect, it } from '@jest/globals';
import { slopeOf } from './watch-services.ts';

describe('the slope', () => {
  it('of points on a line is that of the line', () => {
    expect(
      slopeOf([
        [1, 5],
        [2, 7],
        [4, 11],
      ]),
    ).toBeCloseTo(2);
  });

  it('of a saw that ends where it began is near none', () => {
    const saw = Array.from({ length: 100 }, (_, at) => [at, at % 10] as const);
    expect(Math.abs(slopeOf(saw))).toBeLessThan(0.02);
  });

  it('of a single point is none', () => {
    expect(slopeOf([[3, 4]])).toBe(0);
  });
});
