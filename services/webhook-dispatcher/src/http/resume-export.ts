import { type Guard, type Route, route } from '@mailproof/service-kit';
import { type AccountId, type ExportId, forwarded, resumeExport } from '@mailproof/shared-types';
import type { Steered } from '../domain/push/steer-push.ts';
import { exportAnswer } from './export-answer.ts';
import { steeredExport } from './steered-export.ts';

export function resumeExportRoute(
  guard: Guard<unknown>,
  resume: (accountId: AccountId, exportId: ExportId) => Promise<Steered>,
): Route {
  return route(forwarded(resumeExport), guard, async ({ params: { accountId, export_id: exportId } }) =>
    exportAnswer(steeredExport(await resume(accountId, exportId))),
  );
}
