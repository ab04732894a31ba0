import { expect, test } from '@jest/globals';
import { isAskable } from './query.ts';

const label63 = 'a'.repeat(63);

test.each([
  'a.example',
  'A.Example.',
  '_dmarc.a.example',
  'xn--bcher-kva.example',
  `${label63}.example`,
  `${`${label63}.`.repeat(3)}${'a'.repeat(61)}`,
])('%s can be asked about', name => {
  expect(isAskable(name)).toBe(true);
});

test.each([
  '',
  '.',
  'a..example',
  '.example',
  'a.example..',
  `${label63}a.example`,
  `${`${label63}.`.repeat(3)}${'a'.repeat(62)}`,
  'bücher.example',
  'a b.example',
  'a\\046b.example',
  'a.example\n',
])('%j cannot be asked about', name => {
  expect(isAskable(name)).toBe(false);
});
