import { describe, expect, it } from '@jest/globals';
import {
  archiveOf,
  sharedStringsOf,
  sheetOf,
  type TestCell,
  type TestWorkbook,
  workbookOf,
} from '@mailproof/dev-house/workbooks';
import { createOneAtATime } from '@mailproof/service-kit/workbook';
import { limits } from '@mailproof/shared-types';
import { IntakeFault } from '../../domain/intake/intake-fault.ts';
import { openTable } from '../../domain/intake/open-table.ts';
import { createOpenSheet } from './open-sheet.ts';
import { readJsonRecords } from './read-json-records.ts';
import { readRows } from './read-rows.ts';

const enter = createOneAtATime();
const arrived = async () => undefined;

async function* piecesOf(octets: Uint8Array, length = 10_000): AsyncGenerator<Uint8Array> {
  for (let begin = 0; begin < octets.length; begin += length) yield octets.subarray(begin, begin + length);
}

/** Reads a file through the door of all formats. */
async function read(
  octets: Uint8Array,
  given: { sheet?: string; delimiter?: string } = {},
  rowsMax = 60_000,
) {
  const openSheet = createOpenSheet({ turn: arrived, enter });
  const readers = { readRows, readJsonRecords, openSheet, arrived };
  const { rows, ...table } = await openTable(
    { origin: 'file', octets: piecesOf(octets), given },
    piecesOf(octets),
    readers,
  );
  const cells: (readonly string[])[] = [];
  let lastLine = 0;
  for await (const row of rows) {
    cells.push(row.cells);
    lastLine = row.line;
    if (cells.length === rowsMax) break;
  }
  return { cells, lastLine, ...table, layout: table.layout() };
}

const faultOf = async (workbook: TestWorkbook | Buffer, given?: Parameters<typeof read>[1]) =>
  read(Buffer.isBuffer(workbook) ? workbook : await workbookOf(workbook), given).then(
    () => 'accepted',
    (error: unknown) => {
      if (!(error instanceof IntakeFault)) throw error;
      expect(error.code).toBe('file_not_readable');
      return error.message;
    },
  );

const people: TestCell[][] = [
  ['Name', 'E-mail', 'Visits', 'Customer'],
  ['Lovelace, Ada', 'ada@a.example', 3, true],
  ['Grace', 'grace@a.example', 1906.5, false],
];

const cellsOf = async (cells: TestCell[], others: Partial<TestWorkbook> = {}) =>
  (await read(await workbookOf({ sheets: { S: [['ada@a.example', ...cells]] }, ...others }))).cells[0]?.slice(
    1,
  );

const styles = (formats: string[]) =>
  `<styleSheet><numFmts>${formats
    .map((format, at) => `<numFmt numFmtId="${at + 164}" formatCode="${format}"/>`)
    .join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${[
    ...formats.map((_, at) => at + 164),
    14,
    22,
    10,
  ]
    .map(id => `<xf numFmtId="${id}"/>`)
    .join('')}</cellXfs></styleSheet>`;
const styled = (style: number, value: number | string): TestCell => ({
  attributes: `s="${style}"`,
  xml: `<v>${value}</v>`,
});

