import { createWriteStream, openAsBlob } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, extname, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Mailproof, MailproofError, type Schema } from '@mailproof/sdk';
import { assertReadable, assertWritable, reasonOf, statsOf } from './files.ts';
import {
  CommandError,
  confirm,
  createStatusLine,
  exitCodes,
  isInteractive,
  printable,
  type Result,
  sentenceOf,
  type Terminal,
  type ValidateOptions,
  write,
} from './terminal.ts';

type Job = Schema['ValidationJob'];

/** A job can wait long for mail hosts that ask for a retry; it ends on its own before this, in milliseconds. */
const waitMs = 7 * 24 * 3_600_000;

/** A list, with what makes it the same list at the next run. */
export interface List {
  /** Undefined for the standard input, and for the remaining rows of a job. */
  readonly path: string | undefined;
  /** The job whose remaining rows are the list. */
  readonly jobId?: string;
  readonly name: string;
  readonly version: string;
}

/** The run that a file next to the results remembers until the results are there. */
interface Remembered {
  readonly job_id: string;
  readonly list: string;
}

/** The list that the arguments name; undefined if they are addresses. */
export function isList(given: readonly string[], { workingDirectory }: Terminal): List | undefined {
  const lists = given.flatMap((name): List[] => {
    if (name === '-') return [{ path: undefined, name: 'standard input', version: '' }];
    const path = resolve(workingDirectory, name);
    const found = statsOf(path);
    if (found?.isFile()) {
      if (found.size === 0) throw new CommandError(`${printable(name)} is empty.`);
      return [{ path, name: basename(path), version: `${found.size} ${found.mtimeMs}` }];
    }
    if (found) throw new CommandError(`${printable(name)} is not a file. For the standard input, enter -.`);
    if (/^vjob_\w+$/.test(name)) return [{ path: undefined, jobId: name, name, version: name }];
    if (!name.includes('@')) {
      throw new CommandError(
        `${printable(name)} is neither an address, a file that exists nor the id of a job.`,
      );
    }
    return [];
  });
  if (lists.length === 0) return undefined;
  if (given.length > 1) throw new CommandError('Enter one list, or addresses.');
  return lists[0];
}

/** Uploads a list, starts it if the price is accepted, follows it, and writes its results to a file. */
export async function validateList(
  list: List,
  options: ValidateOptions,
  mailproof: Mailproof,
  terminal: Terminal,
): Promise<number> {
  if (!options.yes && options.maxCredits === undefined && !isInteractive(terminal)) {
    throw new CommandError('Say what the list may cost: use --max-credits, or --yes to start at any price.');
  }
  const output = outputOf(list, options, terminal);
  const remembered = output === undefined || isStandardInput(list) ? undefined : `${output}.job`;
  if (list.path !== undefined) await assertReadable(list.path);
  // An interrupted run was allowed to overwrite what is there.
  const overwrites =
    options.force === true || (remembered !== undefined && statsOf(remembered) !== undefined);
  if (output !== undefined) await assertWritable(output, overwrites);
  const run = { list, options, mailproof, terminal, remembered };
  const job = (await resumed(run)) ?? (await created(run));
  if (job.state === 'ready') {
    await start(job, run);
  }
  const ended = await follow(job, run);
  await download(ended, output, run);
  if (remembered) await rm(remembered, { force: true });
  await write(terminal.stderr, `${summaryOf(ended)}${output ? ` Results: ${output}` : ''}\n`);
  if (ended.state !== 'succeeded' && ended.done < ended.addresses) {
    await write(terminal.stderr, restOf(ended));
  }
  return exitCodeOf(ended, options);
}

interface Run {
  readonly list: List;
  readonly options: ValidateOptions;
  readonly mailproof: Mailproof;
  readonly terminal: Terminal;
  /** The file that remembers the run; undefined if it cannot be resumed. */
  readonly remembered: string | undefined;
}

/** How to get the results of a job that has been started. */
function nextOf({ remembered, options }: Run): string {
  return remembered === undefined
    ? 'Get its results in the application or with the API: this command would validate and charge the list again.'
    : `Run the same command again${options.force ? ', but without --force,' : ''} to get its results.`;
}

function isStandardInput({ path, jobId }: List): boolean {
  return path === undefined && jobId === undefined;
}

