import { type Guard, type Route, route } from '@mailproof/service-kit';
import { type AccountId, type ExportId, forwarded, pauseExport } from '@mailproof/shared-types';
import type { Steered } from '../domain/push/steer-push.ts';
import { exportAnswer } from './export-answer.ts';
import { steeredExport } from './steered-export.ts';

export function pauseExportRoute(
  guard: Guard<unknown>,
  pause: (accountId: AccountId, exportId: ExportId) => Promise<Steered>,
): Route {
  return route(forwarded(pauseExport), guard, async ({ params: { accountId, export_id: exportId } }) =>
    exportAnswer(steeredExport(await pause(accountId, exportId))),
  );
}
