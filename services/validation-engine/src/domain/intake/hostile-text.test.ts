import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { limits } from '@mailproof/shared-types';
import { addressOfCell } from './address-of-cell.ts';
import { splitEntries } from './open-list.ts';

/**
 * Text that is designed to keep its reader busy. Each of these takes milliseconds; with backtracking at every
 * character, they would block the process for minutes. The test aborts long before that.
 */
const brokenOffAfterMs = 20_000;

function inTime<Result>(work: () => Result): Result {
  return runInNewContext('work()', { work }, { timeout: brokenOffAfterMs }) as Result;
}

describe('a cell', () => {
  it.each([' ', '\t', '\u00a0', '\u200b'])(
    'with a gap of %j as long as a cell may be is read',
    space => {
      const gap = space.repeat(limits.cellCharactersMax - 2);
      const cells = Array.from({ length: 50 }, () => `a${gap}b`);
      expect(inTime(() => cells.every(cell => 'fault' in addressOfCell(cell)))).toBe(true);
      expect(addressOfCell(`${gap}ada@a.example${gap}`)).toMatchObject({
        address: { input: 'ada@a.example' },
      });
    },
    60_000,
  );

  it.each(['"', ',', '".', '\u200b', '"\u200b', '<', "';='"])(
    'of nothing but %j is read',
    unit => {
      const cell = unit.repeat(limits.cellCharactersMax / unit.length);
      const cells = Array.from({ length: 50 }, () => `${cell}a${cell}`);
      expect(inTime(() => cells.every(each => 'fault' in addressOfCell(each)))).toBe(true);
    },
    60_000,
  );
});

describe('a pasted line', () => {
  it.each(['<', 'a,', 'a,<', '",', '@,', '< "', ' ,', 'a@a.example<,'])(
    'of nothing but %j is parted',
    unit => {
      const line = unit.repeat(limits.rowBytesMax / unit.length);
      expect(
        inTime(() => splitEntries(line))
          .join(',')
          .includes('a'),
      ).toBe(unit.includes('a'));
    },
    60_000,
  );
});
