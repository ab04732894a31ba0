import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { OperatorError } from '@mailproof/service-kit/operator-command';
import { safeCell } from '@mailproof/shared-types';
import { type Command, InvalidArgumentError } from 'commander';
import { openTableFile } from '../compose/operator.ts';
import { fieldsOf, type ImportKind } from '../domain/import/fields.ts';
import {
  ImportConflict,
  type ImportReport,
  type ImportRuns,
  importFile,
} from '../domain/import/import-file.ts';
import { layoutNames, layoutOf } from '../domain/import/layouts.ts';
import { decideMapping, type Mapping, MappingFault, parseMap } from '../domain/import/mapping.ts';
import { FileFault, type TableFile } from '../domain/import/table-file.ts';
import type { SourceLoad } from '../domain/profile-store/profile-store.ts';
import { type CommandContext, createProgress } from './command-context.ts';
import { mappingTable, reportText } from './import-texts.ts';

interface ImportOptions {
  readonly map: readonly { readonly column: string; readonly field: string }[];
  readonly source: string;
  readonly licence: string;
  readonly date: string;
  readonly dryRun?: true;
  readonly again?: true;
  readonly delimiter?: string;
  readonly encoding?: string;
  readonly report?: string;
  readonly json?: true;
}

/** The number of refused rows that the terminal shows for each reason. */
const examplesMax = 5;

export function addImportCommands(program: Command, context: CommandContext): void {
  const group = program
    .command('import')
    .description('Load companies or people from a CSV or NDJSON file, optionally compressed with gzip.');
  for (const kind of ['companies', 'people'] as const) {
    group
      .command(`${kind} <file>`)
      .description(`Load ${kind}.`)
      .requiredOption('--source <name>', 'the source of the file, for example “Wikidata”', line(200))
      .requiredOption('--licence <text>', 'the license of the data, for example CC0-1.0', line(200))
      .requiredOption('--date <date>', 'the date of the data, as 2026-03-01', day)
      .option('--map <column=field>', 'load a column as a field; can be repeated', mapped, [])
      .option('--delimiter <sign>', 'the column separator, or “tab”; detected by default', delimiter)
      .option(
        '--encoding <label>',
        'for example windows-1252; defaults to the byte order mark’s encoding or UTF-8',
      )
      .option('--dry-run', 'read the whole file and report, but store nothing')
      .option('--again', 'load a file again that was already loaded completely')
      .option('--report <file>', 'write each rejected row to this CSV, with its line and reason')
      .option('--json', 'print JSON')
      .addHelpText('after', helpOf(kind))
      .action((file: string, options: ImportOptions) =>
        load(context, kind, resolve(context.directory, file), options),
      );
  }
}

function helpOf(kind: ImportKind): string {
  const width = Math.max(...fieldsOf(kind).map(({ name }) => name.length));
  const fields = fieldsOf(kind).map(({ name, meaning }) => `  ${name.padEnd(width)}  ${meaning}`);
  return `
Fields:
${fields.join('\n')}

Columns are detected by name, or by content if the name is ambiguous; the command shows the mapping. Exports of
${layoutNames.join(', ')} are recognized. Email addresses are never stored. If interrupted, run the same command again to continue; loading the same file again changes nothing.
The exit code is 0 if the whole file was read, even if rows were rejected.

  pnpm run import ${kind} ${kind}.csv --source Example --licence CC0-1.0 --date 2026-03-01 --dry-run`;
}

async function load(
  context: CommandContext,
  kind: ImportKind,
  path: string,
  options: ImportOptions,
): Promise<void> {
  const say = (text: string) => void (options.json || process.stderr.write(`${text}\n`));
  const file = await orOperatorError(() => openTableFile(path, options));
  const samples = file.samples.flatMap(row => ('values' in row ? [row.values] : []));
  const mapping = await orOperatorError(async () => decideMapping(kind, file.columns, samples, options.map));
  const layout = layoutOf(kind, file.columns)?.name;
  say(mappingTable(file.columns, mapping, samples, layout));
  const report =
    options.report === undefined ? undefined : await openReport(resolve(context.directory, options.report));
  try {
    const request = { kind, file, mapping, load: loadOf(kind, file, mapping, options) };
    const outcome = options.dryRun
      ? await run(context, undefined, request, options, report)
      : await context.withOperator(({ runs }) => run(context, runs, request, options, report));
    const startedAt = outcome.startedMs;
    const seconds = (Date.now() - startedAt) / 1_000;
    process.stdout.write(
      options.json
        ? `${JSON.stringify({ ...outcome.report, seconds, isDryRun: options.dryRun ?? false, layout, mapping })}\n`
        : reportText(kind, outcome.report, {
            seconds,
            examples: outcome.examples,
            isDryRun: options.dryRun ?? false,
          }),
    );
    context.setExitCode(exitCodes[outcome.report.state]);
  } finally {
    await report?.close();
  }
}

