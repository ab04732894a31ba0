import { type Guard, type Route, route } from '@mailproof/service-kit';
import { type AccountId, type CrmImportId, cancelCrmImport, forwarded } from '@mailproof/shared-types';
import type { CrmImport } from '../domain/crm/imports/crm-import.ts';
import { crmImportAnswer } from './crm-import-answer.ts';
import { foundCrmImport } from './found-crm-import.ts';

export function cancelCrmImportRoute(
  guard: Guard<unknown>,
  cancel: (accountId: AccountId, importId: CrmImportId) => Promise<CrmImport | undefined>,
): Route {
  return route(forwarded(cancelCrmImport), guard, async ({ params: { accountId, import_id: importId } }) =>
    crmImportAnswer(await foundCrmImport(cancel(accountId, importId))),
  );
}
