import { type Guard, type Route, route } from '@mailproof/service-kit';
import { type AccountId, cancelExport, type ExportId, forwarded } from '@mailproof/shared-types';
import type { Steered } from '../domain/push/steer-push.ts';
import { exportAnswer } from './export-answer.ts';
import { steeredExport } from './steered-export.ts';

export function cancelExportRoute(
  guard: Guard<unknown>,
  cancel: (accountId: AccountId, exportId: ExportId) => Promise<Steered>,
): Route {
  return route(forwarded(cancelExport), guard, async ({ params: { accountId, export_id: exportId } }) =>
    exportAnswer(steeredExport(await cancel(accountId, exportId))),
  );
}
