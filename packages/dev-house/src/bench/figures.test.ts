import { describe, expect, it } from '@jest/globals';
import { median, quantile } from './figures.ts';

describe('the median', () => {
  it('is the middle figure, or the mean of both middle ones', () => {
    expect(median([3, 100, 1])).toBe(3);
    expect(median([10, 1, 4, 2])).toBe(3);
    expect(median([])).toBeNaN();
  });
});

describe('a quantile', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);

  it.each([
    [0, 1],
    [0.5, 50],
    [0.95, 95],
    [0.99, 99],
    [0.991, 100],
    [1, 100],
  ])('of %d of 100 figures is the one of that rank', (share, figure) => {
    expect(quantile(hundred, share)).toBe(figure);
  });

  it('of a single figure is that figure, and of none is no number', () => {
    expect(quantile([7], 0.01)).toBe(7);
    expect(quantile([], 0.5)).toBeNaN();
  });
});
