import { type Guard, type Route, route } from '@mailproof/service-kit';
import { forwarded, getExport } from '@mailproof/shared-types';
import type { ExportStore } from '../domain/exports/export-store.ts';
import { exportAnswer } from './export-answer.ts';
import { findExport } from './find-export.ts';

export function getExportRoute(guard: Guard<unknown>, exports: Pick<ExportStore, 'findOf'>): Route {
  return route(forwarded(getExport), guard, async ({ params }) =>
    exportAnswer(await findExport(exports, params)),
  );
}