/** The path of the results; undefined for the standard output. */
function outputOf(list: List, { output }: ValidateOptions, { workingDirectory }: Terminal) {
  const { path, jobId } = list;
  if (output === '-' || (output === undefined && isStandardInput(list))) return undefined;
  if (output !== undefined) return resolve(workingDirectory, output);
  if (jobId !== undefined) return resolve(workingDirectory, `${jobId}.validated.csv`);
  const extension = isWorkbook(path) ? 'xlsx' : 'csv';
  return `${path?.slice(0, -extname(path).length || undefined)}.validated.${extension}`;
}

/** By its name, because the file of the results is named before the list is uploaded; the server reads its content. */
function isWorkbook(path: string | undefined): boolean {
  return path !== undefined && /^\.xls[xm]$/i.test(extname(path));
}

/**
 * The format of the results: that of the name of their file, or as the list came in. A workbook that is named is CSV on
 * the standard output, and so are the remaining rows of a job.
 */
function formatOf(output: string | undefined, list: List): 'as_uploaded' | 'csv' | 'ndjson' | 'xlsx' {
  const wanted = output === undefined ? undefined : extname(output).slice(1).toLowerCase();
  if (wanted === 'xlsx' || wanted === 'ndjson') return wanted;
  return isWorkbook(list.path) || list.jobId !== undefined ? 'csv' : 'as_uploaded';
}

/**
 * The job of an interrupted run of the same list, if the server still has it. One that was not started is read with the
 * options of this run.
 */
async function resumed(run: Run): Promise<Job | undefined> {
  const { list, options, mailproof, terminal, remembered: path } = run;
  const text =
    options.force || path === undefined ? undefined : await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const earlier = parseRemembered(text);
  if (earlier?.list !== list.version) {
    throw new CommandError(
      `The list differs from the one of the interrupted run in ${path}. Use --force to start again, or --output to choose another file.`,
    );
  }
  try {
    const job = await mailproof.send('get', '/validation-jobs/{job_id}', {
      params: { path: { job_id: earlier.job_id } },
      signal: terminal.signal,
    });
    if (job.state === 'ready' && isReread(options)) return undefined;
    await write(terminal.stderr, `Resuming ${job.job_id}, which is ${job.state}.\n`);
    if (job.state === 'ready') return await prepared(job, run);
    assertColumn(job, options);
    return job;
  } catch (error) {
    if (!(error instanceof MailproofError) || error.status !== 404) throw error;
    throw new CommandError(
      `The job ${earlier.job_id} of the interrupted run in ${path} is deleted. Use --force to start again.`,
    );
  }
}

function parseRemembered(text: string): Remembered | undefined {
  try {
    const { job_id, list } = JSON.parse(text) as Partial<Remembered>;
    return typeof job_id === 'string' && typeof list === 'string' ? { job_id, list } : undefined;
  } catch {
    return undefined;
  }
}

/** What the server says about the list, or about how the options say to read it. */
const listCodes: ReadonlySet<MailproofError['code']> = new Set([
  'body_too_large',
  'file_not_readable',
  'invalid_request',
  'no_addresses_found',
  'not_a_sandbox_address',
  'too_many_rows',
] as const);

function refusedList(error: unknown): never {
  const isOfList = error instanceof MailproofError && listCodes.has(error.code);
  throw isOfList ? new CommandError(sentenceOf(error)) : error;
}

/** The job of the remaining rows of another. */
function revalidated(job_id: string, { mailproof, terminal }: Run): Promise<Job> {
  return mailproof.send('post', '/validation-jobs/{job_id}/revalidation', {
    params: { path: { job_id } },
    signal: terminal.signal,
  });
}

async function created(run: Run): Promise<Job> {
  const { list, remembered } = run;
  const received = list.jobId === undefined ? await uploaded(run) : await revalidated(list.jobId, run);
  const job = await prepared(received, run);
  if (remembered) {
    const memory: Remembered = { job_id: job.job_id, list: list.version };
    await remember(memory, remembered, run);
  }
  return job;
}

/** @throws CommandError before the job is started, also if another run of the list has got this far first */
async function remember(memory: Remembered, path: string, { options }: Run): Promise<void> {
  const flag = options.force || isReread(options) ? 'w' : 'wx';
  await writeFile(path, `${JSON.stringify(memory)}\n`, { flag }).catch(async error => {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      throw new CommandError(
        `Another run of this command has uploaded the list at the same time. Run the command again to follow that job, ${path}. This run is not started, and not charged.`,
        exitCodes.failed,
      );
    }
    // A part of it would keep the next run from starting.
    await rm(path, { force: true }).catch(() => undefined);
    throw new CommandError(
      `${path} cannot be written: ${reasonOf(error)}. The list is not started, and nothing is charged.`,
      exitCodes.failed,
    );
  });
}

