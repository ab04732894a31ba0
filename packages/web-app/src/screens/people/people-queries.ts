import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { $api, queryClient, type Schema } from '../../api/client.ts';
import { useIdempotencyKey } from '../../api/idempotency-key.ts';
import { asProblem } from '../../api/problem.ts';
import { refreshCredits, refreshSaved, savedListsQuery, useVocabulary } from '../../api/shared-queries.ts';
import { keepRun } from '../discovery/run-query.ts';
import type { Facets, Filters, Vocabulary } from './filter-fields.ts';
import { useFinding } from './finding.ts';
import { filterFaults } from './people-filters.ts';

/** A search with its preview. */
export type Search = Schema['PreviewedPeopleSearch'];

const debounceMs = 200;

/** The counts for the filters while the user chooses them. */
export type Counted = ReturnType<typeof usePeopleCounts>;

/**
 * Counts the people who match, in total and for each value. It sends no request while the filters are still changing,
 * cancels outdated requests, and keeps the last counts until new ones arrive.
 */
export function usePeopleCounts(filters: Filters) {
  const asked = useSettled(filters);
  const query = $api.useQuery('post', '/people-counts', { body: { filters: asked } }, countOptions);
  return useCounted(filters, asked, query);
}

export const countOptions = { placeholderData: keepPreviousData, staleTime: 60_000 } as const;

interface Counts {
  readonly total: number;
  readonly facets: Facets;
  readonly read?: Schema['ReadValues'];
}

interface CountQuery {
  readonly data: Counts | undefined;
  readonly error: object | null;
  readonly isError: boolean;
  readonly isFetching: boolean;
  readonly refetch: () => unknown;
}

/** The same for any kind of search; `asked` are the filters of the query. */
export function useCounted(filters: Filters, asked: Filters, query: CountQuery) {
  const [last, setLast] = useState<Counts | undefined>(query.data);
  if (query.data && query.data !== last) setLast(query.data);
  return {
    counts: query.data ?? last,
    /** Whether the counts belong to earlier filters. */
    isBehind: query.isFetching || query.isError || !isSame(filters, asked),
    /** The invalid filter values, because of which nothing could be counted. */
    faults: filterFaults(query.error ? asProblem(query.error) : undefined),
    error: query.error,
    refetch: query.refetch,
  };
}

/** Returns the value after it has not changed for a moment. */
export function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  const text = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(text) as Value), debounceMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

export const searchOf = (searchId: string) =>
  $api.queryOptions('get', '/people-searches/{search_id}', { params: { path: { search_id: searchId } } });

/** The values of the vocabularies and the saved lists; undefined until the vocabularies are known. */
export function usePeopleVocabulary(): Vocabulary | undefined {
  const { data: vocabulary } = useVocabulary();
  const { kind } = useFinding();
  const { data = [] } = useQuery(savedListsQuery);
  const lists = kind === 'people' ? data : data.filter(list => list.kind === kind);
  return (
    vocabulary && {
      ...vocabulary,
      saved_lists: lists.map(({ list_id, name }) => ({ value: list_id, label: name })),
    }
  );
}

/** Refetches what changes when a search is previewed, renamed or deleted. */
export async function refreshSearches(): Promise<void> {
  await Promise.all([
    refreshCredits(),
    queryClient.invalidateQueries({ queryKey: ['get', '/people-searches'] }),
  ]);
}

/** Refetches the progress of a search and who is saved, after a run has started or ended. */
export async function refreshSearch(searchId: string): Promise<void> {
  refreshSaved();
  await Promise.all([
    refreshSearches(),
    queryClient.invalidateQueries({ queryKey: searchOf(searchId).queryKey }),
    queryClient.invalidateQueries({ queryKey: ['get', '/people-searches/{search_id}/people'] }),
    queryClient.invalidateQueries({ queryKey: ['get', '/discovery-runs'] }),
  ]);
}

/** A search with its preview, as far as people and companies have the same. */
export type AnySearch = Pick<
  Search,
  | 'search_id'
  | 'state'
  | 'active_run_id'
  | 'total'
  | 'filters'
  | 'estimate'
  | 'last_attempt_failed'
  | 'has_more'
> & { readonly facets: Facets };

/** What to save: a number of records, or those that are chosen from the preview. */
type ToSave = { readonly records: number | 'all' } | { readonly ids: readonly string[] };

/** How a search is saved from. */
export interface Saver {
  readonly start: { readonly isPending: boolean; readonly isError: boolean; readonly error: unknown };
  readonly save: (what: ToSave, listId: string, onStarted?: () => void) => void;
}

/** Starts a run of a search, once for each request, and shows its progress. */
export function useSavePeople(search: Search): Saver {
  const key = useIdempotencyKey();
  const start = $api.useMutation('post', '/people-searches/{search_id}/runs');
  const { search_id } = search;
  const save: Saver['save'] = (what, listId, onStarted) => {
    const body = {
      ...('ids' in what ? { person_ids: [...what.ids] } : { people: what.records }),
      ...(listId && { list_id: listId }),
    };
    start.mutate(
      {
        body,
        params: {
          path: { search_id },
          header: { 'Idempotency-Key': key.keyOf(search_id, body) },
        },
      },
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
