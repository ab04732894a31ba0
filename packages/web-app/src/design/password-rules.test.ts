import { describe, expect, it } from '@jest/globals';
import { newPasswordFault } from './password-rules.ts';

describe('a new password', () => {
  it.each([
    ['eleven char', 'This has 11 of at least 12 characters.'],
    ['twelve chars', undefined],
    ['x'.repeat(128), undefined],
    ['x'.repeat(129), 'This has 129 characters; 128 are the most.'],
    // Twelve characters that people see, of which each takes two units of UTF-16.
    ['😀'.repeat(12), undefined],
    // An e with its accent typed apart is one character.
    ['e\u0301'.repeat(6), 'This has 6 of at least 12 characters.'],
  ])('%s: %s', (password, fault) => {
    expect(newPasswordFault(password)).toBe(fault);
  });
});
