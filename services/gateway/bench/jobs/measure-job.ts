import { once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { spawnOperatorCommand } from '@mailproof/dev-house';
import { parse } from 'csv-parse';
import type { Person } from '../../test/house.ts';
import type { BenchHouse } from './bench-house.ts';
import { csvOf, type JobList, workbookFileOf } from './job-list.ts';
import type { ListFormat } from './options.ts';

/** The duration of each part, and all faults, in sentences. */
export interface JobMeasurement {
  readonly rows: number;
  readonly addresses: number;
  readonly intakeSeconds: number;
  readonly jobSeconds: number;
  /** The rows of the first file with results, and the time from the start to its last octet. */
  readonly firstFile: { readonly rows: number; readonly seconds: number };
  /** Time from the request to the last octet of the file. */
  readonly exportSeconds: number;
  readonly faults: readonly string[];
}

type Answer = Record<string, unknown>;

const faultsShownMax = 10;
const askEveryMs = 250;
const ends = ['succeeded', 'failed', 'cancelled'];

/** Uploads the list, validates it, exports it, and checks every response. */
export async function measureJob(
  bench: BenchHouse,
  owner: Person,
  list: JobList,
  format: ListFormat,
  signal: AbortSignal,
): Promise<JobMeasurement> {
  const faults = createFaults();
  const file = format === 'csv' ? csvOf(list) : await workbookFileOf(list);
  const before = await owner.get('/balance');

  let startedMs = performance.now();
  const job = await upload(bench, owner, file, signal);
  const intakeSeconds = secondsSince(startedMs);
  const jobId = String(job['job_id']);
  faults.compare('the rows that came in', job['rows'], list.counts);
  faults.compare('the different addresses', job['addresses'], list.addresses);

  startedMs = performance.now();
  await expectStatus(202, owner.send(`/validation-jobs/${jobId}/start`, { method: 'POST' }));
  const [ended, firstFile] = await Promise.all([
    untilEnded(owner, `/validation-jobs/${jobId}`, ({ state }) => String(state), signal),
    readFirstFile(bench, owner, jobId, signal).then(rows => ({ rows, seconds: secondsSince(startedMs) })),
  ]);
  const jobSeconds = secondsSince(startedMs);
  faults.compare('the end of the job', ended['state'], 'succeeded');
  faults.compare('the addresses with a verdict', ended['done'], list.addresses);
  faults.compare('the charge', [ended['reserved'], ended['spent']], [list.addresses, list.charged]);
  const after = await owner.get('/balance');
  faults.compare(
    'the balance',
    [after.body['available'], after.body['held']],
    [Number(before.body['available']) - list.charged, 0],
  );

  startedMs = performance.now();
  await compareExport(bench, owner, jobId, list, faults, signal);
  if (format === 'xlsx') {
    const book = await openFile(bench, owner, jobId, signal, { format: 'as_uploaded' });
    const octets = await buffer(book);
    faults.compare('the workbook that goes out', octets.subarray(0, 2).toString(), 'PK');
  }
  const exportSeconds = secondsSince(startedMs);
  await audit(bench, faults);
  const { length: rows } = list.rows;
  return {
    rows,
    addresses: list.addresses,
    intakeSeconds,
    jobSeconds,
    firstFile,
    exportSeconds,
    faults: faults.found(),
  };
}

function secondsSince(startedMs: number): number {
  return (performance.now() - startedMs) / 1_000;
}

function createFaults() {
  const found: string[] = [];
  let more = 0;
  return {
    compare(what: string, seen: unknown, expected: unknown) {
      const [one, other] = [seen, expected].map(value => JSON.stringify(value));
      if (one !== other) {
        if (found.length < faultsShownMax) {
          found.push(`${what}: ${one} in place of ${other}`);
        } else {
          more += 1;
        }
      }
    },
    found: () => (more > 0 ? [...found, `and ${more} more`] : found),
  };
}

type Faults = ReturnType<typeof createFaults>;

function cookieOf({ cookies }: Person): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
}

