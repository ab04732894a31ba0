import { describe, expect, test } from '@jest/globals';
import { namePatterns } from '@mailproof/shared-types/local-parts';
import fc from 'fast-check';
import { patternClasses } from '../outcomes/pattern-class.ts';
import { confirmedPatterns, type PatternCount } from './domain-patterns.ts';

const count = (pattern: PatternCount['pattern'], good: number, bad = 0): PatternCount => ({
  pattern,
  good,
  bad,
});

describe('the patterns of a domain', () => {
  test.each<readonly [string, readonly string[], readonly PatternCount[]]>([
    ['a shape that is almost always one pattern', ['first.last'], [count('word.word', 2)]],
    ['one address', [], [count('word.word', 1)]],
    ['addresses that often bounce', [], [count('word.word', 3, 2)]],
    ['a single word, which may be any of several patterns', [], [count('word', 50)]],
    ['a single word and names that tell', ['flast'], [count('flast', 4), count('word', 20)]],
    ['names alone', ['flast'], [count('flast', 3)]],
    ['the last name first, as names tell', ['last.first'], [count('last.first', 8), count('word.word', 5)]],
    ['two patterns', ['first.last', 'f.last'], [count('word.word', 4), count('initial.word', 3)]],
    ['a pattern and an exception', ['first.last'], [count('word.word', 20), count('initial.word', 2)]],
    ['roles and numbers', [], [count('role', 9), count('name_and_number', 9), count('initials', 9)]],
    ['no address', [], []],
  ])('%s: %j', (_name, expected, counts) => {
    expect([...confirmedPatterns(counts)].sort()).toEqual([...expected].sort());
  });

  test('are never confirmed without two good addresses', () => {
    const counts = fc.array(
      fc.record({
        pattern: fc.constantFrom(...namePatterns, ...patternClasses),
        good: fc.constantFrom(0, 0, 0, 1),
        bad: fc.nat(5),
      }),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(counts, given => {
        const good = given.reduce((sum, each) => sum + each.good, 0);
        expect(good < 2 ? confirmedPatterns(given).size : 0).toBe(0);
      }),
    );
  });
});
