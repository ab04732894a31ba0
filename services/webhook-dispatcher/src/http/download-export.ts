import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { csvOptions, downloadExport, type ExportedValue, forwarded } from '@mailproof/shared-types';
import { create as contentDisposition } from 'content-disposition';
import { fileNameOf } from '../domain/csv/file-name.ts';
import { writeCsv } from '../domain/csv/write-csv.ts';
import type { DownloadPlaces } from '../domain/exports/download-places.ts';
import type { ExportStore } from '../domain/exports/export-store.ts';
import { readRows } from '../domain/exports/read-rows.ts';
import type { RowSources } from '../domain/exports/row-sources.ts';
import { findExport } from './find-export.ts';
import { inDownloadPlace } from './in-download-place.ts';

export function downloadExportRoute(
  guard: Guard<unknown>,
  ports: { readonly exports: ExportStore; readonly sources: RowSources },
  places: DownloadPlaces,
): Route {
  return route(forwarded(downloadExport), guard, async ({ params }, context) => {
    const { setHeader, signal } = context;
    const record = await findExport(ports.exports, params);
    if (record.target !== 'csv' || record.status !== 'succeeded') {
      throw new Problem('export_not_ready');
    }
    const pieces = writeCsv(
      record.columns,
      valuesOf(readRows(ports, record, 'delivered', signal)),
      csvOptions.parse(record.options),
    );
    const file = inDownloadPlace(places, params.accountId, context, pieces);
    setHeader('content-disposition', contentDisposition(fileNameOf(record.name, record.createdAt)));
    return file;
  });
}

async function* valuesOf(
  pages: ReturnType<typeof readRows>,
): AsyncGenerator<readonly (readonly ExportedValue[])[]> {
  for await (const page of pages) {
    yield page.map(({ values }) => values);
  }
}
