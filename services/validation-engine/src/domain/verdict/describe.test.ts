import { expect, test } from '@jest/globals';
import { emailOf } from '../testing/fakes.ts';
import { suggestAddress } from './describe.ts';

test.each([
  ['Ada.L@gmial.com', 'Ada.L@gmail.com'],
  ['ada@hotmial.com', 'ada@hotmail.com'],
  ['ada@yaho.com', 'ada@yahoo.com'],
  ['"a b"@outlok.com', '"a b"@outlook.com'],
])('%s was probably meant as %s', (written, meant) => {
  expect(suggestAddress(emailOf(written))).toBe(meant);
});

test.each(['ada@gmail.com', 'ada@ordinary.example', 'ada@web.de', 'ada@[192.0.2.1]'])(
  '%s is left as it is',
  written => {
    expect(suggestAddress(emailOf(written))).toBeUndefined();
  },
);
