import { type Guard, type Route, route } from '@mailproof/service-kit';
import { forwarded, listCrmImports } from '@mailproof/shared-types';
import type { ImportStore } from '../domain/crm/imports/import-store.ts';
import { crmImportAnswer } from './crm-import-answer.ts';

export function listCrmImportsRoute(guard: Guard<unknown>, { list }: Pick<ImportStore, 'list'>): Route {
  return route(forwarded(listCrmImports), guard, async ({ params: { accountId }, query }) => {
    const { connection_id: connectionId, ...page } = query;
    const { imports, nextCursor } = await list(accountId, { ...page, connectionId });
    return { imports: imports.map(crmImportAnswer), next_cursor: nextCursor };
  });
}
