import { addAbortSignal, type Readable } from 'node:stream';
import type { FileEncoding } from '@mailproof/shared-types';
import { addressOfCell } from '../../domain/intake/address-of-cell.ts';
import { IntakeFault } from '../../domain/intake/intake-fault.ts';
import { type LaidOutFile, layOutFile, type ReadRows } from '../../domain/intake/open-file.ts';
import type { TableRow } from '../../domain/intake/receive-list.ts';
import { type Layout, noDelimiter } from '../../domain/intake/table-layout.ts';

/** One address to validate. */
export interface ListRow {
  /** The line on which the row ends, or the position of the address among the arguments; from 1. */
  readonly row: number;
  readonly address: string;
}

export interface ListOptions {
  readonly column?: string;
  readonly delimiter?: string;
  readonly encoding?: FileEncoding;
  readonly readRows: ReadRows;
  readonly signal: AbortSignal;
}

export interface AddressList {
  readonly layout: Layout;
  /** Undefined if each line is one address. */
  readonly delimiter: string | undefined;
  /** The assumed encoding, if nothing declares one. */
  readonly guessedEncoding: FileEncoding | undefined;
  /** Can be iterated only once. */
  readonly rows: AsyncGenerator<ListRow>;
  /** The number of skipped rows, whose cell is empty or missing. */
  emptyRows(): number;
}

/** The list cannot be read; the message is a sentence that says why. */
export class ListError extends Error {
  override readonly name = 'ListError';
}

/**
 * Opens a list and finds its address column, as uploads do. The rows are read lazily.
 *
 * @throws ListError
 */
export async function openAddressList(source: Readable, options: ListOptions): Promise<AddressList> {
  const { signal, column, readRows } = options;
  try {
    const file = await layOutFile(addAbortSignal(signal, source), options, readRows, column);
    return listOf(file, source, signal);
  } catch (error) {
    source.destroy();
    throw readFault(error);
  }
}

function listOf(file: LaidOutFile, source: Readable, signal: AbortSignal): AddressList {
  const { rows, sampleRows, found, delimiter, facts } = file;
  if (sampleRows === 0) {
    throw new ListError('The list is empty.');
  }
  if ('fault' in found) {
    throw new ListError(found.fault);
  }
  const { layout } = found;
  const counts = { empty: 0 };
  const { encoding, encodingIsGuess } = facts();
  return {
    layout,
    delimiter: delimiter === noDelimiter ? undefined : delimiter,
    guessedEncoding: encodingIsGuess ? encoding : undefined,
    rows: addressesOf(rows, layout, counts, source, signal),
    emptyRows: () => counts.empty,
  };
}

async function* addressesOf(
  rows: AsyncIterable<TableRow>,
  { column, columnName }: Layout,
  counts: { empty: number },
  source: Readable,
  signal: AbortSignal,
): AsyncGenerator<ListRow> {
  let isHeader = columnName !== undefined;
  try {
    for await (const { line, cells } of rows) {
      if (isHeader) {
        isHeader = false;
        continue;
      }
      const address = addressIn(cells[column] ?? '');
      if (address === undefined) {
        counts.empty += 1;
      } else {
        yield { row: line, address };
      }
    }
  } catch (error) {
    if (!signal.aborted) {
      throw readFault(error);
    }
  } finally {
    // An open standard input would keep the process alive.
    source.destroy();
  }
}

/** The address in a cell, as uploads read it; the cell itself if it has none, and undefined if it is blank. */
function addressIn(cell: string): string | undefined {
  const found = addressOfCell(cell);
  if ('address' in found) {
    return found.address.input;
  }
  return found.fault === 'blank' ? undefined : cell.trim();
}

function readFault(error: unknown): ListError {
  if (error instanceof ListError) {
    return error;
  }
  const { message } = error as Error;
  return error instanceof IntakeFault
    ? new ListError(message, { cause: error })
    : new ListError(`The list cannot be read: ${message}.`, { cause: error });
}
