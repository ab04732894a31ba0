import { type Follow, type Guard, type Route, route } from '@mailproof/service-kit';
import { followCrmImport, forwarded } from '@mailproof/shared-types';
import { hasEnded } from '../domain/crm/imports/crm-import.ts';
import type { ImportStore } from '../domain/crm/imports/import-store.ts';
import { crmImportAnswer } from './crm-import-answer.ts';
import { foundCrmImport } from './found-crm-import.ts';

export function followCrmImportRoute(
  guard: Guard<unknown>,
  { findOf }: Pick<ImportStore, 'findOf'>,
  follow: Follow,
): Route {
  return route(
    forwarded(followCrmImport),
    guard,
    async ({ params: { accountId, import_id: importId } }, context) => {
      const find = () => findOf(accountId, importId);
      await foundCrmImport(find());
      return follow(accountId, context, { find, hasEnded, event: 'import', answer: crmImportAnswer });
    },
  );
}