/** Whether the options say how to read a file that an earlier run has uploaded. */
function isReread({ delimiter, encoding }: ValidateOptions): boolean {
  return delimiter !== undefined || encoding !== undefined;
}

async function uploaded({ list, options, mailproof, terminal }: Run): Promise<Job> {
  const { delimiter, encoding, sheet } = options;
  const file = list.path === undefined ? Readable.toWeb(terminal.stdin) : await openAsBlob(list.path);
  return mailproof
    .uploadList(
      { file: file as Blob | ReadableStream<Uint8Array> },
      {
        name: list.name,
        ...(delimiter !== undefined && { delimiter }),
        ...(sheet !== undefined && { sheet }),
        // The server knows the names and refuses others.
        ...(encoding !== undefined && { encoding: encoding as 'utf-8' }),
        signal: terminal.signal,
      },
    )
    .catch(refusedList);
}

/** A job that can be started, with the column of the options. Says what it will cost. */
async function prepared(received: Job, run: Run): Promise<Job> {
  const job = await withColumn(received, run);
  const price = `costs at most ${count(job.cost_max, 'credit')}`;
  await write(
    run.terminal.stderr,
    `${printable(run.list.name)}: ${count(job.addresses, 'address', 'addresses')} in the column "${columnOf(job)}"; ${price}.\n`,
  );
  return job;
}

/** @throws CommandError if a job was started with another column than that of the options */
function assertColumn(job: Job, { column }: ValidateOptions): void {
  if (column !== undefined && columnAt(job, column) !== job.address_column) {
    throw new CommandError(
      `The job ${job.job_id} was started with the column "${columnOf(job)}". Leave out --column to get its results, or use --force to start again.`,
    );
  }
}

function columnOf({ columns, address_column }: Job): string {
  return printable(columns[address_column ?? 0]?.name ?? '');
}

/** The place of a column that the user has named, from 0. */
function columnAt({ columns }: Job, column: string): number {
  const names = columns.map(({ name }) => name);
  const byName = names.indexOf(column);
  const at = byName >= 0 ? byName : /^[1-9]\d{0,3}$/.test(column) ? Number(column) - 1 : names.length;
  if (at >= names.length) {
    throw new CommandError(
      `The list has no column ${printable(column)}, but ${names.map(printable).join(', ')}.`,
    );
  }
  return at;
}

async function withColumn(job: Job, { options: { column }, mailproof, terminal }: Run): Promise<Job> {
  if (column === undefined) {
    if (job.address_column !== null) return job;
    throw new CommandError(
      `No column contains addresses. Name it with --column: ${job.columns.map(({ name }) => printable(name)).join(', ')}.`,
    );
  }
  const at = columnAt(job, column);
  if (at === job.address_column) return job;
  const init = { params: { path: { job_id: job.job_id } }, body: { address_column: at } };
  return mailproof
    .send('put', '/validation-jobs/{job_id}', { ...init, signal: terminal.signal })
    .catch(refusedList);
}

async function start(job: Job, { options, mailproof, terminal }: Run): Promise<void> {
  const { maxCredits, yes } = options;
  if (maxCredits !== undefined && job.cost_max > maxCredits) {
    throw new CommandError(
      `The list could cost ${count(job.cost_max, 'credit')}, more than --max-credits ${maxCredits}. It is not started.`,
    );
  }
  const isAccepted = yes || maxCredits !== undefined;
  if (!isAccepted && !(await confirm(`Start for at most ${count(job.cost_max, 'credit')}?`, terminal))) {
    throw new CommandError('The list is not started, and nothing is charged.', exitCodes.interrupted);
  }
  await mailproof.send('post', '/validation-jobs/{job_id}/start', {
    params: { path: { job_id: job.job_id } },
    signal: terminal.signal,
  });
}

async function follow({ job_id }: Job, run: Run): Promise<Job> {
  const { mailproof, terminal } = run;
  const status = createStatusLine(terminal);
  const finishing = finishLater(job_id, run);
  try {
    return await mailproof.wait(
      '/validation-jobs/{job_id}',
      { params: { path: { job_id } } },
      {
        deadlineMs: waitMs,
        signal: terminal.signal,
        onProgress: job => status.show(progressOf(job), `${job.state} ${Math.floor(job.progress * 10)}`),
      },
    );
  } catch (error) {
    status.clear();
    if (terminal.signal.aborted || (error instanceof MailproofError && error.status !== 404)) {
      await write(terminal.stderr, `The job ${job_id} continues on the server. ${nextOf(run)}\n`);
    }
    throw error;
  } finally {
    clearTimeout(finishing);
    status.clear();
  }
}

