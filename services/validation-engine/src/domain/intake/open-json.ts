import { limits } from '@mailproof/shared-types';
import { nameColumns } from './column-names.ts';
import { decodeText } from './decode-text.ts';
import { notReadable } from './intake-fault.ts';
import type { Table, TableRow } from './receive-list.ts';

/** One array, or one value on each line. */
export type JsonForm = 'array' | 'lines';

/** A row as JSON: the text of each field by its name. An address alone is the field `email`. */
export interface JsonRecord {
  /** The number of the row in an array, or of its line, from 1. */
  readonly line: number;
  readonly fields: ReadonlyMap<string, string>;
}

/** Reads records as their text arrives. Throws IntakeFault at the first one that cannot be read. */
export type ReadJsonRecords = (text: AsyncIterable<string>, form: JsonForm) => AsyncGenerator<JsonRecord>;

export const addressField = 'email';
const nameCharactersMax = 200;

/** The place of a record, for the client. */
export function placeOf(form: JsonForm, line: number): string {
  return `${form === 'array' ? 'Row' : 'Line'} ${line}`;
}

/**
 * Opens JSON as a table. A column is named when a record first has its field, so that rows are stored as they arrive; a
 * record has the cells up to its last field, and may have fewer than later ones.
 */
export async function openJson(
  octets: AsyncIterable<Uint8Array>,
  form: JsonForm,
  readRecords: ReadJsonRecords,
): Promise<Table> {
  // JSON between systems is UTF-8 (RFC 8259 section 8.1).
  const { text, facts } = decodeText(octets, 'utf-8');
  const columns = new Map([[addressField, 0]]);
  return {
    rows: rowsOf(readRecords(text, form), form, columns),
    hasHeader: false,
    addressColumn: 0,
    addressColumnIsGiven: true,
    layout: () => ({ format: 'ndjson', ...facts(), delimiter: '', hasHeader: false }),
    names: () => nameColumns([...columns.keys()], columns.size),
  };
}

async function* rowsOf(
  records: AsyncGenerator<JsonRecord>,
  form: JsonForm,
  columns: Map<string, number>,
): AsyncGenerator<TableRow> {
  for await (const { line, fields } of records) {
    const place = placeOf(form, line);
    if (!fields.has(addressField)) {
      throw notReadable(`${place} has no field “${addressField}”. If there is no address, send null.`);
    }
    const cells: string[] = [];
    for (const [name, cell] of fields) {
      if (cell.length > limits.cellCharactersMax) {
        throw notReadable(
          `${place}: the field “${name}” has ${cell.length} characters; the limit is ${limits.cellCharactersMax}.`,
        );
      }
      const column = columns.get(name) ?? newColumn(columns, name, place);
      while (cells.length < column) {
        cells.push('');
      }
      cells[column] = cell;
    }
    yield { line, cells };
  }
}

function newColumn(columns: Map<string, number>, name: string, place: string): number {
  if (name.length > nameCharactersMax) {
    throw notReadable(
      `${place}: the name of a field has ${name.length} characters; the limit is ${nameCharactersMax}.`,
    );
  }
  // An export as JSON has the columns as members of objects.
  if (name === '__proto__') {
    throw notReadable(`${place}: a field cannot be named “__proto__”. Choose another name.`);
  }
  if (columns.size === limits.jobColumnsMax) {
    throw notReadable(
      `${place}: “${name}” is one more field than the ${limits.jobColumnsMax} that a list can have.`,
    );
  }
  const column = columns.size;
  columns.set(name, column);
  return column;
}
