import { $api, queryClient } from '../../api/client.ts';
import { refreshSaved } from '../../api/shared-queries.ts';
import { newerOf } from '../work-states.ts';
import type { PeopleImport } from './mapping.ts';

/** How often a running import is polled, because events may not arrive. */
const askedAgainMs = 10_000;

export function isRunning({ state }: Pick<PeopleImport, 'state'>): boolean {
  return state === 'previewing' || state === 'importing';
}

export function importQuery(importId: string) {
  return $api.queryOptions(
    'get',
    '/people-imports/{import_id}',
    { params: { path: { import_id: importId } } },
    { refetchInterval: ({ state: { data } }) => (data && isRunning(data) ? askedAgainMs : false) },
  );
}

/** Keeps the newer of the known and the given state of an import. */
export function keepImport(change: PeopleImport): void {
  queryClient.setQueryData<PeopleImport>(importQuery(change.import_id).queryKey, known =>
    newerOf(known, change),
  );
  if (change.ended_at !== null) {
    refreshSaved();
  }
  void queryClient.invalidateQueries({ queryKey: ['get', '/people-imports'] });
}
