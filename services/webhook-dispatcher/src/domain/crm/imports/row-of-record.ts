import { limits } from '@mailproof/shared-types';
import type { CrmRecord } from '../crm.ts';

export interface RowOfRecord {
  readonly cells: readonly string[];
  /** Whether a value was longer than a cell may be. */
  readonly isShortened: boolean;
}

/** Octets of the cells of one row, with room for what is around them. */
const rowOctetsMax = limits.rowBytesMax * 0.9;

/** The cells of a record: its id, then its properties as they stand there. One that is missing is empty. */
export function rowOfRecord({ recordId, values }: CrmRecord, properties: readonly string[]): RowOfRecord {
  const whole = [recordId, ...properties.map(property => cleaned(values[property] ?? ''))];
  let cells = shortened(whole, limits.cellCharactersMax);
  // A CRM lets many properties be long at once; a row has a limit of its own.
  for (
    let max: number = limits.cellCharactersMax;
    octetsOf(cells) > rowOctetsMax;
    max = Math.floor(max / 2)
  ) {
    cells = shortened(cells, max);
  }
  return { cells, isShortened: cells.some((cell, at) => cell !== whole[at]) };
}

/** Postgres keeps no NUL in a text, and half a surrogate pair is no character. */
function cleaned(value: string): string {
  return value.replaceAll('\0', '').toWellFormed();
}

function shortened(cells: readonly string[], charactersMax: number): string[] {
  return cells.map(cell =>
    cell.length > charactersMax ? cell.slice(0, charactersMax).replace(/[\ud800-\udbff]$/, '') : cell,
  );
}

function octetsOf(cells: readonly string[]): number {
  return cells.reduce((sum, cell) => sum + Buffer.byteLength(cell), 0);
}
