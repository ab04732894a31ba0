import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { type AccountId, deleteExport, type ExportId, forwarded } from '@mailproof/shared-types';

export function deleteExportRoute(
  guard: Guard<unknown>,
  remove: (accountId: AccountId, exportId: ExportId) => Promise<boolean>,
): Route {
  return route(forwarded(deleteExport), guard, async ({ params: { accountId, export_id: exportId } }) => {
    if (!(await remove(accountId, exportId))) {
      throw new Problem('export_not_found');
    }
    return { deleted: true as const };
  });
}
