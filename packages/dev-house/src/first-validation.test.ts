import { expect, test } from '@jest/globals';
import { firstAddress } from './first-validation.ts';

test('asks about nobody in the real internet unless told to', () => {
  expect(firstAddress(true, {})).toBe('ada@ordinary.example');
  expect(firstAddress(false, {})).toBeUndefined();
  expect(firstAddress(false, { MAILPROOF_FIRST_ADDRESS: 'me@mine.example' })).toBe('me@mine.example');
});