describe('a workbook', () => {
  it('is read like a file, with its header and the column of the addresses', async () => {
    const table = await read(await workbookOf({ sheets: { People: people } }));
    expect(table.cells).toEqual([
      ['Name', 'E-mail', 'Visits', 'Customer'],
      ['Lovelace, Ada', 'ada@a.example', '3', 'TRUE'],
      ['Grace', 'grace@a.example', '1906.5', 'FALSE'],
    ]);
    expect(table).toMatchObject({ hasHeader: true, addressColumn: 1 });
    expect(table.layout).toMatchObject({
      format: 'xlsx',
      encodingIsGuess: false,
      delimiter: '',
      sheet: 'People',
      sheets: ['People'],
      numberColumns: [2],
    });
  });

  it('has texts in one place, with runs but without their pronunciation', async () => {
    const shared = [
      '<sst><si><r><t>Lovelace,</t></r><r><t xml:space="preserve"> Ada</t></r><rPh sb="0" eb="1">',
      '<t>read</t></rPh></si><si><t/></si><si><t>a&amp;b &#x1F600; <![CDATA[<c>]]></t></si></sst>',
    ];
    const text = (index: number): TestCell => ({ attributes: 't="s"', xml: `<v>${index}</v>` });
    expect(await cellsOf([text(0), text(1), text(2)], { sharedStrings: shared })).toEqual([
      'Lovelace, Ada',
      '',
      'a&b 😀 <c>',
    ]);
  });

  it('keeps a million texts apart', async () => {
    const texts = Array.from({ length: 40_000 }, (_, at) => `${'é'.repeat(at % 90)}${at}@a.example`);
    const rows = texts.map((_, at) => `<row><c t="s"><v>${texts.length - 1 - at}</v></c></row>`);
    const octets = await workbookOf({
      sheets: { S: { xml: sheetOf(rows) } },
      sharedStrings: sharedStringsOf(texts),
    });
    expect((await read(octets)).cells.flat()).toEqual(texts.toReversed());
  });

  it('shows dates and times as ISO 8601, and numbers without their format', async () => {
    const formats = [
      'yyyy-mm-dd',
      'd. mmmm yyyy hh:mm',
      '[h]:mm:ss',
      '00000',
      '#,##0.00 &quot;EUR&quot;',
      'mmm-yy',
    ];
    const cells = [
      styled(1, 45000),
      styled(2, 45000.75),
      styled(3, 1.5),
      styled(4, 1234),
      styled(5, 1234.5),
      styled(6, 45000),
      styled(7, 45000.9),
      styled(8, 59.25),
      styled(9, 0.125),
      styled(1, -3),
      styled(1, 0),
      styled(99, 7),
      styled(4, -12),
      styled(4, 1.5),
    ];
    expect(await cellsOf(cells, { styles: styles(formats) })).toEqual([
      '2023-03-15',
      '2023-03-15T18:00:00',
      '36:00:00',
      '01234',
      '1234.5',
      '2023-03-15',
      '2023-03-15',
      '1900-02-28T06:00:00',
      '0.125',
      '-3',
      '0',
      '7',
      '-12',
      '1.5',
    ]);
    expect(
      await cellsOf([styled(1, 43538)], {
        styles: styles(['yyyy-mm-dd']),
        workbookProperties: '<workbookPr date1904="1"/>',
      }),
    ).toEqual(['2023-03-15']);
  });

  it('shows 15 digits of numbers, as a spreadsheet does', async () => {
    expect(
      await cellsOf([styled(0, '0.30000000000000004'), styled(0, '1E+3'), styled(0, '-0'), 12345678901]),
    ).toEqual(['0.3', '1000', '0', '12345678901']);
  });

  it('has the last result of a formula, which is not evaluated', async () => {
    const formula = (attributes: string, xml: string): TestCell => ({ attributes, xml });
    expect(
      await cellsOf([
        formula('', '<f>1+1</f><v>7</v>'),
        formula('t="str"', '<f>HYPERLINK("http://attacker.example")</f><v>=cmd|calc</v>'),
        formula('', '<f>NOW()</f>'),
        formula('t="e"', '<f>1/0</f><v>#DIV/0!</v>'),
        formula('t="b"', '<f>TRUE()</f><v>1</v>'),
        'end',
      ]),
    ).toEqual(['7', '=cmd|calc', '', '#DIV/0!', 'TRUE', 'end']);
  });

  it('has the value of merged cells once, gaps as blank cells, and no rows without a value', async () => {
    const xml = [
      ...sheetOf([
        '<row r="2"><c r="A2" t="inlineStr"><is><t>E-mail</t></is></c><c r="C2" t="inlineStr"><is><t>Note</t></is></c></row>',
        '<row r="4" s="1"><c r="A4" s="1"/><c r="B4" s="1"/></row>',
        '<row r="7"><c r="A7" t="inlineStr"><is><t>ada@a.example</t></is></c><c r="C7" t="inlineStr"><is><t>both</t></is></c><c r="D7"/></row>',
        '<row r="8"><c r="A8" t="inlineStr"><is><t>grace@a.example</t></is></c><c r="ZZZ8"/></row>',
        ...Array.from({ length: 60_000 }, () => '<row><c s="1"/></row>'),
      ]),
    ]
      .join('')
      .replace('</worksheet>', '<mergeCells><mergeCell ref="C7:D8"/></mergeCells></worksheet>');
    const table = await read(await workbookOf({ sheets: { S: { xml } } }));
    expect(table.cells).toEqual([['E-mail', '', 'Note'], ['ada@a.example', '', 'both'], ['grace@a.example']]);
    expect(table.lastLine).toBe(8);
  });

  it('may have prefixes, names in other cases and absolute targets, as some programs write them', async () => {
    const octets = await archiveOf({
      '_rels/.rels':
        '<r:Relationships xmlns:r="p"><r:Relationship Id="x" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument" Target="/XL/Workbook.xml"/></r:Relationships>',
      'xl/workbook.xml':
        '<x:workbook xmlns:x="m" xmlns:rel="r"><x:sheets><x:sheet name="S" sheetId="1" rel:id="a"/></x:sheets></x:workbook>',
      'XL/_rels/Workbook.xml.rels':
        '<Relationships><Relationship Id="a" Type="x/worksheet" Target="/xl/Sheets/one.xml"/></Relationships>',
      'xl/sheets/one.xml':
        '<x:worksheet xmlns:x="m"><x:sheetData><x:row><x:c t="inlineStr"><x:is><x:t>ada@a.example</x:t></x:is></x:c></x:row></x:sheetData></x:worksheet>',
    });
    expect((await read(octets)).cells).toEqual([['ada@a.example']]);
  });

  it('is read as ZIP64 too', async () => {
    const octets = await workbookOf({ sheets: { S: people }, zip: { forceZip64Format: true } });
    expect((await read(octets)).cells).toHaveLength(3);
  });

  it('has escaped characters, and no NUL or half of a pair', async () => {
    expect(await cellsOf(['a_x000D_b', 'c_x0000_d', '_xD83D_', '_x005F_x000D_'])).toEqual([
      'a\rb',
      'cd',
      '\ufffd',
      '_x000D_',
    ]);
  });

  it('is not evaluated where it has macros, links and pictures', async () => {
    const octets = await workbookOf({
      sheets: { S: people },
      parts: {
        'xl/vbaProject.bin': Buffer.alloc(2_000_000),
        'xl/externalLinks/externalLink1.xml': 'not XML',
        'xl/media/image1.png': Buffer.alloc(1_000),
      },
    });
    expect((await read(octets)).cells).toHaveLength(3);
  });
});

