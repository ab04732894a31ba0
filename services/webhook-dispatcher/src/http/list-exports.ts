import { type Guard, type Route, route } from '@mailproof/service-kit';
import { forwarded, listExports } from '@mailproof/shared-types';
import type { ExportStore } from '../domain/exports/export-store.ts';
import { exportAnswer } from './export-answer.ts';

export function listExportsRoute(guard: Guard<unknown>, { list }: Pick<ExportStore, 'list'>): Route {
  return route(forwarded(listExports), guard, async ({ params: { accountId }, query }) => {
    const { exports, nextCursor } = await list(accountId, query);
    return { exports: exports.map(exportAnswer), next_cursor: nextCursor };
  });
}
