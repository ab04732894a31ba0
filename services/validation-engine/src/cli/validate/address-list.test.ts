import { Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { readRows } from '../../adapters/files/read-rows.ts';
import { type AddressList, type ListOptions, openAddressList } from './address-list.ts';

const signal = new AbortController().signal;

function open(content: string | Uint8Array, options: Partial<ListOptions> = {}): Promise<AddressList> {
  return openAddressList(Readable.from([Buffer.from(content)]), { signal, readRows, ...options });
}

async function rowsOf(list: AddressList) {
  const rows: [number, string][] = [];
  for await (const { row, address } of list.rows) {
    rows.push([row, address]);
  }
  return rows;
}

describe('a list', () => {
  test('gives each address with the number of its line', async () => {
    const list = await open(
      'id,email\r\n1,ada@a.example\r\n\r\n2,"grace@b.example"\r\n"3\nb", b@c.example \r\n',
    );
    expect(await rowsOf(list)).toEqual([
      [2, 'ada@a.example'],
      [4, 'grace@b.example'],
      [6, 'b@c.example'],
    ]);
  });

  test('strips what lists put around addresses, and keeps cells without an address unchanged', async () => {
    const cells = [
      'Ada <ada@a.example>',
      '\u200bgrace@b.example,',
      "'-plus@c.example",
      'mailto:d@d.example',
      ' e@ ',
      '\u200b',
    ];
    const list = await open(`email\n${cells.map(cell => `"${cell}"\n`).join('')}`);
    expect(await rowsOf(list)).toEqual([
      [2, 'ada@a.example'],
      [3, 'grace@b.example'],
      [4, '-plus@c.example'],
      [5, 'd@d.example'],
      [6, 'e@'],
    ]);
    expect(list.emptyRows()).toBe(1);
  });

  test('counts the rows without an address, short ones included', async () => {
    const list = await open('id;email\n1;ada@a.example\n2;\n3\n4;grace@b.example\n');
    expect(await rowsOf(list)).toHaveLength(2);
    expect(list.emptyRows()).toBe(2);
  });

  test.each([
    ['UTF-8 with a byte order mark', Buffer.from('\ufeffe-mail\nadä@a.example\n')],
    ['UTF-16 as spreadsheets write it', Buffer.from('\ufeffe-mail\nadä@a.example\n', 'utf16le')],
  ])('may be %s', async (_name, content) => {
    const list = await open(content);
    expect(list.layout.columnName).toBe('e-mail');
    expect(await rowsOf(list)).toEqual([[2, 'adä@a.example']]);
  });

  test('reports if its encoding is a guess, and accepts an explicit one', async () => {
    const latin = Buffer.from('e-mail\nad\xe4@a.example\n', 'latin1');
    const guessed = await open(latin);
    expect(guessed.guessedEncoding).toBe('windows-1252');
    expect(await rowsOf(guessed)).toEqual([[2, 'ad\u00e4@a.example']]);
    expect((await open(latin, { encoding: 'windows-1252' })).guessedEncoding).toBeUndefined();
    await expect(open(latin, { encoding: 'utf-8' })).rejects.toThrow('The text is not UTF-8');
  });

  test('survives characters that are cut in two between portions', async () => {
    const octets = Buffer.from('email\nadä@a.example\n');
    const portions = [...octets].map(octet => Buffer.from([octet]));
    expect(await rowsOf(await openAddressList(Readable.from(portions), { signal, readRows }))).toEqual([
      [2, 'adä@a.example'],
    ]);
  });

  test.each([50, 5_000])('is read as it is asked for, and left when %i rows are enough', async enough => {
    let linesRead = 0;
    const endless = Readable.from(
      (async function* () {
        for (;;) {
          linesRead += 1;
          yield Buffer.from(`${linesRead};person${linesRead}@a.example;${'x'.repeat(100)}\n`);
        }
      })(),
    );
    const list = await openAddressList(endless, { signal, readRows });
    for (let count = 0; count < enough; count += 1) {
      await list.rows.next();
    }
    await list.rows.return(undefined);
    expect(linesRead).toBeLessThan(10_000);
    expect(endless.destroyed).toBe(true);
  });
});

describe('a list that cannot be read is refused in a sentence', () => {
  test.each([
    ['an empty one', '', 'The list is empty.'],
    [
      'a spreadsheet',
      'PK\u0003\u0004\u0014\0\u0006',
      'The file is a workbook (.xlsx) or a ZIP archive: save the sheet as CSV and upload that.',
    ],
    [
      'one without addresses',
      'a,b\n1,2\n',
      'No column of the list contains addresses; select one with --column.',
    ],
  ])('%s', async (_name, content, sentence) => {
    await expect(open(content)).rejects.toThrow(sentence);
  });

  test('one with an unclosed quote', async () => {
    const list = open(`email\n"ada@a.example\n${'b@c.example\n'.repeat(20_000)}`);
    await expect(list.then(rowsOf)).rejects.toThrow(/^Row 2 of the file has a quote .* not closed/);
  });
});
