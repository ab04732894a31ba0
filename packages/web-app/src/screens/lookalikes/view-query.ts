import { useRef } from 'react';
import { $api, queryClient } from '../../api/client.ts';
import { refreshCredits, refreshSaved } from '../../api/shared-queries.ts';
import { type Question, type QuestionChange, questionOf, type View } from './question.ts';

const rankingAskedAgainMs = 5_000;

/** The query of a search with its preview; it is polled while the ranking is unavailable. */
export function viewQuery(searchId: string) {
  return $api.queryOptions(
    'get',
    '/lookalike-searches/{search_id}',
    { params: { path: { search_id: searchId } } },
    {
      refetchInterval: query => (query.state.data?.expected === null ? rankingAskedAgainMs : false),
    },
  );
}

/** Refetches everything that shows the progress of a search, after a run has started or ended. */
export function refreshSearch(): void {
  const moved = [
    '/lookalike-searches/{search_id}',
    '/lookalike-searches/{search_id}/companies',
    '/lookalike-searches',
    '/discovery-runs',
  ];
  void refreshCredits();
  refreshSaved();
  for (const path of moved) void queryClient.invalidateQueries({ queryKey: ['get', path] });
}

/**
 * Changes the question of a search. Two changes in quick succession both apply: the second is made to the latest
 * question, answered or not, and is sent after the first request has finished.
 */
export function useQuestion(view: View) {
  const { search_id } = view;
  const asked = useRef<Question>(undefined);
  const { mutate, isPending, error, reset } = $api.useMutation(
    'put',
    '/lookalike-searches/{search_id}/question',
    {
      scope: { id: search_id },
      onSuccess(changed) {
        queryClient.setQueryData(viewQuery(search_id).queryKey, changed);
        void queryClient.invalidateQueries({ queryKey: ['get', '/lookalike-searches'] });
      },
      onSettled(_changed, _error, { body }) {
        if (asked.current === body) asked.current = undefined;
      },
    },
  );
  function ask(change: QuestionChange, outcome: { onSuccess: () => void; onError: () => void }): void {
    const body = change(asked.current ?? questionOf(view));
    asked.current = body;
    mutate({ params: { path: { search_id } }, body }, outcome);
  }
  return { ask, isPending, error, reset };
}
