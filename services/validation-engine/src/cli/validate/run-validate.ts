import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { FileEncoding, ValidationResult } from '@mailproof/shared-types';
import { composeRowReader, composeValidation } from '../../compose/validation.ts';
import { loadValidationConfig } from '../../config.ts';
import { forEachRow } from '../../domain/concurrency/for-each-row.ts';
import { exitCodes, paint, printable, type Terminal, UsageError, write } from '../terminal.ts';
import { type AddressList, ListError, type ListRow, openAddressList } from './address-list.ts';
import { createProgressBar } from './progress-bar.ts';
import { createTally, createVerdictLine, resultOf, toJsonLine, validateRow } from './row-verdict.ts';

export interface ValidateOptions {
  readonly file?: string;
  readonly column?: string;
  readonly delimiter?: string;
  readonly encoding?: FileEncoding;
  readonly json?: true;
  readonly concurrency: number;
  readonly deadlineMs?: number;
  readonly failOn?: ReadonlySet<ValidationResult>;
}

/** The source of the rows. */
interface Source {
  readonly rows: AsyncGenerator<ListRow>;
  /** Addresses known before the first validation; they set the width of the columns. */
  readonly known: readonly string[];
  readonly emptyRows: () => number;
  readonly total: () => number | undefined;
}

/** The addresses of a list are not known in advance; most are no longer than this. */
const typicalAddress = ' '.repeat(32);

/** Validates the given addresses, or those of a list, and writes each verdict as soon as it is available. */
export async function runValidate(
  addresses: readonly string[],
  options: ValidateOptions,
  terminal: Terminal,
): Promise<number> {
  refuseContradictions(addresses, options);
  const { stdout, stderr, environment } = terminal;
  const config = loadValidationConfig(environment);
  const deadlineMs = options.deadlineMs ?? config.VALIDATION_DEADLINE_MS;
  const { validate, close } = composeValidation({ ...config, VALIDATION_DEADLINE_MS: deadlineMs });
  const { signal } = terminal;
  const source = await openSource(addresses, options, terminal);
  if (source === undefined) {
    return exitCodes.interrupted;
  }

  const startedAtMs = performance.now();
  const elapsedMs = () => performance.now() - startedAtMs;
  const tally = createTally();
  const verdictLine = createVerdictLine(source.known, (text, color) =>
    paint(text, color, stdout, environment),
  );
  const bar = createProgressBar(stderr, () => ({
    done: tally.total(),
    total: source.total(),
    elapsedMs: elapsedMs(),
  }));
  let fails = false;
  let readerGone = false;
  try {
    await forEachRow(source.rows, options.concurrency, signal, async row => {
      const said = await validateRow(row, async email => (await validate(email, deadlineMs, signal)).verdict);
      if (signal.aborted) {
        // The interruption ended this validation early, so its verdict says nothing about the address.
        return;
      }
      tally.add(resultOf(said));
      fails ||= options.failOn?.has(resultOf(said)) === true;
      bar.clear();
      const written = write(stdout, options.json ? toJsonLine(said) : verdictLine(said));
      bar.draw();
      await written;
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') {
      throw error;
    }
    readerGone = true;
  } finally {
    bar.stop();
    await close();
  }

  const interrupted = signal.aborted || readerGone;
  const end = { elapsedMs: elapsedMs(), interrupted, emptyRows: source.emptyRows() };
  await write(stderr, `${tally.summarize(end)}\n`);
  if (interrupted) {
    return exitCodes.interrupted;
  }
  if (tally.total() === 0) {
    throw new ListError('The list contains no addresses.');
  }
  return fails ? exitCodes.bad : exitCodes.good;
}

function refuseContradictions(addresses: readonly string[], options: ValidateOptions): void {
  if (options.file === undefined) {
    if ([options.column, options.delimiter, options.encoding].some(given => given !== undefined)) {
      throw new UsageError('--column, --delimiter and --encoding require --file.');
    }
    if (addresses.length === 0) {
      throw new UsageError('Enter an address, or a list with --file. See --help.');
    }
  } else if (addresses.length > 0) {
    throw new UsageError('Enter either addresses or a list with --file, not both.');
  }
  if (
    options.delimiter !== undefined &&
    (options.delimiter.length !== 1 || /["\r\n]/.test(options.delimiter))
  ) {
    throw new UsageError('--delimiter must be one character other than a quote or a line break.');
  }
}

/** Undefined if the user interrupted before the list was open. */
async function openSource(
  addresses: readonly string[],
  options: ValidateOptions,
  terminal: Terminal,
): Promise<Source | undefined> {
  const { file } = options;
  if (file === undefined) {
    const rows = addresses.map((address, index) => ({ row: index + 1, address }));
    return { rows: oneByOne(rows), known: addresses, emptyRows: () => 0, total: () => rows.length };
  }
  const path = file === '-' ? undefined : resolve(terminal.workingDirectory, file);
  const open = async () =>
    openAddressList(path === undefined ? terminal.stdin : createReadStream(path), {
      ...options,
      readRows: composeRowReader(),
      signal: terminal.signal,
    });
  try {
    const list = await open();
    terminal.stderr.write(`${describe(file, list)}\n`);
    let total: number | undefined;
    // Counting reads the list twice, which is useful only if a user watches the progress bar.
    if (path !== undefined && terminal.stderr.isTTY === true && (await stat(path)).isFile()) {
      void countRows(open).then(count => {
        total = count;
      });
    }
    return { rows: list.rows, known: [typicalAddress], emptyRows: list.emptyRows, total: () => total };
  } catch (error) {
    if (terminal.signal.aborted) {
      return undefined;
    }
    throw error;
  }
}

async function* oneByOne(rows: readonly ListRow[]): AsyncGenerator<ListRow> {
  yield* rows;
}

/** Counts the rows; undefined if the list cannot be read to its end, which the validation reports. */
async function countRows(open: () => Promise<AddressList>): Promise<number | undefined> {
  try {
    let count = 0;
    for await (const _row of (await open()).rows) {
      count += 1;
    }
    return count;
  } catch {
    return undefined;
  }
}

/** Describes the detected layout of the list, so that a wrong guess does not go unnoticed. */
function describe(file: string, { layout, delimiter, guessedEncoding }: AddressList): string {
  const name = file === '-' ? 'Standard input' : printable(basename(file));
  const column =
    layout.columnName === undefined
      ? `column ${layout.column + 1}, no header`
      : `column ${layout.column + 1}, "${printable(layout.columnName)}"`;
  const parted = delimiter === undefined ? 'one column' : `columns separated by ${JSON.stringify(delimiter)}`;
  const guess = guessedEncoding === undefined ? '' : ` Read as ${guessedEncoding}, which is a guess.`;
  return `${name}: ${parted}; addresses in ${column}.${guess}`;
}
