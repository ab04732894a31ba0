import { useRef } from 'react';
import { $api, queryClient } from '../../api/client.ts';
import { type Question, type QuestionChange, questionOf, type View } from './question.ts';
import { viewQuery } from './view-query.ts';

/**
 * Changes what a search asks. Whoever changes it twice in quick succession has both: the second change is made to what was
 * asked last, whether it has been answered or not, and is sent when the first one is through.
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
  function ask(change: QuestionChange, onDone: () => void): void {
    const body = change(asked.current ?? questionOf(view));
    asked.current = body;
    mutate({ params: { path: { search_id } }, body }, { onSuccess: onDone });
  }
  return { ask, isPending, error, reset };
}
