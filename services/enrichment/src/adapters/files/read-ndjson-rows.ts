import { type LineRules, linesOf } from '@mailproof/shared-types';
import { FileFault, type RawRow, type RawValue } from '../../domain/import/raw-row.ts';
import { rowBytesMax } from './read-csv-rows.ts';

/** Objects within objects, as `location.country`; deeper ones are left out. */
const depthMax = 4;

const lineRules: LineRules = {
  ends: 'lf',
  keepsUnfinished: true,
  charactersMax: rowBytesMax,
  tooLong: line => new FileFault(`The line is longer than ${rowBytesMax} characters.`, line),
};

/** Reads one JSON object a line. */
export async function* readNdjsonRows(text: AsyncIterable<string>): AsyncGenerator<RawRow, void> {
  let line = 0;
  for await (const read of linesOf(text, lineRules)) {
    line += 1;
    if (read.trim() !== '') {
      yield rowOf(line, read);
    }
  }
}

function rowOf(line: number, text: string): RawRow {
  let value: unknown;
  try {
    value = JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text);
  } catch {
    return { line, unreadable: 'not_json' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { line, unreadable: 'not_an_object' };
  }
  const values: Record<string, RawValue> = {};
  flatten(value, '', values, depthMax);
  return { line, values };
}

function flatten(value: object, prefix: string, into: Record<string, RawValue>, depth: number): void {
  for (const [name, inner] of Object.entries(value)) {
    const path = `${prefix}${name}`;
    if (Array.isArray(inner)) {
      const words = inner.flatMap(item => scalar(item) ?? []);
      if (words.length > 0) into[path] = words;
    } else if (typeof inner === 'object' && inner !== null) {
      if (depth > 1) flatten(inner, `${path}.`, into, depth - 1);
    } else {
      const word = scalar(inner);
      if (word !== undefined && word !== '') into[path] = word;
    }
  }
}

function scalar(value: unknown): string | undefined {
  return typeof value === 'string'
    ? value
    : typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : undefined;
}