/** Ends the job without its open rows when the time is over; they become `unknown`, free of charge. */
function finishLater(
  job_id: string,
  { options: { finishAfter }, mailproof, terminal }: Run,
): NodeJS.Timeout | undefined {
  if (finishAfter === undefined) return undefined;
  const finish = async () => {
    try {
      await mailproof.send('post', '/validation-jobs/{job_id}/finish', {
        params: { path: { job_id } },
        signal: terminal.signal,
      });
    } catch (error) {
      // The job continues, and so does waiting for it.
      await write(terminal.stderr, `The job ${job_id} could not be finished: ${String(error)}\n`);
    }
  };
  return setTimeout(finish, Math.min(finishAfter * 60_000, waitMs));
}

const waits = { greylisting: 'greylisting', host_limit: 'a busy mail host', retry: 'a retry' } as const;

function progressOf({ state, done, addresses, per_second, seconds_left, waiting_for }: Job): string {
  const share = addresses === 0 ? 100 : Math.floor((100 * done) / addresses);
  return [
    `${state}: ${number(done)} of ${number(addresses)} (${share} %)`,
    per_second !== null && state === 'running' && `${number(Math.round(per_second))}/s`,
    seconds_left !== null && `about ${duration(seconds_left)} left`,
    ...waiting_for.map(
      ({ reason, rows, until }) => `${number(rows)} wait for ${waits[reason]} until ${clock(until)}`,
    ),
  ]
    .filter(Boolean)
    .join(', ');
}

/** Writes the results to a file next to the final one first, so that an interrupted download leaves no half of it. */
async function download(job: Job, output: string | undefined, run: Run): Promise<void> {
  const { list, mailproof, terminal } = run;
  const { signal } = terminal;
  const rows = await mailproof.download(
    { kind: 'validation_job', job_id: job.job_id },
    { format: formatOf(output, list), signal },
  );
  const stream = Readable.fromWeb(rows as Parameters<typeof Readable.fromWeb>[0]);
  const part = `${output}.part`;
  try {
    if (output === undefined) {
      await pipeline(stream, terminal.stdout, { signal, end: false });
      return;
    }
    await pipeline(stream, createWriteStream(part), { signal });
    await rename(part, output);
  } catch (error) {
    if (signal.aborted || (error as NodeJS.ErrnoException).code === 'EPIPE') throw error;
    throw new CommandError(
      `The results of ${job.job_id} could not be written: ${reasonOf(error)}. ${nextOf(run)}`,
      exitCodes.failed,
    );
  } finally {
    if (output !== undefined) await rm(part, { force: true });
  }
}

function summaryOf({ results, spent, state, failure }: Job): string {
  const shares = Object.entries(results).filter(([, share]) => share > 0);
  const verdicts = shares.map(([result, share]) => `${number(share)} ${result}`).join(', ') || 'no verdict';
  const rows = shares.reduce((sum, [, share]) => sum + share, 0);
  const ending =
    state === 'succeeded'
      ? ''
      : ` The job ${state === 'cancelled' ? 'was canceled' : state}${failure ? `: ${failure.detail}` : '.'}`;
  return `${count(rows, 'row')}: ${verdicts}; ${count(spent ?? 0, 'credit')} spent.${ending}`;
}

/** How to continue without paying twice for the addresses that are done. */
function restOf({ job_id, done, addresses }: Job): string {
  const open = count(addresses - done, 'address', 'addresses');
  return `Not validated and not charged: ${open} of ${job_id}. To validate only these and the unknown ones: mailproof validate ${job_id}\n`;
}

function exitCodeOf({ state, failure, results }: Job, { failOn }: ValidateOptions): number {
  if (state !== 'succeeded') {
    return failure?.code === 'credits_exhausted' ? exitCodes.noCredits : exitCodes.failed;
  }
  const isFound = Object.entries(results).some(([result, rows]) => rows > 0 && failOn?.has(result as Result));
  return isFound ? exitCodes.found : exitCodes.done;
}

const number = (value: number): string => value.toLocaleString('en');

function count(value: number, one: string, many = `${one}s`): string {
  return `${number(value)} ${value === 1 ? one : many}`;
}

function duration(seconds: number): string {
  return seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}

/** `12:40`, in the time zone of the terminal. */
function clock(time: string): string {
  return new Date(time).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
}
