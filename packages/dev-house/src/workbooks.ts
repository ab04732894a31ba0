import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type Options, ZipFile } from 'yazl';

const root = 'http://schemas.openxmlformats.org';
const main = `${root}/spreadsheetml/2006/main`;
const relations = `${root}/package/2006/relationships`;
const office = `${root}/officeDocument/2006/relationships`;

/** A value of a cell; an object is the XML of a cell's content with its attributes. */
export type TestCell =
  | string
  | number
  | boolean
  | null
  | { readonly attributes: string; readonly xml: string };

/** The text of a part, which can be made while it is packed. */
export type Part = string | Buffer | Iterable<string | Buffer>;

export interface TestWorkbook {
  /** Rows of each sheet by its name, or the XML of the sheet. */
  readonly sheets: Readonly<Record<string, readonly (readonly TestCell[])[] | { readonly xml: Part }>>;
  /** Texts with which cells refer to shared strings: `{ attributes: 't="s"', xml: '<v>0</v>' }`. */
  readonly sharedStrings?: Part;
  readonly styles?: Part;
  /** Replaces or adds parts by their names. */
  readonly parts?: Readonly<Record<string, Part | undefined>>;
  readonly workbookProperties?: string;
  readonly sheetAttributes?: Readonly<Record<string, string>>;
  readonly zip?: Partial<Options>;
}

/** Packs parts into a ZIP archive. */
export async function archiveOf(
  parts: Readonly<Record<string, Part | undefined>>,
  options: Partial<Options> = {},
): Promise<Buffer<ArrayBuffer>> {
  const zip = new ZipFile();
  for (const [name, part] of Object.entries(parts)) {
    if (typeof part === 'string' || Buffer.isBuffer(part)) {
      zip.addBuffer(Buffer.from(part as string), name, options);
    } else if (part !== undefined) {
      zip.addReadStream(Readable.from(part, { objectMode: false }), name, options);
    }
  }
  zip.end();
  return Buffer.from(await buffer(zip.outputStream));
}

/** A workbook as tests need it: the parts that Excel writes, with any content. */
export function workbookOf(workbook: TestWorkbook): Promise<Buffer<ArrayBuffer>> {
  const {
    sheets,
    sharedStrings,
    styles,
    parts,
    workbookProperties = '',
    sheetAttributes = {},
    zip,
  } = workbook;
  const names = Object.keys(sheets);
  const relation = (id: string, kind: string, target: string) =>
    `<Relationship Id="${id}" Type="${office}/${kind}" Target="${target}"/>`;
  return archiveOf(
    {
      '[Content_Types].xml': `<Types xmlns="${root}/package/2006/content-types"/>`,
      '_rels/.rels': `<Relationships xmlns="${relations}">${relation('rId1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
      'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}">${workbookProperties}<sheets>${names
        .map(
          (name, at) =>
            `<sheet name="${escaped(name)}" sheetId="${at + 1}" r:id="rId${at + 1}" ${sheetAttributes[name] ?? ''}/>`,
        )
        .join('')}</sheets></workbook>`,
      'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${relations}">${[
        ...names.map((_, at) => relation(`rId${at + 1}`, 'worksheet', `worksheets/sheet${at + 1}.xml`)),
        sharedStrings === undefined ? '' : relation('rIdT', 'sharedStrings', 'sharedStrings.xml'),
        styles === undefined ? '' : relation('rIdS', 'styles', 'styles.xml'),
      ].join('')}</Relationships>`,
      ...Object.fromEntries(
        Object.values(sheets).map((sheet, at) => [
          `xl/worksheets/sheet${at + 1}.xml`,
          'xml' in sheet ? sheet.xml : [...sheetXml(sheet)].join(''),
        ]),
      ),
      'xl/sharedStrings.xml': sharedStrings,
      'xl/styles.xml': styles,
      ...parts,
    },
    zip,
  );
}

/** The XML of a sheet whose data has this XML. */
export function* sheetOf(rows: Iterable<string>): Generator<string> {
  yield `<worksheet xmlns="${main}"><sheetData>`;
  yield* rows;
  yield '</sheetData></worksheet>';
}

/** The XML of shared strings. */
export function* sharedStringsOf(texts: Iterable<string>): Generator<string> {
  yield `<sst xmlns="${main}">`;
  for (const text of texts) yield `<si><t xml:space="preserve">${escaped(text)}</t></si>`;
  yield '</sst>';
}

function* sheetXml(rows: readonly (readonly TestCell[])[]): Generator<string> {
  yield* sheetOf(
    rows.map((cells, at) => `<row r="${at + 1}">${cells.map(cell => cellXml(cell)).join('')}</row>`),
  );
}

function cellXml(cell: TestCell): string {
  if (cell === null) return '<c/>';
  if (typeof cell === 'object') return `<c ${cell.attributes}>${cell.xml}</c>`;
  if (typeof cell === 'number') return `<c><v>${cell}</v></c>`;
  if (typeof cell === 'boolean') return `<c t="b"><v>${cell ? 1 : 0}</v></c>`;
  return `<c t="inlineStr"><is><t xml:space="preserve">${escaped(cell)}</t></is></c>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
