import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { csvOptions, downloadExport, type ExportedValue, forwarded } from '@mailproof/shared-types';
import { create as contentDisposition } from 'content-disposition';
import { fileNameOf } from '../domain/csv/file-name.ts';
import { writeCsv } from '../domain/csv/write-csv.ts';
import type { ExportStore } from '../domain/exports/export-store.ts';
import { readRows } from '../domain/exports/read-rows.ts';
import type { RowSources } from '../domain/exports/row-sources.ts';
import { findExport } from './find-export.ts';

export function downloadExportRoute(
  guard: Guard<unknown>,
  ports: { readonly exports: ExportStore; readonly sources: RowSources },
): Route {
  return route(forwarded(downloadExport), guard, async ({ params }, { setHeader, signal }) => {
    const record = await findExport(ports.exports, params);
    if (record.target !== 'csv' || record.status !== 'succeeded') {
      throw new Problem('export_not_ready');
    }
    setHeader('content-disposition', contentDisposition(fileNameOf(record.name, record.createdAt)));
    return writeCsv(
      record.columns,
      valuesOf(readRows(ports, record, 'delivered', signal)),
      csvOptions.parse(record.options),
    );
  });
}

async function* valuesOf(
  pages: ReturnType<typeof readRows>,
): AsyncGenerator<readonly (readonly ExportedValue[])[]> {
  for await (const page of pages) {
    yield page.map(({ values }) => values);
  }
}
