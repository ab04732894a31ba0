import { safeCell } from '@mailproof/shared-types';
import { describeEntry } from './describe-entry.ts';
import type { LedgerEntry } from './statement-port.ts';

/** Reads a page of entries, starting at the cursor. */
export type ReadEntries = (
  cursor: string | undefined,
) => Promise<{ readonly entries: readonly LedgerEntry[]; readonly nextCursor?: string | undefined }>;

const columns = [
  'entry_id',
  'at',
  'kind',
  'description',
  'operation',
  'run_id',
  'request_id',
  'change',
  'held_change',
  'balance_after',
  'held_after',
] as const;

/**
 * Writes a statement as CSV (RFC 4180), a page of entries at a time. A statement that exceeds `rowsMax` ends with a row
 * that says so, because a truncated file would look complete.
 */
export async function* statementCsv(read: ReadEntries, rowsMax: number): AsyncGenerator<string> {
  yield rowOf(columns);
  let rowsLeft = rowsMax;
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    const entries = page.entries.slice(0, rowsLeft);
    rowsLeft -= entries.length;
    cursor = page.nextCursor;
    if (entries.length > 0) {
      yield entries.map(entry => rowOf(cellsOf(entry))).join('');
    }
    if (entries.length < page.entries.length || (rowsLeft === 0 && cursor !== undefined)) {
      yield rowOf(['', '', '', `This file ends after ${rowsMax} rows; request a shorter period.`]);
      return;
    }
  } while (cursor !== undefined);
}

function cellsOf(entry: LedgerEntry): readonly (string | number)[] {
  return [
    entry.entryId,
    entry.at,
    entry.kind,
    describeEntry(entry),
    entry.cause,
    entry.runId ?? '',
    entry.requestId ?? '',
    entry.availableChange,
    entry.heldChange,
    entry.availableAfter,
    entry.heldAfter,
  ];
}

function rowOf(cells: readonly (string | number)[]): string {
  return `${cells.map(cell => (typeof cell === 'number' ? String(cell) : quoted(safeCell(cell)))).join(',')}\r\n`;
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
