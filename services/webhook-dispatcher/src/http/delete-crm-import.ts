import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { deleteCrmImport, forwarded } from '@mailproof/shared-types';
import type { ImportStore } from '../domain/crm/imports/import-store.ts';

export function deleteCrmImportRoute(guard: Guard<unknown>, imports: Pick<ImportStore, 'delete'>): Route {
  return route(forwarded(deleteCrmImport), guard, async ({ params: { accountId, import_id: importId } }) => {
    const outcome = await imports.delete(accountId, importId);
    if (outcome !== 'deleted') {
      throw new Problem(outcome === 'underWay' ? 'crm_import_under_way' : 'crm_import_not_found');
    }
    return { import_id: importId };
  });
}