const exitCodes: Readonly<Record<ImportReport['state'], number>> = {
  ended: 0,
  ended_before: 0,
  broken: 1,
  stopped: 130,
};

async function run(
  context: CommandContext,
  runs: ImportRuns | undefined,
  request: { kind: ImportKind; file: TableFile; mapping: Mapping; load: SourceLoad },
  options: ImportOptions,
  report: ReportFile | undefined,
) {
  const startedMs = Date.now();
  const progress = createProgress(process.stderr, Date.now);
  const examples = new Map<string, number[]>();
  const ports = {
    runs,
    now: () => new Date(),
    onRefused(row: { line: number; reason: string; column?: string | undefined }) {
      const shown = examples.get(row.reason) ?? [];
      if (shown.length < examplesMax) examples.set(row.reason, [...shown, row.line]);
      report?.write(row);
    },
    onProgress({ rowsDone, bytes, bytesTotal }: { rowsDone: number; bytes: number; bytesTotal: number }) {
      if (!options.json) progress.tell(rowsDone, bytes / bytesTotal);
    },
    flush: async () => report?.flush(),
  };
  try {
    const importing = { ...request, again: options.again ?? false, signal: context.signal };
    return { report: await orOperatorError(() => importFile(ports, importing)), examples, startedMs };
  } finally {
    progress.end();
  }
}

/** The same file read in the same way is the same load; read differently, it is another one. */
function loadOf(kind: ImportKind, file: TableFile, mapping: Mapping, options: ImportOptions): SourceLoad {
  const how = [kind, file.sha256, Object.entries(mapping).sort(), options.delimiter, options.encoding];
  return {
    kind: 'import',
    name: options.source,
    licence: options.licence,
    retrievedOn: options.date,
    fingerprint: createHash('sha256').update(JSON.stringify(how)).digest('hex'),
  };
}

async function orOperatorError<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const isExpected =
      error instanceof FileFault || error instanceof MappingFault || error instanceof ImportConflict;
    throw isExpected ? new OperatorError(error.message) : error;
  }
}

function mapped(text: string, before: ImportOptions['map']): ImportOptions['map'] {
  try {
    return [...before, parseMap(text)];
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

function line(charactersMax: number) {
  return (text: string): string => {
    if (text.trim() === '' || text.length > charactersMax || /\p{Cc}/u.test(text)) {
      throw new InvalidArgumentError(`Enter 1 to ${charactersMax} characters on one line.`);
    }
    return text.trim();
  };
}

function day(text: string): string {
  const time = Date.parse(`${text}T00:00:00Z`);
  const isDay =
    /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
  if (!isDay || time > Date.now()) {
    throw new InvalidArgumentError('Enter a date that is not in the future, such as 2026-03-01.');
  }
  return text;
}

function delimiter(text: string): string {
  const sign = text === 'tab' || text === '\\t' ? '\t' : text;
  if (sign.length !== 1 || /["\r\n]/.test(sign)) {
    throw new InvalidArgumentError('Enter one character, such as ; or the word tab.');
  }
  return sign;
}

/** A CSV file of refused rows. */
interface ReportFile {
  write(row: { readonly line: number; readonly reason: string; readonly column?: string | undefined }): void;
  /** Waits until everything written has been handed to the operating system. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a report; a resumed import appends to it. */
async function openReport(path: string): Promise<ReportFile> {
  let isNew = true;
  try {
    const file = await open(path, 'a');
    isNew = (await file.stat()).size === 0;
    await file.close();
  } catch (error) {
    throw new OperatorError(`The report ${path} cannot be written: ${(error as Error).message}`);
  }
  const stream = createWriteStream(path, { flags: 'a' });
  let isFull = false;
  stream.on('drain', () => {
    isFull = false;
  });
  const put = (text: string) => {
    isFull = !stream.write(text);
  };
  if (isNew) put('line,reason,column\n');
  return {
    write: ({ line, reason, column }) =>
      put(`${line},${reason},${column === undefined ? '' : quoted(column)}\n`),
    async flush() {
      if (isFull) await once(stream, 'drain');
    },
    async close() {
      stream.end();
      await once(stream, 'close');
    },
  };
}

/** A column's name comes from the file: it must not become a formula in a spreadsheet. */
function quoted(text: string): string {
  return `"${safeCell(text).replaceAll('"', '""')}"`;
}
