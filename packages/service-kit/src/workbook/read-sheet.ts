import { isPlainNumber, limits } from '@mailproof/shared-types';
import { createTextOfRuns, type NumberLook, textOfNumber } from './cell-text.ts';
import type { Package } from './open-package.ts';
import { readXml } from './read-xml.ts';
import type { SharedStrings } from './shared-strings.ts';
import type { SheetRow } from './sheet.ts';
import { notReadable } from './workbook-fault.ts';

const partOctetsMax = 400_000_000;

export interface SheetContext {
  readonly part: string;
  readonly strings: SharedStrings | undefined;
  readonly looks: readonly NumberLook[];
  readonly is1904: boolean;
}

interface Cell {
  readonly column: number;
  readonly type: string;
  readonly style: number;
  value: string;
  hasText: boolean;
}

/**
 * Reads the rows of a sheet while it is unpacked. A row without a value is none, however it looks. A cell has the value
 * that is stored: of a formula, its last result; of merged cells, that of the first one.
 *
 * @param numbers counts in each column the cells with numbers, and the texts that look like one
 */
export async function* readSheet(
  archive: Package,
  { part, strings, looks, is1904 }: SheetContext,
  numbers: ColumnNumbers,
): AsyncGenerator<SheetRow> {
  let rows: SheetRow[] = [];
  let line = 0;
  let cells: string[] = [];
  let next = 0;
  let cell: Cell | undefined;
  let isValue = false;
  const place = () => `Cell ${columnLetters(cell?.column ?? 0)}${line}`;
  const runs = createTextOfRuns('A cell');

  const textOf = ({ type, style, value, hasText }: Cell): string => {
    switch (type) {
      case 's':
        return strings?.at(Number(value)) ?? missingText(place());
      case 'inlineStr':
        return hasText ? runs.take() : '';
      case 'b':
        return value === '1' || value === 'true' ? 'TRUE' : 'FALSE';
      // The result of a formula, an error such as `#N/A`, and a date in ISO 8601.
      case 'str':
      case 'e':
      case 'd':
        return value;
      default:
        return textOfNumber(value, looks[style], is1904);
    }
  };
  const reading = readXml(archive.read(part, partOctetsMax), part, {
    open(name, attribute) {
      if (name === 'row') {
        line = numberOf(attribute('r')) ?? line + 1;
        cells = [];
        next = 0;
      } else if (name === 'c') {
        const column = columnOf(attribute('r')) ?? next;
        next = column + 1;
        cell = {
          column,
          type: attribute('t') ?? 'n',
          style: Number(attribute('s') ?? -1),
          value: '',
          hasText: false,
        };
        runs.begin();
      } else if (cell && name === 'v') {
        isValue = true;
      } else if (cell && name === 'is') {
        cell.hasText = true;
      } else if (cell) {
        runs.open(name);
      }
    },
    text(text) {
      if (cell && isValue) {
        cell.value += text;
        if (cell.value.length > limits.cellCharactersMax) {
          throw notReadable(`${place()} has more than ${limits.cellCharactersMax} characters.`);
        }
      } else if (cell) {
        runs.text(text);
      }
    },
    close(name) {
      if (name === 'v') {
        isValue = false;
      } else if (name === 'c' && cell) {
        const isBlank = cell.type === 'inlineStr' ? !cell.hasText : cell.value === '';
        const text = isBlank ? '' : textOf(cell);
        if (text !== '') {
          put(cells, cell.column, text, place);
          numbers.count(cell.column, text, cell.type === 'n');
        }
        cell = undefined;
      } else if (name === 'row' && cells.length > 0) {
        rows.push({ line, cells });
      } else if (cell) {
        runs.close(name);
      }
    },
  });
  for await (const _piece of reading) {
    yield* rows;
    rows = [];
  }
}

function put(cells: string[], column: number, text: string, place: () => string): void {
  if (column >= limits.jobColumnsMax) {
    throw notReadable(
      `${place()} is outside of the ${limits.jobColumnsMax} columns that a list can have: remove columns that you do not need.`,
    );
  }
  while (cells.length < column) {
    cells.push('');
  }
  cells[column] = text;
}

function missingText(place: string): never {
  throw notReadable(`The workbook is damaged: the text of ${place.toLowerCase()} is missing.`);
}

/** In which columns numbers can be told from texts, so that an export can write them as numbers again. */
export interface ColumnNumbers {
  count(column: number, text: string, isNumber: boolean): void;
  /** Columns with numbers, and without texts that look like one. */
  columns(): readonly number[];
}

export function createColumnNumbers(): ColumnNumbers {
  const columns: { hasNumbers: boolean; hasTexts: boolean }[] = [];
  return {
    count(column, text, isNumber) {
      if (isPlainNumber(text)) {
        const known = columns[column] ?? { hasNumbers: false, hasTexts: false };
        columns[column] = known;
        known.hasNumbers ||= isNumber;
        known.hasTexts ||= !isNumber;
      }
    },
    columns: () =>
      [...columns.entries()].flatMap(([column, known]) =>
        known?.hasNumbers && !known.hasTexts ? [column] : [],
      ),
  };
}

function numberOf(reference: string | undefined): number | undefined {
  return reference !== undefined && /^\d{1,9}$/.test(reference) ? Number(reference) : undefined;
}

/** The column of a reference such as `AB12`, from 0. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = reference === undefined ? undefined : /^([A-Z]{1,3})\d/.exec(reference)?.[1];
  return letters === undefined
    ? undefined
    : [...letters].reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function columnLetters(column: number): string {
  const letter = String.fromCharCode(65 + (column % 26));
  return column < 26 ? letter : columnLetters(Math.floor(column / 26) - 1) + letter;
}
