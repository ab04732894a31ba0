import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { type AccountId, type ExportId, forwarded, undoExport } from '@mailproof/shared-types';
import type { UndoBegun } from '../domain/crm/push/undo-push.ts';
import { exportAnswer } from './export-answer.ts';

const problems = { not_found: 'export_not_found', not_possible: 'export_cannot_be_undone' } as const;

export function undoExportRoute(
  guard: Guard<unknown>,
  undo: (accountId: AccountId, exportId: ExportId) => Promise<UndoBegun>,
): Route {
  return route(forwarded(undoExport), guard, async ({ params: { accountId, export_id: exportId } }) => {
    const begun = await undo(accountId, exportId);
    if (begun.kind !== 'done') {
      throw new Problem(problems[begun.kind]);
    }
    return exportAnswer(begun.record);
  });
}
