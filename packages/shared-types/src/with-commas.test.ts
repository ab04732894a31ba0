import { expect, it } from '@jest/globals';
import { withCommas } from './with-commas.ts';

it.each([0, 7, 999, 1_000, 12_345, 999_999, 1_000_000, 1_234_567_890, -999, -1_000, -123_456])(
  'writes %d as English text does',
  count => {
    expect(withCommas(count)).toBe(count.toLocaleString('en'));
  },
);
