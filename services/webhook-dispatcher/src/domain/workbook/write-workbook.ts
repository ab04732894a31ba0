import { Readable } from 'node:stream';
import type { ExportedValue } from '@mailproof/shared-types';
import { ZipFile } from 'yazl';

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packaged = 'http://schemas.openxmlformats.org/package/2006';
const spreadsheet = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** The parts that every workbook has (ECMA-376 part 1, section 12.3). */
const parts = {
  '[Content_Types].xml': `<Types xmlns="${packaged}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${spreadsheet}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${spreadsheet}.worksheet+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${packaged}/relationships"><Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="Results" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packaged}/relationships"><Relationship Id="rId1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
} as const;

/** Half of the best compression, for a fifth of its time. */
const compressionLevel = 3;

/**
 * Writes rows as a workbook (.xlsx), page by page: the next page is requested when the previous one has been consumed.
 * Texts are inline strings, which no spreadsheet reads as formulas. The first octets come after the first page, so that
 * an earlier failure can still be answered as a problem.
 */
export async function* writeWorkbook(
  columns: readonly string[],
  pages: AsyncIterable<readonly (readonly ExportedValue[])[]>,
): AsyncGenerator<Uint8Array> {
  const source = pages[Symbol.asyncIterator]();
  const first = await source.next();
  const zip = new ZipFile();
  for (const [name, xml] of Object.entries(parts)) {
    zip.addBuffer(Buffer.from(declaration + xml), name);
  }
  const sheet = Readable.from(sheetXml(columns, first, source), { objectMode: false });
  // A failure must break the file, so that a part is not mistaken for the whole.
  sheet.on('error', error => output.destroy(error));
  zip.addReadStream(sheet, 'xl/worksheets/sheet1.xml', { compressionLevel });
  zip.end();
  const output = zip.outputStream as Readable;
  try {
    yield* output as AsyncIterable<Uint8Array>;
  } finally {
    sheet.destroy();
    output.destroy();
    await source.return?.();
  }
}

type Rows = readonly (readonly ExportedValue[])[];

async function* sheetXml(
  columns: readonly string[],
  first: IteratorResult<Rows>,
  source: AsyncIterator<Rows>,
): AsyncGenerator<string> {
  const letters = columns.map((_, column) => columnLetters(column));
  let rowNo = 1;
  yield `${declaration}<worksheet xmlns="${main}"><sheetData>${rowXml(columns, rowNo, letters)}`;
  for (let page = first; !page.done; page = await source.next()) {
    if (page.value.length > 0) {
      yield page.value.map(row => rowXml(row, ++rowNo, letters)).join('');
    }
  }
  yield '</sheetData></worksheet>';
}

/** Rows and cells say where they are, which the standard leaves open but some programs need. */
function rowXml(values: readonly ExportedValue[], rowNo: number, letters: readonly string[]): string {
  return `<row r="${rowNo}">${values.map((value, column) => cellXml(value, `${letters[column]}${rowNo}`)).join('')}</row>`;
}

function cellXml(value: ExportedValue, reference: string): string {
  if (value === null || value === '') {
    return '';
  }
  if (typeof value === 'boolean') {
    return `<c r="${reference}" t="b"><v>${value ? 1 : 0}</v></c>`;
  }
  return typeof value === 'number'
    ? `<c r="${reference}"><v>${value}</v></c>`
    : `<c r="${reference}" t="inlineStr"><is><t xml:space="preserve">${escaped(value)}</t></is></c>`;
}

function columnLetters(column: number): string {
  const letter = String.fromCharCode(65 + (column % 26));
  return column < 26 ? letter : columnLetters(Math.floor(column / 26) - 1) + letter;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * Characters that XML 1.0 cannot have or changes, and text that looks like their escape `_x000D_` (ECMA-376 part 1,
 * section 22.9.2.19).
 */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replace(
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is escaped
      /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g,
      character => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    )
    .replace(/[&<>]/g, character => entities[character] ?? character);
}
