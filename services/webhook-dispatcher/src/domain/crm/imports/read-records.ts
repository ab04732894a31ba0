import { crmRecordIdColumn, limits } from '@mailproof/shared-types';
import { type Crm, CrmFault, type CrmRecord, type RecordPage } from '../crm.ts';
import { type CrmImport, recordsMaxOf, selectionOf } from './crm-import.ts';
import { type ImportPorts, type ReadingProgress, RowsRefused } from './import-ports.ts';

type ReadingPorts = Pick<ImportPorts, 'imports' | 'now' | 'wait'>;

/** Another worker has taken over the import, or it has ended. */
export class Superseded extends Error {
  override readonly name = 'Superseded';
}

/** The deadline for one page, in milliseconds. */
const pageMsMax = 60_000;
/**
 * How long a CRM may make us wait between two pages before the attempt is given up, in milliseconds. Shorter than the
 * time after which the engine considers a job without new lines dead.
 */
const stillMsMax = 120_000;
/** The interval of keepalive lines during a wait, in milliseconds. */
const waitSliceMs = 2_000;
/**
 * The interval of keepalive lines while a page is being fetched, which may take as long as the engine waits for a line.
 */
const stillEveryMsUsual = 10_000;
const firstRetryMs = 1_000;
const retryMsMax = 30_000;

/** Reads the records of an import, as lines of the engine's operation `take-crm-rows`. Throws like `readPages`. */
export async function* readRecords(
  ports: ReadingPorts,
  crm: Crm,
  record: CrmImport,
  signal: AbortSignal,
  stillEveryMs?: number,
): AsyncGenerator<Uint8Array> {
  const { properties } = record.request;
  yield lineOf([crmRecordIdColumn, ...record.columns.slice(1)]);
  let [read, shortened] = [0, 0];
  for await (const records of readPages(ports, crm, record, signal, stillEveryMs)) {
    if (records === null) {
      yield stillThere;
      continue;
    }
    const rows = records.map(each => rowOfRecord(each, properties));
    read += rows.length;
    shortened += rows.filter(row => row.isShortened).length;
    for (const { cells } of rows) {
      yield lineOf(cells);
    }
    await noteRead(ports, record, { read, shortened });
  }
  yield lineOf('end');
}

/**
 * Reads the records of an import page by page, with null from time to time while a page is awaited. The next page is
 * requested only after the previous one was taken, so at most one page is in memory. Throws `CrmFault` if the CRM does
 * not continue soon, `RowsRefused` if there are too many records, and `Superseded`.
 */
export async function* readPages(
  ports: ReadingPorts,
  crm: Crm,
  record: CrmImport,
  signal: AbortSignal,
  stillEveryMs = stillEveryMsUsual,
): AsyncGenerator<readonly CrmRecord[] | null> {
  let after: string | null = null;
  for (let read = 0; ; ) {
    const page: RecordPage = yield* pageInPatience(ports, crm, record, { after, stillEveryMs }, signal);
    read += page.records.length;
    if (read > recordsMaxOf(record.request)) {
      throw new RowsRefused('too_many_records');
    }
    yield page.records;
    if (page.next === null) {
      return;
    }
    if (page.next === after) {
      throw new Error('The CRM keeps returning the same page.');
    }
    after = page.next;
  }
}

/** Records how much was read. Throws `Superseded`. */
export async function noteRead(
  { imports, now }: Pick<ImportPorts, 'imports' | 'now'>,
  { importNo, runner }: CrmImport,
  progress: ReadingProgress,
): Promise<void> {
  if (runner === null || !(await imports.noteRead(importNo, runner, { ...progress, now: now() }))) {
    throw new Superseded();
  }
}

