import { type Guard, type Route, route } from '@mailproof/service-kit';
import { listEntries } from '@mailproof/shared-types';
import type { StatementStore } from '../domain/statement.ts';
import { nextCursorOf, pageRequestOf } from './page.ts';

export function listEntriesRoute(guard: Guard<unknown>, store: Pick<StatementStore, 'entriesOf'>): Route {
  return route(listEntries, guard, async ({ params, query }) => {
    const page = await store.entriesOf({
      ...pageRequestOf('entries', params.accountId, query),
      movements: query.movements,
    });
    return {
      entries: page.rows.map(entry => ({ ...entry, at: entry.at.toISOString() })),
      ...nextCursorOf('entries', page),
    };
  });
}
