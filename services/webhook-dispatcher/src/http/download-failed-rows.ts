import { type Guard, type Route, route } from '@mailproof/service-kit';
import {
  deliveryFaultText,
  downloadFailedRows,
  type ExportedValue,
  forwarded,
} from '@mailproof/shared-types';
import { create as contentDisposition } from 'content-disposition';
import { fileNameOf } from '../domain/csv/file-name.ts';
import { writeCsv } from '../domain/csv/write-csv.ts';
import type { DownloadPlaces } from '../domain/exports/download-places.ts';
import type { ExportStore } from '../domain/exports/export-store.ts';
import { readRows } from '../domain/exports/read-rows.ts';
import type { RowSources } from '../domain/exports/row-sources.ts';
import { findExport } from './find-export.ts';
import { inDownloadPlace } from './in-download-place.ts';

/** What stands behind the columns of the rows themselves. */
const reasonColumns = ['failed_attempts', 'failed_status_code', 'failed_reason'] as const;

export function downloadFailedRowsRoute(
  guard: Guard<unknown>,
  ports: { readonly exports: ExportStore; readonly sources: RowSources },
  places: DownloadPlaces,
): Route {
  return route(forwarded(downloadFailedRows), guard, async ({ params, query }, context) => {
    const { setHeader, signal } = context;
    const record = await findExport(ports.exports, params);
    const pieces = writeCsv(
      [...record.columns, ...reasonColumns],
      withReasons(readRows(ports, record, 'failed', signal)),
      { delimiter: query.delimiter, byte_order_mark: query.byte_order_mark === 'true' },
    );
    const file = inDownloadPlace(places, params.accountId, context, pieces);
    const fileName = fileNameOf(record.name, record.createdAt, ' failed rows');
    setHeader('content-disposition', contentDisposition(fileName));
    return file;
  });
}

async function* withReasons(
  pages: ReturnType<typeof readRows>,
): AsyncGenerator<readonly (readonly ExportedValue[])[]> {
  for await (const page of pages) {
    yield page.map(({ row: { attempts, statusCode, fault }, values }) => [
      ...values,
      attempts,
      statusCode,
      fault === null ? null : deliveryFaultText(fault),
    ]);
  }
}
