import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { $api, queryClient, type Schema } from '../../api/client.ts';
import { useIdempotencyKey } from '../../api/idempotency-key.ts';
import { asProblem } from '../../api/problem.ts';
import { refreshCredits, refreshSaved, savedListsQuery, useVocabulary } from '../../api/shared-queries.ts';
import { keepRun } from '../discovery/run-query.ts';
import type { Facets, Filters, Vocabulary } from './filter-fields.ts';
import { useFinding } from './finding.ts';
import { filterFaults } from './search-filters.ts';

/** A search with its preview. */
export type Search = Schema['PreviewedPeopleSearch'] | Schema['PreviewedCompanySearch'];

/** The paths of the API for each kind of search. */
export const pathsOf = {
  people: {
    counts: '/people-counts',
    searches: '/people-searches',
    search: '/people-searches/{search_id}',
    name: '/people-searches/{search_id}/name',
    filters: '/people-searches/{search_id}/filters',
    found: '/people-searches/{search_id}/people',
    runs: '/people-searches/{search_id}/runs',
  },
  companies: {
    counts: '/company-counts',
    searches: '/company-searches',
    search: '/company-searches/{search_id}',
    name: '/company-searches/{search_id}/name',
    filters: '/company-searches/{search_id}/filters',
    found: '/company-searches/{search_id}/companies',
    runs: '/company-searches/{search_id}/runs',
  },
} as const;

type Kind = keyof typeof pathsOf;

const debounceMs = 200;

/** The counts for the filters while the user chooses them. */
export type Counted = ReturnType<typeof useCounts>;

interface Counts {
  readonly total: number;
  readonly facets: Facets;
  readonly read?: Schema['ReadValues'];
}

/**
 * Counts what matches, in total and for each value. It sends no request while the filters are still changing, cancels
 * outdated requests, and keeps the last counts until new ones arrive.
 */
export function useCounts(filters: Filters) {
  const { kind } = useFinding();
  const asked = useSettled(filters);
  const query = $api.useQuery(
    'post',
    pathsOf[kind].counts,
    { body: { filters: asked } },
    { placeholderData: keepPreviousData, staleTime: 60_000 },
  );
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

export const searchOf = (kind: Kind, searchId: string) =>
  $api.queryOptions('get', pathsOf[kind].search, { params: { path: { search_id: searchId } } });

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
export async function refreshSearches(kind: Kind): Promise<void> {
  await Promise.all([
    refreshCredits(),
    queryClient.invalidateQueries({ queryKey: ['get', pathsOf[kind].searches] }),
  ]);
}

/** Refetches the progress of a search and what is saved, after a run has started or ended. */
export async function refreshSearch(kind: Kind, searchId: string): Promise<void> {
  refreshSaved();
  await Promise.all([
    refreshSearches(kind),
    queryClient.invalidateQueries({ queryKey: searchOf(kind, searchId).queryKey }),
    queryClient.invalidateQueries({ queryKey: ['get', pathsOf[kind].found] }),
    queryClient.invalidateQueries({ queryKey: ['get', '/discovery-runs'] }),
  ]);
}

/** What to save: a number of records, or those that are chosen from the preview. */
type ToSave = { readonly records: number | 'all' } | { readonly ids: readonly string[] };

export type Saver = ReturnType<typeof useSaver>;

/** Starts a run of a search, once for each request, and shows its progress. */
export function useSaver(search: Search) {
  const { kind } = useFinding();
  const key = useIdempotencyKey();
  const start = $api.useMutation('post', pathsOf[kind].runs);
  const { search_id } = search;
  function save(what: ToSave, listId: string, onStarted?: () => void) {
    const body = { ...wantedOf(kind, what), ...(listId && { list_id: listId }) };
    const params = { path: { search_id }, header: { 'Idempotency-Key': key.keyOf(search_id, body) } };
    start.mutate(
      { body, params },
      {
        onSuccess(run) {
          key.answered();
          keepRun(run);
          onStarted?.();
          const { queryKey } = searchOf(kind, search_id);
          queryClient.setQueryData(queryKey, { ...search, state: 'locked', active_run_id: run.run_id });
          void refreshSearch(kind, search_id);
        },
        onError: error => key.answered(error),
      },
    );
  }
  return { start, save };
}

function wantedOf(kind: Kind, what: ToSave) {
  if ('ids' in what)
    return kind === 'people' ? { person_ids: [...what.ids] } : { company_ids: [...what.ids] };
  return kind === 'people' ? { people: what.records } : { companies: what.records };
}
