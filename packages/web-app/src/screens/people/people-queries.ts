import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { $api, queryClient, type Schema } from '../../api/client.ts';
import { useIdempotencyKey } from '../../api/idempotency-key.ts';
import { asProblem } from '../../api/problem.ts';
import { refreshCredits, refreshSaved, savedListsQuery, useVocabulary } from '../../api/shared-queries.ts';
import { keepRun } from '../discovery/run-query.ts';
import type { Filters, Vocabulary } from './filter-fields.ts';
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
  const query = $api.useQuery(
    'post',
    '/people-counts',
    { body: { filters: asked } },
    { placeholderData: keepPreviousData, staleTime: 60_000 },
  );
  const [last, setLast] = useState(query.data);
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
function useSettled<Value>(value: Value): Value {
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
  const { data: lists = [] } = useQuery(savedListsQuery);
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

/** Starts a run of a search, once for each request, and shows its progress. */
export function useSavePeople(search: Search) {
  const key = useIdempotencyKey();
  const start = $api.useMutation('post', '/people-searches/{search_id}/runs');
  const { search_id } = search;
  function save(body: Schema['NewPeopleRun'], onStarted?: () => void) {
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
  }
  return { start, save };
}
