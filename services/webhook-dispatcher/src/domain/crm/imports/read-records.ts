import { crmRecordIdColumn } from '@mailproof/shared-types';
import type { Crm, RecordPage } from '../crm.ts';
import { CrmFault } from '../crm-fault.ts';
import type { CrmImport } from './crm-import.ts';
import { type ImportPorts, RowsRefused } from './import-ports.ts';
import { recordsMaxOf, selectionOf } from './import-selection.ts';
import { rowOfRecord } from './row-of-record.ts';

/** Somebody else works on the import by now, or it has ended. */
export class Superseded extends Error {
  override readonly name = 'Superseded';
}

/** Time for one page, in milliseconds. */
const pageMsMax = 60_000;
/**
 * For so long a CRM may make us wait between two pages while the rows stay on their way; after that the try is given up.
 * Less than the time after which the engine takes a job for dead of which nothing is written. In milliseconds.
 */
const stillMsMax = 120_000;
/** While it waits, it says so often that it is still there; in milliseconds. */
const waitSliceMs = 2_000;
/** The same while a page is awaited, which may take as long as the engine waits for a line. */
const stillEveryMsUsual = 10_000;
const firstRetryMs = 1_000;
const retryMsMax = 30_000;

/**
 * Reads the records of an import page by page, as lines of the engine's operation `take-crm-rows`. The next page is asked
 * for when the lines of the one before were taken, so that no more than one is in memory. Throws `CrmFault` where the CRM
 * does not go on soon, `RowsRefused` where there are too many records, and `Superseded`.
 */
export async function* readRecords(
  ports: Pick<ImportPorts, 'imports' | 'now' | 'wait'>,
  crm: Crm,
  record: CrmImport,
  signal: AbortSignal,
  stillEveryMs = stillEveryMsUsual,
): AsyncGenerator<Uint8Array> {
  const { properties } = record.request;
  yield lineOf([crmRecordIdColumn, ...record.columns.slice(1)]);
  let after: string | null = null;
  let [read, shortened] = [0, 0];
  for (;;) {
    const page: RecordPage = yield* pageInPatience(ports, crm, record, { after, stillEveryMs }, signal);
    read += page.records.length;
    if (read > recordsMaxOf(record.request)) {
      throw new RowsRefused('too_many_records');
    }
    const rows = page.records.map(each => rowOfRecord(each, properties));
    shortened += rows.filter(row => row.isShortened).length;
    for (const { cells } of rows) {
      yield lineOf(cells);
    }
    await assertOurs(ports, record, { read, shortened });
    if (page.next === null) {
      break;
    }
    if (page.next === after) {
      throw new Error('The CRM answers the same page again and again.');
    }
    after = page.next;
  }
  yield lineOf('end');
}

/** Asks for a page until it comes, within bounds; meanwhile lines say that we are still there. */
async function* pageInPatience(
  ports: Pick<ImportPorts, 'imports' | 'now' | 'wait'>,
  crm: Crm,
  record: CrmImport,
  how: { readonly after: string | null; readonly stillEveryMs: number },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, RecordPage> {
  const beganAtMs = ports.now().getTime();
  for (let retryMs = firstRetryMs; ; retryMs = Math.min(retryMs * 2, retryMsMax)) {
    try {
      return yield* pageInTime(ports, crm, record, how, signal);
    } catch (error) {
      const waitMs = waitOf(error, retryMs);
      const endsAtMs = ports.now().getTime() + (waitMs ?? 0);
      if (waitMs === undefined || endsAtMs - beganAtMs > stillMsMax) {
        throw error;
      }
      while (ports.now().getTime() < endsAtMs) {
        await ports.wait(Math.min(waitSliceMs, endsAtMs - ports.now().getTime()), signal);
        signal.throwIfAborted();
        await assertOurs(ports, record);
        yield stillThere;
      }
    }
  }
}

/** Asks for a page once. Nothing else would tell the engine that we are there while a slow CRM makes it. */
async function* pageInTime(
  ports: Pick<ImportPorts, 'imports' | 'now'>,
  crm: Crm,
  record: CrmImport,
  { after, stillEveryMs }: { readonly after: string | null; readonly stillEveryMs: number },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, RecordPage> {
  const { object, properties } = record.request;
  const leaving = new AbortController();
  const tooLate = AbortSignal.timeout(pageMsMax);
  const asked = crm.page(
    object,
    selectionOf(record.request),
    { properties, after },
    AbortSignal.any([signal, tooLate, leaving.signal]),
  );
  // It may fail while a line is being taken, or when nobody waits for it any more.
  asked.catch(() => undefined);
  try {
    for (;;) {
      const page = await within(asked, stillEveryMs);
      if (page) {
        return page;
      }
      await assertOurs(ports, record);
      yield stillThere;
    }
  } catch (error) {
    // However a CRM's own adapter tells it.
    throw tooLate.aborted && error === tooLate.reason ? new CrmFault('away') : error;
  } finally {
    leaving.abort();
  }
}

/** Undefined where it takes longer. */
async function within<Result>(work: Promise<Result>, ms: number): Promise<Result | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** How long to wait before the page is asked for again; undefined where that is of no use, or too long to say. */
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
  { imports, now }: Pick<ImportPorts, 'imports' | 'now'>,
  { importNo, importId, runner }: CrmImport,
  progress?: { readonly read: number; readonly shortened: number },
): Promise<void> {
  const isOurs =
    progress === undefined
      ? await isStillOf(imports, importId, runner)
      : runner !== null && (await imports.noteRead(importNo, runner, { ...progress, now: now() }));
  if (!isOurs) {
    throw new Superseded();
  }
}

async function isStillOf(
  imports: ImportPorts['imports'],
  importId: CrmImport['importId'],
  runner: string | null,
): Promise<boolean> {
  const current = await imports.find(importId);
  return current !== undefined && current.runner === runner && current.endedAt === null;
}

const encoder = new TextEncoder();
const stillThere = encoder.encode('\n');

function lineOf(value: unknown): Uint8Array {
  return encoder.encode(`${JSON.stringify(value)}\n`);
}
