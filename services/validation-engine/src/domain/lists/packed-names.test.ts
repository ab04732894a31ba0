import { expect, it } from '@jest/globals';
import { ascending, packNames } from './packed-names.ts';

it('finds each name, and nothing between, before or after them', () => {
  const names = ['b.example', 'a.example', 'ab.example', 'münchen.example', 'a.example', 'zz.example'];
  const packed = packNames(names);
  expect(names.filter(name => !packed.has(name))).toEqual([]);
  const others = ['', 'a', 'a.exampl', 'a.examplea', 'example', 'munchen.example', 'zzz.example', '0'];
  expect(others.filter(name => packed.has(name))).toEqual([]);
});

it.each([0, 1, 2, 3, 1_000])('finds all of %i names', count => {
  const names = Array.from({ length: count }, (_, index) => `name-${index * 7}.example`);
  const packed = packNames(names);
  expect(names.every(name => packed.has(name))).toBe(true);
  expect(packed.has('name-1.example')).toBe(false);
});

it('sorts names, drops repetitions, and returns an array that needs neither as it is', () => {
  const names = ['a.example', 'b.example', 'münchen.example'];
  expect(ascending(names)).toBe(names);
  expect(ascending(new Set(names))).toEqual(names);
  expect(ascending(['b.example', 'a.example', 'münchen.example', 'a.example'])).toEqual(names);
  expect(ascending(['a.example', 'a.example'])).toEqual(['a.example']);
  expect(ascending([])).toEqual([]);
});
