import { type Guard, type Route, route } from '@mailproof/service-kit';
import { forwarded, getCrmImport } from '@mailproof/shared-types';
import type { ImportStore } from '../domain/crm/imports/import-store.ts';
import { crmImportAnswer } from './crm-import-answer.ts';
import { foundCrmImport } from './found-crm-import.ts';

export function getCrmImportRoute(guard: Guard<unknown>, { findOf }: Pick<ImportStore, 'findOf'>): Route {
  return route(forwarded(getCrmImport), guard, async ({ params: { accountId, import_id: importId } }) =>
    crmImportAnswer(await foundCrmImport(findOf(accountId, importId))),
  );
}
