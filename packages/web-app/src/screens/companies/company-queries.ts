import { $api, queryClient, type Schema } from '../../api/client.ts';
import { useIdempotencyKey } from '../../api/idempotency-key.ts';
import { refreshCredits, refreshSaved } from '../../api/shared-queries.ts';
import { keepRun } from '../discovery/run-query.ts';
import type { Filters } from '../people/filter-fields.ts';
import { countOptions, type Saver, useCounted, useSettled } from '../people/people-queries.ts';

/** A search with its preview. */
export type Search = Schema['PreviewedCompanySearch'];

/** Counts the companies that match, in total and for each value, like people. */
export function useCompanyCounts(filters: Filters) {
  const asked = useSettled(filters);
  const query = $api.useQuery('post', '/company-counts', { body: { filters: asked } }, countOptions);
  return useCounted(filters, asked, query);
}

export const searchOf = (searchId: string) =>
  $api.queryOptions('get', '/company-searches/{search_id}', { params: { path: { search_id: searchId } } });

/** Refetches what changes when a search is previewed, renamed or deleted. */
export async function refreshSearches(): Promise<void> {
  await Promise.all([
    refreshCredits(),
    queryClient.invalidateQueries({ queryKey: ['get', '/company-searches'] }),
  ]);
}

/** Refetches the progress of a search and what is saved, after a run has started or ended. */
export async function refreshSearch(searchId: string): Promise<void> {
  refreshSaved();
  await Promise.all([
    refreshSearches(),
    queryClient.invalidateQueries({ queryKey: searchOf(searchId).queryKey }),
    queryClient.invalidateQueries({ queryKey: ['get', '/company-searches/{search_id}/companies'] }),
    queryClient.invalidateQueries({ queryKey: ['get', '/discovery-runs'] }),
  ]);
}

/** Starts a run of a search, once for each request, and shows its progress. */
export function useSaveCompanies(search: Search): Saver {
  const key = useIdempotencyKey();
  const start = $api.useMutation('post', '/company-searches/{search_id}/runs');
  const { search_id } = search;
  const save: Saver['save'] = (what, listId, onStarted) => {
    const body = {
      ...('ids' in what ? { company_ids: [...what.ids] } : { companies: what.records }),
      ...(listId && { list_id: listId }),
    };
    const params = { path: { search_id }, header: { 'Idempotency-Key': key.keyOf(search_id, body) } };
    start.mutate(
      { body, params },
      {
        onSuccess(run) {
          key.answered();
          keepRun(run);
          onStarted?.();
          const { queryKey } = searchOf(search_id);
          queryClient.setQueryData(queryKey, { ...search, state: 'locked', active_run_id: run.run_id });
          void refreshSearch(search_id);
        },
        onError: error => key.answered(error),
      },
    );
  };
  return { start, save };
}