describe('the sheet of a workbook', () => {
  const sheets = {
    Hidden: [['hidden@a.example']],
    One: [['one@a.example']],
    '2': [['named-two@a.example']],
    Three: [['three@a.example']],
  };
  const sheetAttributes = { Hidden: 'state="hidden"' };
  // The order of the sheets is that of the names in JavaScript: 2, Hidden, One, Three.
  it.each([
    [undefined, 'named-two@a.example'],
    ['Hidden', 'hidden@a.example'],
    ['three', 'three@a.example'],
    ['2', 'named-two@a.example'],
    ['4', 'three@a.example'],
  ])('%j is that of %s', async (sheet, address) => {
    const table = await read(
      await workbookOf({ sheets, sheetAttributes }),
      sheet === undefined ? {} : { sheet },
    );
    expect(table.cells).toEqual([[address]]);
    expect(table.layout?.sheets).toEqual(['2', 'Hidden', 'One', 'Three']);
  });

  it('that does not exist is refused with the names of the others', async () => {
    expect(await faultOf({ sheets }, { sheet: 'Four' })).toMatch(
      /no such sheet. Its sheets: “2”, “Hidden”, “One”, “Three”/,
    );
    expect(await faultOf({ sheets }, { sheet: '0' })).toMatch(/no such sheet/);
  });

  it('without cells has no rows', async () => {
    expect((await read(await workbookOf({ sheets: { S: [] } }))).cells).toEqual([]);
    expect(await faultOf({ sheets: {} })).toMatch(/no sheet with cells/);
  });
});

const text = (count: number) => `<row><c t="inlineStr"><is><t>${'x'.repeat(count)}</t></is></c></row>`;
function* times(piece: string, count: number): Generator<string> {
  for (let at = 0; at < count; at += 1) yield piece;
}
const sheet = (rows: Iterable<string>): TestWorkbook => ({ sheets: { S: { xml: sheetOf(rows) } } });
/** Its parts are stored: compressing each takes longer than everything else here. */
const manySheets = (count: number): TestWorkbook => ({
  sheets: Object.fromEntries(Array.from({ length: count }, (_, at) => [`S${at}`, [[at]]])),
  zip: { compress: false },
});
const laughs = `<!DOCTYPE l [<!ENTITY a "ha">${[...'bcdefghij']
  .map((name, at) => `<!ENTITY ${name} "${`&${'abcdefghi'[at]};`.repeat(10)}">`)
  .join('')}]>`;
const row = '<row><c t="inlineStr"><is><t>a@a.example</t></is></c></row>';
const external = `<!DOCTYPE l [<!ENTITY x SYSTEM "file:///etc/passwd">]>`;

