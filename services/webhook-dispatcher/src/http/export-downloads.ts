import { type Handlers, Problem, type RequestContext, unavailable } from '@mailproof/service-kit';
import { type AccountId, deliveryFaultText, type ExportedValue, fileOptions } from '@mailproof/shared-types';
import { create as contentDisposition } from 'content-disposition';
import { encodeText } from '../domain/csv/encode-text.ts';
import { fileNameOf, writeCsv } from '../domain/csv/write-csv.ts';
import { type DownloadPorts, type DownloadSlots, readRows } from '../domain/exports/download.ts';
import type { Export } from '../domain/exports/export.ts';
import type { ExportStore } from '../domain/exports/export-ports.ts';
import { csvFormOf, type FileForm, fileFormOf, mediaTypeOf } from '../domain/exports/file-form.ts';
import type { RowSources } from '../domain/exports/row-sources.ts';
import { writeWorkbook } from '../domain/workbook/write-workbook.ts';
import { findExport } from './export-answer.ts';

/** Downloads of exports as files. */
export function exportDownloadHandlers(ports: DownloadPorts, slots: DownloadSlots) {
  return {
    async downloadExport({ params }, context) {
      const { setHeader, signal } = context;
      const record = await readyFile(ports.exports, params);
      const form = await formOf(ports.sources, record, signal);
      const rows = valuesOf(readRows(ports, record, 'delivered', signal));
      const file = inDownloadSlot(slots, params.accountId, context, written(form, record.columns, rows));
      const fileName = fileNameOf(record.name, record.createdAt, partialSuffix(record), endingOf(form));
      setHeader('content-type', mediaTypeOf(form));
      setHeader('content-disposition', contentDisposition(fileName));
      return file;
    },

    async downloadExportLines({ params }, context) {
      const { setHeader, signal } = context;
      const record = await readyFile(ports.exports, params);
      const pieces = linesOf(record.columns, valuesOf(readRows(ports, record, 'delivered', signal)));
      const lines = inDownloadSlot(slots, params.accountId, context, pieces);
      const fileName = fileNameOf(record.name, record.createdAt, partialSuffix(record), 'ndjson');
      setHeader('content-disposition', contentDisposition(fileName));
      return lines;
    },

    async downloadFailedRows({ params, query }, context) {
      const { setHeader, signal } = context;
      const record = await findExport(ports.exports, params);
      const pieces = writeCsv(
        [...record.columns, ...reasonColumns],
        withReasons(readRows(ports, record, 'failed', signal)),
        csvFormOf({ delimiter: query.delimiter, byte_order_mark: query.byte_order_mark === 'true' }),
      );
      const file = inDownloadSlot(slots, params.accountId, context, pieces);
      const fileName = fileNameOf(record.name, record.createdAt, ' failed rows');
      setHeader('content-disposition', contentDisposition(fileName));
      return file;
    },
  } satisfies Partial<Handlers<'webhook-dispatcher'>>;
}

/** @throws Problem if the account has no such export, or its file is not ready */
async function readyFile(
  exports: Pick<ExportStore, 'findOf'>,
  params: Parameters<typeof findExport>[1],
): Promise<Export> {
  const record = await findExport(exports, params);
  if (record.target !== 'csv' || record.status !== 'succeeded') {
    throw new Problem('export_not_ready');
  }
  return record;
}

/** How the file of an export is written. What came in is asked of the source, which alone knows. */
async function formOf(sources: RowSources, record: Export, signal: AbortSignal): Promise<FileForm> {
  const options = fileOptions.parse(record.options);
  const isLikeSource = options.format === 'as_uploaded';
  const page = isLikeSource
    ? await sources.list(record.accountId, record.source, undefined, signal)
    : undefined;
  return fileFormOf(options, page?.file);
}

type Pages = AsyncIterable<readonly (readonly ExportedValue[])[]>;

function written(
  form: FileForm,
  columns: readonly string[],
  pages: Pages,
): AsyncIterable<string | Uint8Array> {
  switch (form.format) {
    case 'csv':
      return encodeText(writeCsv(columns, pages, form.csv), form.encoding);
    case 'ndjson':
      return linesOf(columns, pages);
    case 'xlsx':
      return writeWorkbook(columns, pages);
  }
}

/**
 * Writes rows as objects, one a line (NDJSON). It makes the text member by member, because an object would not take a
 * column named `__proto__`.
 */
async function* linesOf(columns: readonly string[], pages: Pages): AsyncGenerator<string> {
  const names = columns.map(name => `${JSON.stringify(name)}:`);
  const lineOf = (values: readonly ExportedValue[]) =>
    `{${names.map((name, index) => name + JSON.stringify(values[index] ?? null)).join(',')}}\n`;
  for await (const rows of pages) {
    if (rows.length > 0) {
      yield rows.map(lineOf).join('');
    }
  }
}

/** The ending of a file's name. Spreadsheets split a file at tabs only if its name says so. */
function endingOf(form: FileForm): string {
  return form.format === 'csv' && form.csv.delimiter === '\t' ? 'tsv' : form.format;
}

/** The part of a file's name that says that rows without a result are left out. */
function partialSuffix({ rowsOpen }: Export): string {
  return rowsOpen > 0 ? ' partial' : '';
}

async function* valuesOf(
  pages: ReturnType<typeof readRows>,
): AsyncGenerator<readonly (readonly ExportedValue[])[]> {
  for await (const page of pages) {
    yield page.map(({ values }) => values);
  }
}

/** The columns that follow the rows' own columns. */
const reasonColumns = ['failed_row', 'failed_attempts', 'failed_status_code', 'failed_reason'] as const;

async function* withReasons(
  pages: ReturnType<typeof readRows>,
): AsyncGenerator<readonly (readonly ExportedValue[])[]> {
  for await (const page of pages) {
    yield page.map(({ row, number, values }) => [
      ...values,
      number ?? row.rowNo,
      row.attempts,
      row.statusCode,
      row.fault === null ? null : deliveryFaultText(row.fault),
    ]);
  }
}

/**
 * Sends a file while holding a download slot, which is freed at the end of the file or when the reader disconnects.
 */
function inDownloadSlot(
  slots: DownloadSlots,
  accountId: AccountId,
  { signal }: Pick<RequestContext<unknown>, 'signal'>,
  pieces: AsyncIterable<string | Uint8Array>,
): AsyncIterable<string | Uint8Array> {
  const leave = slots.enter(accountId);
  if (leave === 'taken_by_account') {
    throw new Problem('too_many_downloads', { headers: { 'retry-after': '5' } });
  }
  if (leave === 'all_taken') {
    throw unavailable('Too many downloads are in progress right now.');
  }
  // Also frees the slot if reading never starts.
  signal.addEventListener('abort', leave, { once: true });
  return leavingAfter(pieces, leave);
}

async function* leavingAfter(
  pieces: AsyncIterable<string | Uint8Array>,
  leave: () => void,
): AsyncGenerator<string | Uint8Array> {
  try {
    yield* pieces;
  } finally {
    leave();
  }
}
