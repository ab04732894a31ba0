import { type Follow, type Guard, type Route, route } from '@mailproof/service-kit';
import { followExport, forwarded } from '@mailproof/shared-types';
import { hasEnded } from '../domain/exports/export.ts';
import type { ExportStore } from '../domain/exports/export-store.ts';
import { exportAnswer } from './export-answer.ts';
import { findExport } from './find-export.ts';

export function followExportRoute(
  guard: Guard<unknown>,
  exports: Pick<ExportStore, 'findOf'>,
  follow: Follow,
): Route {
  return route(forwarded(followExport), guard, async ({ params }, context) => {
    await findExport(exports, params);
    return follow(params.accountId, context, {
      find: () => exports.findOf(params.accountId, params.export_id),
      hasEnded,
      event: 'export',
      answer: exportAnswer,
    });
  });
}
