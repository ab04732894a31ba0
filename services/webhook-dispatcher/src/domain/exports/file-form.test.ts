import { describe, expect, it } from '@jest/globals';
import { type ExportedValue, fileEncodings, safeCell, type UploadedFile } from '@mailproof/shared-types';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { encodeText } from '../csv/encode-text.ts';
import { writeCsv } from '../csv/write-csv.ts';
import { fileFormOf, mediaTypeOf } from './file-form.ts';

const uploaded: UploadedFile = {
  format: 'csv',
  delimiter: ';',
  encoding: 'windows-1252',
  byte_order_mark: false,
  line_end: 'lf',
  quotes: 'all',
};

async function octetsOf(
  columns: readonly string[],
  rows: readonly (readonly ExportedValue[])[],
  file: UploadedFile,
): Promise<Buffer> {
  const form = fileFormOf({ format: 'as_uploaded' }, file);
  if (form.format !== 'csv') throw new Error('not CSV');
  async function* pages() {
    yield rows;
  }
  const pieces: Buffer[] = [];
  for await (const piece of encodeText(writeCsv(columns, pages(), form.csv), form.encoding)) {
    pieces.push(Buffer.from(piece as string));
  }
  return Buffer.concat(pieces);
}

/** The characters of an encoding, without control characters. */
function charactersOf(encoding: string): string[] {
  const decoder = new TextDecoder(encoding);
  const isWide = /^(?:shift_jis|gb18030|big5|euc-kr)$/.test(encoding);
  const octets = isWide
    ? Array.from({ length: 65_536 }, (_, at) => [at >> 8, at & 255])
    : Array.from({ length: 256 }, (_, at) => [at]);
  const texts = octets.map(each => decoder.decode(Uint8Array.from(each)));
  return [...new Set(texts.filter(text => [...text].length === 1 && !/[\p{C}\ufffd]/u.test(text)))];
}

describe('the form of a file', () => {
  it('is CSV in UTF-8 with commas, unless the export or its source says otherwise', () => {
    const plain = { delimiter: ',', byteOrderMark: false, lineEnd: 'crlf', quotes: 'needed' };
    expect(fileFormOf({}, uploaded)).toEqual({ format: 'csv', encoding: 'utf-8', csv: plain });
    expect(fileFormOf({ format: 'as_uploaded' }, undefined)).toMatchObject({ format: 'csv', csv: plain });
    expect(fileFormOf({ format: 'as_uploaded' }, uploaded)).toEqual({
      format: 'csv',
      encoding: 'windows-1252',
      csv: { delimiter: ';', byteOrderMark: false, lineEnd: 'lf', quotes: 'all' },
    });
    expect(fileFormOf({ format: 'as_uploaded', delimiter: 'tab' }, uploaded)).toMatchObject({
      csv: { delimiter: '\t' },
    });
  });

  it.each([
    ['csv', 'text/csv; charset=windows-1252'],
    ['ndjson', 'application/x-ndjson; charset=utf-8'],
    ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ] as const)('of a list that came in as %s has the media type %s', (format, mediaType) => {
    expect(mediaTypeOf(fileFormOf({ format: 'as_uploaded' }, { ...uploaded, format }))).toBe(mediaType);
  });

  it('separates the columns of a list that had one column', () => {
    expect(fileFormOf({ format: 'as_uploaded' }, { ...uploaded, delimiter: '' })).toMatchObject({
      csv: { delimiter: ',' },
    });
  });

  it.each(fileEncodings)('writes each character that %s can have', async encoding => {
    const wanted = charactersOf(encoding.startsWith('utf') ? 'windows-1252' : encoding);
    const octets = await octetsOf(['c'], [[wanted.join('')]], { ...uploaded, encoding });
    const cells = parse(new TextDecoder(encoding).decode(octets), { delimiter: ';' });
    expect(cells.flat()).toEqual(['c', safeCell(wanted.join(''))]);
  });

  it('keeps every cell, the delimiter, the line ends and the mark of any list', async () => {
    const cell = fc.string({ unit: fc.constantFrom(...'a0,;\t|"\'\r\n ü€é') });
    const rowsOf = fc
      .integer({ min: 1, max: 4 })
      .chain(width => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1 }));
    const file = fc.record({
      format: fc.constant('csv' as const),
      delimiter: fc.constantFrom(',', ';', '\t', '|', '^', '~', ':'),
      encoding: fc.constantFrom(
        'utf-8' as const,
        'utf-16le' as const,
        'utf-16be' as const,
        'windows-1252' as const,
      ),
      byte_order_mark: fc.boolean(),
      line_end: fc.constantFrom('crlf' as const, 'lf' as const, 'cr' as const),
      quotes: fc.constantFrom('all' as const, 'needed' as const),
    });
    await fc.assert(
      fc.asyncProperty(rowsOf, file, async (rows, given) => {
        const as = given.encoding === 'windows-1252' ? { ...given, byte_order_mark: false } : given;
        const columns = rows[0]?.map((_, at) => `c${at}`) ?? [];
        const octets = await octetsOf(columns, rows, as);
        const text = new TextDecoder(as.encoding, { ignoreBOM: true }).decode(octets);
        expect(text.startsWith('\ufeff')).toBe(as.byte_order_mark);
        const lineEnd = { crlf: '\r\n', lf: '\n', cr: '\r' }[as.line_end];
        const options = { delimiter: as.delimiter, bom: true, record_delimiter: lineEnd };
        expect(parse(text, options)).toEqual([columns, ...rows.map(row => row.map(safeCell))]);
        expect(text.replace(/^\ufeff/, '').startsWith('"')).toBe(as.quotes === 'all');
      }),
    );
  });
});
