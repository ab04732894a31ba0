import { describe, expect, it } from '@jest/globals';
import { type CsvOptions, csvDelimiters, type ExportedValue, safeCell } from '@mailproof/shared-types';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { csvFormOf } from '../exports/file-form.ts';
import { fileNameOf, writeCsv } from './write-csv.ts';

type Rows = readonly (readonly ExportedValue[])[];

async function* inPages(pages: readonly Rows[]): AsyncGenerator<Rows> {
  yield* pages;
}

async function written(columns: readonly string[], pages: readonly Rows[], options: CsvOptions = {}) {
  let text = '';
  for await (const piece of writeCsv(columns, inPages(pages), csvFormOf(options))) {
    text += piece;
  }
  return text;
}

describe('a file of rows', () => {
  it('has a header, lines that end in CRLF, and quotes where they are needed', async () => {
    const rows = [
      ['007', 'a,b', 'say "no"'],
      ['', null, 'two\nlines'],
    ];
    expect(await written(['id', 'left;right', 'text'], [rows])).toBe(
      'id,left;right,text\r\n007,"a,b","say ""no"""\r\n,,"two\nlines"\r\n',
    );
  });

  it('begins with a byte order mark on wish, once, and has the delimiter that was asked for', async () => {
    const options = { delimiter: 'semicolon', byte_order_mark: true } as const;
    expect(await written(['a', 'b'], [[['1;2', '3']], [], [['4', '5,6']]], options)).toBe(
      '\ufeffa;b\r\n"1;2";3\r\n4;5,6\r\n',
    );
  });

  it('has only a header if there is no row', async () => {
    expect(await written(['email'], [])).toBe('email\r\n');
  });

  it('writes no formula, in a header as little as in a cell', async () => {
    expect(await written(['=1+1'], [[['@SUM(A1)'], [-5], ['+49 30 901820']]])).toBe(
      "'=1+1\r\n'@SUM(A1)\r\n-5\r\n+49 30 901820\r\n",
    );
  });

  it('holds no formula for a program that splits it at another character, in its header as little', async () => {
    // Without digits, because a signed number stays and is not a formula.
    const unit = fc.constantFrom(...'ab=+-@\uff1d\uff0b\uff0d\uff20,;|\t\r\n "\'(');
    const cell = fc.string({ unit, maxLength: 12 }).filter(text => !/^[-\s"]*$/.test(text));
    const rowsOf = fc
      .integer({ min: 1, max: 4 })
      .chain(width => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1 }));
    const names = Object.keys(csvDelimiters) as (keyof typeof csvDelimiters)[];
    const splits = [/,/, /;/, /\t/, /\|/, /\r\n|\r|\n/, /[,;\t|\r\n]/];
    await fc.assert(
      fc.asyncProperty(rowsOf, fc.constantFrom(...names), async ([columns = [], ...rows], delimiter) => {
        const text = await written(columns, [rows], { delimiter });
        for (const split of splits) {
          for (const line of split.test('\n') ? [text] : text.split(/\r\n|\r|\n/)) {
            for (const piece of line.split(split)) {
              expect(piece.replace(/^[\s"]*/, '')).not.toMatch(
                /^(?!-+["\s]*$)[=+\-@\uff1d\uff0b\uff0d\uff20]/,
              );
            }
          }
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('is read by other programs as it was written, with any content', async () => {
    const cell = fc.string({ unit: fc.constantFrom(...'a0,;\t|"\'\r\n =+-@ü') });
    const rowsOf = fc
      .integer({ min: 1, max: 4 })
      .chain(width => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1 }));
    const names = Object.keys(csvDelimiters) as (keyof typeof csvDelimiters)[];
    await fc.assert(
      fc.asyncProperty(rowsOf, fc.constantFrom(...names), fc.boolean(), async (rows, delimiter, mark) => {
        const columns = rows[0]?.map((_, at) => `c${at}`) ?? [];
        const text = await written(columns, [rows], { delimiter, byte_order_mark: mark });
        const read = parse(text, {
          delimiter: csvDelimiters[delimiter],
          bom: true,
          record_delimiter: '\r\n',
        });
        expect(read).toEqual([columns, ...rows.map(row => row.map(safeCell))]);
      }),
    );
  });
});

describe('the name of a file', () => {
  const madeAt = new Date('2026-11-22T23:59:00Z');

  it.each([
    ['Customers', 'Customers 2026-11-22.csv'],
    ['customers.csv', 'customers 2026-11-22.csv'],
    ['Q3.final.XLSX', 'Q3.final 2026-11-22.csv'],
    ['example.com', 'example.com 2026-11-22.csv'],
    ['.csv', 'export 2026-11-22.csv'],
    ['../../etc/passwd', 'etc passwd 2026-11-22.csv'],
    ['Käufer: "neu"\r\nX-Header: 1', 'Käufer neu X-Header 1 2026-11-22.csv'],
    ['.hidden.', 'hidden 2026-11-22.csv'],
    ['\u202egnp.exe', 'gnp.exe 2026-11-22.csv'],
    ['///', 'export 2026-11-22.csv'],
    ['x'.repeat(200), `${'x'.repeat(100)} 2026-11-22.csv`],
  ])('of %j is one that every system takes', (name, expected) => {
    expect(fileNameOf(name, madeAt)).toBe(expected);
  });
});