describe('a hostile workbook is refused with a reason', () => {
  it.each<[string, () => TestWorkbook | Promise<Buffer>, RegExp]>([
    [
      'a ZIP bomb in the sheet',
      () => sheet(times(' '.repeat(1_000_000), 100)),
      /unpacks to more than 200 times its size/,
    ],
    [
      'a ZIP bomb of rows',
      () => sheet(times(row.repeat(10_000), 100)),
      /unpacks to more than 200 times its size/,
    ],
    [
      'a bomb of shared strings',
      () => ({ sheets: { S: people }, sharedStrings: sharedStringsOf(times('a'.repeat(30_000), 1_000)) }),
      /unpacks to more than 200/,
    ],
    ['10,000 sheets', () => manySheets(10_000), /has 10004 parts; the limit is 5000/],
    ['1,001 sheets', () => manySheets(1_001), /more than 1000 sheets/],
    [
      'entities that expand',
      () => ({
        sheets: {
          S: {
            xml: `${laughs}<worksheet><sheetData><row><c t="str"><v>&j;</v></c></row></sheetData></worksheet>`,
          },
        },
      }),
      /declares entities/,
    ],
    [
      'an external entity',
      () => ({ sheets: { S: people }, parts: { 'xl/workbook.xml': `${external}<workbook>&x;</workbook>` } }),
      /declares entities/,
    ],
    ['an unknown entity', () => sheet(['<row><c t="str"><v>&nbsp;</v></c></row>']), /not valid XML/],
    [
      'a cell that is too long',
      () => sheet([row, text(limits.cellCharactersMax + 1)]),
      /^A cell has more than 32767 characters/,
    ],
    [
      'a value that is too long',
      () => sheet([row, `<row r="9"><c r="AB9" t="str"><v>${'x'.repeat(40_000)}</v></c></row>`]),
      /^Cell AB9 has more than 32767/,
    ],
    ['a tag without end', () => sheet([`<row ${'a'.repeat(3_000_000)}`]), /not valid XML/],
    ['an attribute without end', () => sheet([`<row r="${'1'.repeat(3_000_000)}"/>`]), /not valid XML/],
    ['deep XML', () => sheet(['<a>'.repeat(100_000)]), /more than 64 levels/],
    [
      'XML that does not end',
      () => ({ sheets: { S: { xml: '<worksheet><sheetData><row>' } } }),
      /not valid XML/,
    ],
    [
      'XML in another encoding',
      () => ({ sheets: { S: { xml: Buffer.from('<worksheet>\xe9</worksheet>', 'latin1') } } }),
      /not valid XML/,
    ],
    [
      'too many columns',
      () => sheet([`<row><c r="GS1" t="inlineStr"><is><t>x</t></is></c></row>`]),
      /^Cell GS1 is outside of the 200 columns/,
    ],
    [
      'a text that is missing',
      () => sheet(['<row r="3"><c r="B3" t="s"><v>5</v></c></row>']),
      /text of cell b3 is missing/,
    ],
    [
      'a number of a text that is none',
      () => ({ ...sheet(['<row><c t="s"><v>-1</v></c></row>']), sharedStrings: sharedStringsOf(['a']) }),
      /is missing/,
    ],
    [
      'no sheet part',
      () => ({ sheets: { S: people }, parts: { 'xl/worksheets/sheet1.xml': undefined } }),
      /part “xl\/worksheets\/sheet1.xml” is missing/,
    ],
    [
      'a document of Word',
      () =>
        archiveOf({
          '_rels/.rels': '<R><Relationship Id="a" Type="x/officeDocument" Target="word/document.xml"/></R>',
          'word/document.xml': '<document/>',
          'word/_rels/document.xml.rels': '<R/>',
        }),
      /not a workbook/,
    ],
    [
      'a binary workbook',
      () =>
        archiveOf({
          '_rels/.rels': '<R><Relationship Id="a" Type="x/officeDocument" Target="xl/workbook.bin"/></R>',
        }),
      /binary workbook \(\.xlsb\)/,
    ],
    ['another archive', () => archiveOf({ 'list.csv': 'a@a.example' }), /ZIP archive, but not a workbook/],
    ['an empty archive', () => archiveOf({}), /ZIP archive, but not a workbook/],
    [
      'relations that leave the file',
      () => ({
        sheets: {},
        parts: {
          'xl/_rels/workbook.xml.rels':
            '<R><Relationship Id="rId1" Type="x/worksheet" Target="../../../etc/passwd"/></R>',
          'xl/workbook.xml': '<workbook><sheets><sheet name="S" id="rId1"/></sheets></workbook>',
        },
      }),
      /is missing/,
    ],
    [
      'an external sheet',
      () => ({
        sheets: {},
        parts: {
          'xl/_rels/workbook.xml.rels':
            '<R><Relationship Id="rId1" Type="x/worksheet" TargetMode="External" Target="http://attacker.example/"/></R>',
          'xl/workbook.xml': '<workbook><sheets><sheet name="S" id="rId1"/></sheets></workbook>',
        },
      }),
      /no sheet with cells/,
    ],
  ])('%s', async (_what, make, words) => {
    const made = await make();
    expect(await faultOf(made)).toMatch(words);
  });

  it('that is cut off anywhere', async () => {
    const octets = await workbookOf({ sheets: { S: people } });
    for (let length = 4; length < octets.length; length += 97) {
      expect(await faultOf(octets.subarray(0, length))).toMatch(/damaged or cut off/);
    }
  });

  it('that has a flipped octet, or is read as it is', async () => {
    const octets = await workbookOf({ sheets: { S: people } });
    for (let at = 4; at < octets.length; at += 7) {
      const flipped = Buffer.from(octets);
      flipped[at] = (flipped[at] ?? 0) ^ 0x41;
      await faultOf(flipped);
    }
  });

  it('that has a password', async () => {
    const octets = await workbookOf({ sheets: { S: people } });
    // The bit for encryption, in the header of each entry in the directory.
    for (
      let at = octets.indexOf('PK\u0001\u0002');
      at !== -1;
      at = octets.indexOf('PK\u0001\u0002', at + 4)
    ) {
      octets[at + 8] = (octets[at + 8] ?? 0) | 1;
    }
    expect(await faultOf(octets)).toMatch(/has a password/);
    const ole = Buffer.concat([Buffer.from([0xd0, 0xcf, 0x11, 0xe0]), Buffer.alloc(2_000)]);
    expect(await faultOf(ole)).toMatch(/old workbook \(\.xls\), or one with a password/);
  });

  it('that is larger than its limit, without keeping it', async () => {
    const octets = Buffer.alloc(limits.workbookBytesMax + 1);
    octets.set([0x50, 0x4b, 3, 4]);
    await expect(read(octets)).rejects.toMatchObject({ code: 'body_too_large' });
  });

  it('that has a part beyond its limit', async () => {
    const octets = await workbookOf({ sheets: { S: people } });
    const entry = octets.indexOf('PK\u0001\u0002', octets.lastIndexOf('xl/worksheets/sheet1.xml') - 60);
    octets.writeUInt32LE(400_000_000, entry + 20);
    octets.writeUInt32LE(500_000_000, entry + 24);
    expect(await faultOf(octets)).toMatch(/has 500000000 octets; the limit is 400000000/);
  });

  it('that lies about the size of a part', async () => {
    const octets = await workbookOf({ sheets: { S: people } });
    const entry = octets.indexOf('PK\u0001\u0002', octets.lastIndexOf('xl/worksheets/sheet1.xml') - 60);
    octets.writeUInt32LE(10, entry + 24);
    expect(await faultOf(octets)).toMatch(/damaged/);
  });
});