/** Retries a page until it succeeds, within limits, and yields null meanwhile. */
async function* pageInPatience(
  ports: ReadingPorts,
  crm: Crm,
  record: CrmImport,
  how: { readonly after: string | null; readonly stillEveryMs: number },
  signal: AbortSignal,
): AsyncGenerator<null, RecordPage> {
  const startedAtMs = ports.now().getTime();
  for (let retryMs = firstRetryMs; ; retryMs = Math.min(retryMs * 2, retryMsMax)) {
    try {
      return yield* pageInTime(ports, crm, record, how, signal);
    } catch (error) {
      const waitMs = waitOf(error, retryMs);
      const endsAtMs = ports.now().getTime() + (waitMs ?? 0);
      if (waitMs === undefined || endsAtMs - startedAtMs > stillMsMax) {
        throw error;
      }
      while (ports.now().getTime() < endsAtMs) {
        await ports.wait(Math.min(waitSliceMs, endsAtMs - ports.now().getTime()), signal);
        signal.throwIfAborted();
        await assertOurs(ports, record);
        yield null;
      }
    }
  }
}

/** Requests a page once. Yields null meanwhile: the engine gets no other sign of life while a slow CRM responds. */
async function* pageInTime(
  ports: Pick<ImportPorts, 'imports' | 'now'>,
  crm: Crm,
  record: CrmImport,
  { after, stillEveryMs }: { readonly after: string | null; readonly stillEveryMs: number },
  signal: AbortSignal,
): AsyncGenerator<null, RecordPage> {
  const { object, properties } = record.request;
  const leaving = new AbortController();
  const tooLate = AbortSignal.timeout(pageMsMax);
  const asked = crm.page(
    object,
    selectionOf(record.request),
    { properties, after },
    AbortSignal.any([signal, tooLate, leaving.signal]),
  );
  // It may fail while a line is being read, or when no reader waits for it any more.
  asked.catch(() => undefined);
  try {
    for (;;) {
      const page = await within(asked, stillEveryMs);
      if (page) {
        return page;
      }
      await assertOurs(ports, record);
      yield null;
    }
  } catch (error) {
    // Adapters report this timeout in different ways.
    throw tooLate.aborted && error === tooLate.reason ? new CrmFault('away') : error;
  } finally {
    leaving.abort();
  }
}

/** Undefined if the work takes longer. */
async function within<Result>(work: Promise<Result>, ms: number): Promise<Result | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** How long to wait before the page is requested again; undefined if a retry cannot succeed or the wait is unknown. */
function waitOf(error: unknown, retryMs: number): number | undefined {
  if (!(error instanceof CrmFault)) {
    return undefined;
  }
  switch (error.kind) {
    case 'throttled':
    case 'away':
      return error.waitMs ?? retryMs;
    case 'exhausted':
      return error.waitMs ?? undefined;
    default:
      return undefined;
  }
}

async function assertOurs(
  { imports }: Pick<ImportPorts, 'imports'>,
  { importId, runner }: CrmImport,
): Promise<void> {
  const current = await imports.find(importId);
  if (current?.runner !== runner || current.endedAt !== null) {
    throw new Superseded();
  }
}

const encoder = new TextEncoder();
const stillThere = encoder.encode('\n');

function lineOf(value: unknown): Uint8Array {
  return encoder.encode(`${JSON.stringify(value)}\n`);
}

interface RowOfRecord {
  readonly cells: readonly string[];
  /** Whether a value was longer than a cell may be. */
  readonly isShortened: boolean;
}

/** The most octets that the cells of one row may have; leaves room for the delimiters. */
const rowOctetsMax = limits.rowBytesMax * 0.9;

/** The cells of a record: its id, then its properties, unchanged. A missing one is empty. */
function rowOfRecord({ recordId, values }: CrmRecord, properties: readonly string[]): RowOfRecord {
  const whole = [recordId, ...properties.map(property => cleaned(values[property] ?? ''))];
  let cells = shortened(whole, limits.cellCharactersMax);
  // A CRM allows many long properties at once; a row has its own limit.
  for (
    let max: number = limits.cellCharactersMax;
    octetsOf(cells) > rowOctetsMax;
    max = Math.floor(max / 2)
  ) {
    cells = shortened(cells, max);
  }
  return { cells, isShortened: cells.some((cell, at) => cell !== whole[at]) };
}

/** Removes NUL, which Postgres cannot store in text, and replaces lone surrogates, which are not characters. */
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
