import { expect, it } from '@jest/globals';
import { wholeNumber } from './whole-number.ts';

it('reads numbers as people write them, and nothing else', () => {
  expect(['1,200', ' 1 200', '0042'].map(text => wholeNumber(text, 1_200))).toEqual([1_200, 1_200, 42]);
  expect(['', '0', '1201', '-5', '1.5', '1e3', '0x10'].map(text => wholeNumber(text, 1_200))).toEqual(
    Array(7).fill(undefined),
  );
});
