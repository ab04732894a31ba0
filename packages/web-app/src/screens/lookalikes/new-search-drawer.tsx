import { useNavigate } from '@tanstack/react-router';
import { $api, queryClient } from '../../api/client.ts';
import { Drawer } from '../../design/dialog.tsx';
import { emptyQuestion } from './question.ts';
import { QuestionForm } from './question-form.tsx';
import { viewQuery } from './view-query.ts';

interface NewSearchDrawerProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** Begins a search. */
export function NewSearchDrawer({ open, onOpenChange }: NewSearchDrawerProps) {
  const navigate = useNavigate();
  const begin = $api.useMutation('post', '/lookalike-searches');
  return (
    <Drawer
      title="New lookalike search"
      lead="Three companies or more give clearly better matches than one."
      open={open}
      onOpenChange={isOpen => {
        begin.reset();
        onOpenChange(isOpen);
      }}
    >
      <QuestionForm
        question={emptyQuestion}
        isNew
        verb="Show matches, free"
        busy={begin.isPending}
        error={begin.error}
        onSubmit={({ name, question }) =>
          begin.mutate(
            { body: { name, ...question } },
            {
              async onSuccess(view) {
                queryClient.setQueryData(viewQuery(view.search_id).queryKey, view);
                void queryClient.invalidateQueries({ queryKey: ['get', '/lookalike-searches'] });
                await navigate({ to: '/lookalikes/$searchId', params: { searchId: view.search_id } });
              },
            },
          )
        }
      />
    </Drawer>
  );
}
