import { type Guard, type Route, readCursor, route, writeCursor } from '@mailproof/service-kit';
import { forwarded, listExportRows } from '@mailproof/shared-types';
import { z } from 'zod';
import type { ExportStore } from '../domain/exports/export-store.ts';
import { exportRowAnswer } from './export-answer.ts';
import { findExport } from './find-export.ts';

const rowNumber = z.int32().nonnegative();

export function listExportRowsRoute(
  guard: Guard<unknown>,
  exports: Pick<ExportStore, 'findOf' | 'listRows'>,
): Route {
  return route(
    forwarded(listExportRows),
    guard,
    async ({ params, query: { state, action, cursor, limit } }) => {
      const afterRowNo = cursor === undefined ? 0 : readCursor(rowNumber, cursor);
      const { exportNo } = await findExport(exports, params);
      const rows = await exports.listRows(exportNo, { state, action, afterRowNo, limit: limit + 1 });
      const shown = rows.slice(0, limit);
      const last = rows.length > limit ? shown.at(-1) : undefined;
      return { rows: shown.map(exportRowAnswer), next_cursor: last && writeCursor(last.rowNo) };
    },
  );
}
