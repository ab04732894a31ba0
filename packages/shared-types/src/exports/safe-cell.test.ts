import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { safeCell, withoutGuards } from './safe-cell.ts';

describe('a cell of a file', () => {
  it.each([
    '=1+1',
    "=cmd|' /C calc'!A0",
    "+cmd|' /C calc'!A0",
    "-2+3+cmd|' /C calc'!A0",
    '@SUM(A1:A9)',
    '\rtext',
    '\ntext',
    '  =HYPERLINK("https://attacker.example/")',
    '\u00a0=1',
    '\ufeff=1',
    '\u200b@SUM(1)',
    '\uff1dSUM(A1)',
    '\uff0b1+cmd',
    '\uff0dcmd',
    '\uff20SUM(A1)',
    '\ufe66SUM(A1)',
    '\u2212cmd',
    '+1+A1',
    '-1-A1',
    '-5*2',
    '+49*3',
    '-5=2',
    '--cmd',
    '+',
    '=',
    '-plus@ordinary.example',
  ])('that begins like a formula, %j, begins with an apostrophe', text => {
    expect(safeCell(text)).toBe(`'${text}`);
  });

  it.each([
    ['a;=1+1', "a;'=1+1"],
    ['a,=1+1', "a,'=1+1"],
    ['a|=1+1', "a|'=1+1"],
    ['a\t=1+1', "a\t'=1+1"],
    ['a\n=1+1', "a\n'=1+1"],
    ['a\r\n@SUM(1)', "a\r\n'@SUM(1)"],
    ['a; =1+1', "a;' =1+1"],
    ['a;"=1+1"', `a;'"=1+1"`],
    ['"=1+1"', `'"=1+1"`],
    ['a;\uff1d1+1', "a;'\uff1d1+1"],
    ['a;+cmd;-cmd', "a;'+cmd;'-cmd"],
    ['\t=1+1', "'\t'=1+1"],
    ['=1;=2', "'=1;'=2"],
    ['1;-5', "1;'-5"],
    ["a;-5|cmd' /C calc'!A0", "a;'-5|cmd' /C calc'!A0"],
    ['+49 30 1; +49 30 2', "'+49 30 1;' +49 30 2"],
    ['- one\n- two', "'- one\n'- two"],
  ])('that a program can split, %j, is %j', (text, safe) => {
    expect(safeCell(text)).toBe(safe);
    expect(safeCell(safe)).toBe(safe);
    expect(withoutGuards(safe)).toBe(text);
  });

  it.each([
    '-5',
    'a,b;c|d',
    'a;b=c',
    'a - b, c',
    '-5.25',
    '-1.234,56',
    "-1'234.5",
    '-12.5 %'.replace(' ', ''),
    '-1e9',
    '+49',
    '+49 30 901820',
    '+49-30-901820',
    '+49 (0)30 / 90 18 20',
    '+1 555.0100',
    '-',
    '--',
    '\u22125',
    '007',
    '00123456789012345678',
    'ada@ordinary.example',
    '1=1',
    'a\tb',
    '',
    "'quoted",
    '1-2',
  ])('of people’s data, %j, stays as it is', text => {
    expect(safeCell(text)).toBe(text);
  });

  it('says numbers and truths as they are, and nothing as nothing', () => {
    expect([-5, 0.5, true, false, null].map(safeCell)).toEqual(['-5', '0.5', 'true', 'false', '']);
  });

  it('has an apostrophe in front of each formula, changes no more the second time, and can be read back', () => {
    const text = fc.string({ unit: fc.constantFrom(...'=+-@\t\r\n 0a(,;|.A1:"\'\uff1d\uff20') });
    fc.assert(
      fc.property(text, given => {
        const cell = safeCell(given);
        expect(safeCell(cell)).toBe(cell);
        for (const part of cell.split(/[,;|\t\r\n]/)) {
          expect(/^[\s"]*[=+\-@\uff1d\uff20]/u.test(part) && /[a-z:@=]/iu.test(part)).toBe(false);
        }
        // The only ambiguous case is a cell that already contained such apostrophes.
        if (withoutGuards(given) === given) {
          expect(withoutGuards(cell)).toBe(given);
        }
      }),
      { numRuns: 10_000 },
    );
  });

  it.each([';', ';-', '\n ', ' ;', '"', "';='"])(
    'of nothing but %j is read in no time',
    unit => {
      const cells = Array.from({ length: 20 }, () => unit.repeat(32_000 / unit.length));
      const work = () => cells.map(cell => withoutGuards(safeCell(cell)));
      expect(runInNewContext('work()', { work }, { timeout: 20_000 })).toHaveLength(20);
    },
    60_000,
  );

  it.each(['-1', '+1', ' -1', '+1-1'])(
    'is read in no time where a gap follows %j',
    beginning => {
      // If the time were quadratic, one such file would block the process for minutes.
      const cells = Array.from({ length: 20 }, () => `${beginning}${' '.repeat(32_000)}x`);
      const work = () => cells.map(safeCell);
      const safe = runInNewContext('work()', { work }, { timeout: 20_000 }) as string[];
      expect(safe.every(cell => cell.startsWith("'"))).toBe(true);
      expect(safeCell(`${beginning}${' '.repeat(32_000)}`)).toBe(`${beginning}${' '.repeat(32_000)}`);
    },
    60_000,
  );
});