describe('what is not a workbook', () => {
  it('is read as CSV, with any media type', async () => {
    expect((await read(Buffer.from('a@a.example\n'))).cells).toEqual([['a@a.example']]);
    expect((await read(Buffer.from('PK'))).cells).toEqual([['PK']]);
  });

  it('has no sheet, and a workbook no delimiter', async () => {
    expect(await faultOf(Buffer.from('a@a.example\n'), { sheet: '1' })).toMatch(/not a workbook/);
    expect(await faultOf({ sheets: { S: people } }, { delimiter: ',' })).toMatch(/is a workbook: leave out/);
  });
});

describe('columns with numbers', () => {
  it('are those in which no text looks like a number', async () => {
    const rows: TestCell[][] = [
      ['Email', 'Numbers', 'Mixed', 'Texts', 'Ids', 'Padded'],
      ['a@a.example', 1, 2, '3', '007', 5],
      ['b@a.example', 'n/a', '4', '5', '008', 6],
    ];
    expect((await read(await workbookOf({ sheets: { S: rows } }))).layout?.numberColumns).toEqual([1, 5]);
  });
});

describe('workbooks that are opened at once', () => {
  it('are read one after the other, also if an earlier one is refused or left', async () => {
    const good = await workbookOf({ sheets: { S: people } });
    const bad = good.subarray(0, 500);
    const outcomes = await Promise.allSettled([read(good), read(bad), read(good, {}, 1), read(good)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  });
});
