import { describe, expect, it } from '@jest/globals';
import { newPasswordFault, wholeNumber } from './field-rules.ts';

describe('a new password', () => {
  it.each([
    ['eleven char', 'Too short: 11 of at least 12 characters.'],
    ['twelve chars', undefined],
    ['x'.repeat(128), undefined],
    ['x'.repeat(129), 'Too long: 129 characters; the limit is 128.'],
    // Twelve visible characters of two UTF-16 code units each.
    ['😀'.repeat(12), undefined],
    // An e with a separate combining accent is one character.
    ['e\u0301'.repeat(6), 'Too short: 6 of at least 12 characters.'],
  ])('%s: %s', (password, fault) => {
    expect(newPasswordFault(password)).toBe(fault);
  });
});

it('reads numbers as people write them, and nothing else', () => {
  expect(['1,200', ' 1 200', '0042'].map(text => wholeNumber(text, 1_200))).toEqual([1_200, 1_200, 42]);
  expect(['', '0', '1201', '-5', '1.5', '1e3', '0x10'].map(text => wholeNumber(text, 1_200))).toEqual(
    Array(7).fill(undefined),
  );
});
