import { keepPreviousData } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { $api, queryClient } from '../../api/client.ts';
import { creditsHaveMoved } from '../../api/credits-have-moved.ts';
import { asProblem } from '../../api/problem.ts';
import { savedHasChanged } from '../../api/saved-lists.ts';
import { type Filters, filterFaults } from './people-filters.ts';

const debounceMs = 200;

/** What filters find while one still chooses them. */
export type Counted = ReturnType<typeof usePeopleCounts>;

/**
 * How many people match, and how many each value would find. What is asked while one still chooses is not asked at all,
 * what is out of date is cancelled, and the last counts stay until there are new ones.
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
    /** Whether the counts are those of other filters. */
    isBehind: query.isFetching || query.isError || !isSame(filters, asked),
    /** What is wrong with values of the filters, so that nothing could be counted. */
    faults: filterFaults(query.error ? asProblem(query.error) : undefined),
    error: query.error,
    refetch: query.refetch,
  };
}

/** A value once it has not changed for a moment. */
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

/** After a search was previewed, renamed or deleted: what has a new answer is asked again. */
export async function refreshSearches(): Promise<void> {
  await Promise.all([
    creditsHaveMoved(),
    queryClient.invalidateQueries({ queryKey: ['get', '/people-searches'] }),
  ]);
}

/** After a run has begun or ended: all that says how far a search is, and who is saved. */
export async function searchHasMoved(searchId: string): Promise<void> {
  savedHasChanged();
  await Promise.all([
    refreshSearches(),
    queryClient.invalidateQueries({ queryKey: searchOf(searchId).queryKey }),
    queryClient.invalidateQueries({ queryKey: ['get', '/people-searches/{search_id}/people'] }),
    queryClient.invalidateQueries({ queryKey: ['get', '/discovery-runs'] }),
  ]);
}
