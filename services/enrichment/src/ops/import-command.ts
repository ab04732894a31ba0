import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { OperatorError } from '@mailproof/service-kit';
import { type Command, InvalidArgumentError } from 'commander';
import { openTableFile } from '../compose/operator.ts';
import { fieldsOf, type ImportKind } from '../domain/import/fields.ts';
import { type ImportReport, importFile } from '../domain/import/import-file.ts';
import { ImportConflict, type ImportRuns } from '../domain/import/import-runs.ts';
import { decideMapping, type Mapping, MappingFault, parseMap } from '../domain/import/mapping.ts';
import { FileFault } from '../domain/import/raw-row.ts';
import type { TableFile } from '../domain/import/table-file.ts';
import type { SourceLoad } from '../domain/profile-store/profile-store.ts';
import { mappingTable, reportText } from './import-texts.ts';
import type { CommandRoom } from './program.ts';
import { createProgress } from './progress.ts';
import { openReport, type ReportFile } from './report-file.ts';

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

/** Refused rows that the terminal shows of each reason. */
const examplesMax = 5;

export function addImportCommands(program: Command, room: CommandRoom): void {
  const group = program
    .command('import')
    .description('Load companies or people from a file of CSV or NDJSON, packed with gzip or not.');
  for (const kind of ['companies', 'people'] as const) {
    group
      .command(`${kind} <file>`)
      .description(`Load ${kind}.`)
      .requiredOption('--source <name>', 'what the file is a copy of, for example “Wikidata”', line(200))
      .requiredOption(
        '--licence <text>',
        'the licence that you have it under, for example CC0-1.0',
        line(200),
      )
      .requiredOption('--date <date>', 'the day on which the source said so, as 2026-03-01', day)
      .option('--map <column=field>', 'load a column as a field; may be repeated', mapped, [])
      .option('--delimiter <sign>', 'what separates columns, or “tab”; found out without it', delimiter)
      .option('--encoding <label>', 'for example windows-1252; UTF-8 or the byte order mark’s without it')
      .option('--dry-run', 'read the whole file and report, but store nothing')
      .option('--again', 'go through a file once more that was loaded to its end')
      .option('--report <file>', 'write every row that is refused into this CSV, with its line and reason')
      .option('--json', 'answer in JSON')
      .addHelpText('after', helpOf(kind))
      .action((file: string, options: ImportOptions) =>
        load(room, kind, resolve(room.directory, file), options),
      );
  }
}

function helpOf(kind: ImportKind): string {
  const width = Math.max(...fieldsOf(kind).map(({ name }) => name.length));
  const fields = fieldsOf(kind).map(({ name, meaning }) => `  ${name.padEnd(width)}  ${meaning}`);
  return `
Fields:
${fields.join('\n')}

Columns are recognised by their names, and by what stands in them where a name tells nothing; the command shows what
it took for what. An email address is never stored. Broken off, the same command goes on where it was; the same file
again changes nothing. The exit code is 0 when the file was read to its end, whatever rows were refused.

  pnpm run import ${kind} ${kind}.csv --source Example --licence CC0-1.0 --date 2026-03-01 --dry-run`;
}

async function load(
  room: CommandRoom,
  kind: ImportKind,
  path: string,
  options: ImportOptions,
): Promise<void> {
  const say = (text: string) => void (options.json || process.stderr.write(`${text}\n`));
  const file = await orOperatorError(() => openTableFile(path, options));
  const samples = file.samples.flatMap(row => ('values' in row ? [row.values] : []));
  const mapping = await orOperatorError(async () => decideMapping(kind, file.columns, samples, options.map));
  say(mappingTable(file.columns, mapping, samples));
  const report =
    options.report === undefined ? undefined : await openReport(resolve(room.directory, options.report));
  try {
    const request = { kind, file, mapping, load: loadOf(kind, file, mapping, options) };
    const outcome = options.dryRun
      ? await run(room, undefined, request, options, report)
      : await room.withOperator(({ runs }) => run(room, runs, request, options, report));
    const startedAt = outcome.startedMs;
    const seconds = (Date.now() - startedAt) / 1_000;
    process.stdout.write(
      options.json
        ? `${JSON.stringify({ ...outcome.report, seconds, isDryRun: options.dryRun ?? false, mapping })}\n`
        : reportText(kind, outcome.report, {
            seconds,
            examples: outcome.examples,
            isDryRun: options.dryRun ?? false,
          }),
    );
    room.setExitCode(exitCodes[outcome.report.state]);
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
  room: CommandRoom,
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
    const importing = { ...request, again: options.again ?? false, signal: room.signal };
    return { report: await orOperatorError(() => importFile(ports, importing)), examples, startedMs };
  } finally {
    progress.end();
  }
}

/** The same file read in the same way is the same load; read otherwise it is another. */
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
      throw new InvalidArgumentError(`Give 1 to ${charactersMax} characters in one line.`);
    }
    return text.trim();
  };
}

function day(text: string): string {
  const time = Date.parse(`${text}T00:00:00Z`);
  const isDay =
    /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
  if (!isDay || time > Date.now()) {
    throw new InvalidArgumentError('Give a day that is not to come, such as 2026-03-01.');
  }
  return text;
}

function delimiter(text: string): string {
  const sign = text === 'tab' || text === '\\t' ? '\t' : text;
  if (sign.length !== 1 || /["\r\n]/.test(sign)) {
    throw new InvalidArgumentError('Give one character, such as ; or the word tab.');
  }
  return sign;
}