function upload(
  { house }: BenchHouse,
  owner: Person,
  file: string | Buffer<ArrayBuffer>,
  signal: AbortSignal,
): Promise<Answer> {
  const request = fetch(`${house.gatewayUrls[0]}/app/v1/validation-jobs?name=Benchmark`, {
    method: 'POST',
    headers: { cookie: cookieOf(owner), 'content-type': 'text/csv' },
    body: file,
    signal,
  });
  return expectStatus(
    201,
    request.then(async answer => ({ status: answer.status, body: (await answer.json()) as Answer })),
  );
}

async function expectStatus(
  expected: number,
  asked: Promise<{ readonly status: number; readonly body: Answer }>,
): Promise<Answer> {
  const { status, body } = await asked;
  if (status !== expected) {
    throw new Error(`A request was answered with ${status}: ${JSON.stringify(body)}`);
  }
  return body;
}

async function untilEnded(
  owner: Person,
  path: string,
  stateOf: (thing: Answer) => string,
  signal: AbortSignal,
): Promise<Answer> {
  for (;;) {
    signal.throwIfAborted();
    const thing = await expectStatus(200, owner.get(path));
    if (ends.includes(stateOf(thing))) {
      return thing;
    }
    await new Promise(resolve => setTimeout(resolve, askEveryMs));
  }
}

/** Exports the rows of a job that have a result, and opens the file. */
async function openFile(
  { house }: BenchHouse,
  owner: Person,
  jobId: string,
  signal: AbortSignal,
  options: object = {},
): Promise<Readable> {
  const source = { kind: 'validation_job', job_id: jobId };
  const started = await expectStatus(202, owner.post('/exports', { source, target: 'csv', options }));
  const path = `/exports/${started['export_id']}`;
  await untilEnded(owner, path, ({ status }) => String(status), signal);
  const response = await fetch(`${house.gatewayUrls[0]}/app/v1${path}/file`, {
    headers: { cookie: cookieOf(owner) },
    signal,
  });
  if (response.status !== 200 || !response.body) {
    throw new Error(`The file was answered with ${response.status}.`);
  }
  return Readable.fromWeb(response.body);
}

/** Reads a file as soon as the job has its first results; returns the number of its rows. */
async function readFirstFile(
  bench: BenchHouse,
  owner: Person,
  jobId: string,
  signal: AbortSignal,
): Promise<number> {
  for (;;) {
    signal.throwIfAborted();
    const job = await expectStatus(200, owner.get(`/validation-jobs/${jobId}`));
    if (Number(job['done']) > 0 || ends.includes(String(job['state']))) {
      break;
    }
    await new Promise(resolve => setTimeout(resolve, askEveryMs));
  }
  const records = (await openFile(bench, owner, jobId, signal)).pipe(parse());
  let rows = -1;
  for await (const _cells of records) {
    rows += 1;
  }
  return rows;
}

/** Checks every row, in order, for its own cells and the expected verdict. */
async function compareExport(
  bench: BenchHouse,
  owner: Person,
  jobId: string,
  list: JobList,
  faults: Faults,
  signal: AbortSignal,
): Promise<void> {
  const records = (await openFile(bench, owner, jobId, signal)).pipe(parse());
  const columns = list.header.map(name => (name === 'valid' ? 'input_valid' : name));
  const resultAt = columns.length + 1;
  let row = -1;
  for await (const cells of records as AsyncIterable<string[]>) {
    const expected = list.rows[row];
    if (row === -1) {
      faults.compare('the header', cells.slice(0, columns.length), columns);
      faults.compare('the column of results', cells[resultAt], 'result_status');
    } else {
      faults.compare(
        `row ${row + 1}`,
        [...cells.slice(0, columns.length), cells[resultAt]],
        expected && [...expected.cells, expected.result],
      );
    }
    row += 1;
  }
  faults.compare('the rows of the export', row, list.rows.length);
}

/** Runs the ledger’s own auditor over everything that happened. */
async function audit({ house }: BenchHouse, faults: Faults): Promise<void> {
  const auditor = spawnOperatorCommand(['ledger', 'audit'], house.environments['credit-ledger'], 'ignore');
  const [code] = await once(auditor, 'exit');
  faults.compare('the exit code of the audit', code, 0);
}
