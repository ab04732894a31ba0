import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import type { ExportedValue } from '@mailproof/shared-types';
import { fromBufferPromise } from 'yauzl';
import { writeWorkbook } from './write-workbook.ts';

type Rows = readonly (readonly ExportedValue[])[];

async function* inPages(pages: readonly Rows[]): AsyncGenerator<Rows> {
  yield* pages;
}

/** The parts of a workbook by their names. */
async function partsOf(octets: Buffer): Promise<Record<string, string>> {
  const zip = await fromBufferPromise(octets, { lazyEntries: true });
  const parts: Record<string, string> = {};
  for await (const entry of zip.eachEntry()) {
    parts[entry.fileName] = (await buffer(await zip.openReadStreamPromise(entry))).toString();
  }
  return parts;
}

async function sheetOf(columns: readonly string[], pages: readonly Rows[]): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of writeWorkbook(columns, inPages(pages))) pieces.push(piece);
  return (await partsOf(Buffer.concat(pieces)))['xl/worksheets/sheet1.xml'] ?? '';
}

describe('a workbook of rows', () => {
  it('has texts as texts, numbers as numbers, truths as truths, and gaps', async () => {
    const sheet = await sheetOf(
      ['email', 'visits'],
      [[['a@a.example', 3]], [], [[null, -1.5]], [['', true]]],
    );
    const text = (place: string, value: string) =>
      `<c r="${place}" t="inlineStr"><is><t xml:space="preserve">${value}</t></is></c>`;
    expect(sheet).toContain(
      `<sheetData><row r="1">${text('A1', 'email')}${text('B1', 'visits')}</row><row r="2">${text('A2', 'a@a.example')}<c r="B2"><v>3</v></c></row><row r="3"><c r="B3"><v>-1.5</v></c></row><row r="4"><c r="B4" t="b"><v>1</v></c></row></sheetData>`,
    );
  });

  it('names columns like a spreadsheet', async () => {
    const sheet = await sheetOf(
      Array.from({ length: 703 }, (_, at) => `c${at}`),
      [],
    );
    for (const place of ['Z1', 'AA1', 'AZ1', 'BA1', 'ZZ1', 'AAA1'])
      expect(sheet).toContain(`<c r="${place}" `);
  });

  it.each(['=1+1', '+cmd', '-2+3', '@SUM(A1)', "=cmd|' /C calc'!A0", '007', '1e5'])(
    'has %j as text, never as a formula or a number',
    async text => {
      const sheet = await sheetOf(['c'], [[[text]]]);
      expect(sheet).toContain(
        `<c r="A2" t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c></row></sheetData>`,
      );
      expect(sheet).not.toMatch(/<f[ >]/);
    },
  );

  it('has every character, escaped where XML cannot have it', async () => {
    const sheet = await sheetOf(['c'], [[['<&>"\u0000\r\n\t\uffff\ud800_x000D_ü😀']]]);
    expect(sheet).toContain('&lt;&amp;&gt;"_x0000__x000D_\n\t_xFFFF_\ufffd_x005F_x000D_ü😀');
  });

  it('breaks off where its source fails, and fails before its first octet if the first page does', async () => {
    async function* failing(pages: number): AsyncGenerator<Rows> {
      for (let at = 0; at < pages; at += 1) yield [['a'.repeat(100)]];
      throw new Error('the source is away');
    }
    await expect(writeWorkbook(['c'], failing(0)).next()).rejects.toThrow('the source is away');
    await expect(
      (async () => {
        for await (const _piece of writeWorkbook(['c'], failing(3))) {
          // Read to the end.
        }
      })(),
    ).rejects.toThrow('the source is away');
  });

  it('ends its source when its reader leaves', async () => {
    let ended = false;
    async function* endless(): AsyncGenerator<Rows> {
      try {
        for (let at = 0; ; at += 1)
          yield Array.from({ length: 500 }, () => [`${at} ${Math.sin(at)}`.repeat(20)]);
      } finally {
        ended = true;
      }
    }
    for await (const _piece of writeWorkbook(['c'], endless())) break;
    expect(ended).toBe(true);
  });
});
