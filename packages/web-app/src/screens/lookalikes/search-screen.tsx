import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { queryClient } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { Answered } from '../../design/answered.tsx';
import { LinkButton } from '../../design/button.tsx';
import { Drawer } from '../../design/dialog.tsx';
import { countOf, formatNumber } from '../../design/format.ts';
import { Card, Page, Row, Stack } from '../../design/layout.tsx';
import { Empty, Failure, Notice } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import { RunReceipts } from '../discovery/run-receipts.tsx';
import { RunUnderWay } from '../discovery/run-under-way.tsx';
import { useEndOfRun } from '../discovery/use-followed-run.ts';
import { ExportButton } from '../exports/export-button.tsx';
import { CompaniesFound } from './companies-found.tsx';
import { CoverageBadge } from './coverage-badge.tsx';
import styles from './lookalikes.module.css';
import { OfferPanel } from './offer-panel.tsx';
import { type QuestionChange, questionOf, type View } from './question.ts';
import { QuestionCard } from './question-card.tsx';
import { QuestionForm } from './question-form.tsx';
import { SearchMenu } from './search-menu.tsx';
import { useQuestion } from './use-question.ts';
import { searchHasMoved, viewQuery } from './view-query.ts';

const route = getRouteApi('/signed-in/lookalikes/$searchId');

/** One search: what it asks, what it finds, what that costs, and what was fetched. */
export function SearchScreen() {
  const { searchId } = route.useParams();
  const question = useQuery(viewQuery(searchId));
  if (question.data) return <Search key={searchId} view={question.data} />;
  return (
    <Page title="Lookalike search">
      {question.isError && asProblem(question.error).status === 404 ? (
        <Empty
          title="This search is not there"
          action={<LinkButton to="/lookalikes">All searches</LinkButton>}
        >
          It may have been deleted.
        </Empty>
      ) : (
        <Answered question={question} loading="Loading the search" lines={8}>
          {() => null}
        </Answered>
      )}
    </Page>
  );
}

function Search({ view }: { readonly view: View }) {
  const { change: isChanging } = route.useSearch();
  const navigate = route.useNavigate();
  const question = useQuestion(view);
  useEndOfRun(view.active_run_id, searchHasMoved);
  const setChanging = (open: boolean) => {
    question.reset();
    void navigate({ search: previous => ({ ...previous, change: open || undefined }) });
  };
  function ask(change: QuestionChange, done: string) {
    question.ask(change, () => {
      announce(done);
      if (isChanging) setChanging(false);
    });
  }
  const onAsk = view.locked ? undefined : ask;
  return (
    <Page
      title={view.name}
      lead={
        <Row>
          <CoverageBadge coverage={view.coverage} />
          {view.expected && <span>{countOf(view.expected.matches, 'match', 'matches')} to fetch</span>}
          {view.delivered > 0 && <span>{formatNumber(view.delivered)} fetched</span>}
        </Row>
      }
      actions={
        <>
          {view.delivered > 0 && (
            <ExportButton source={{ kind: 'saved_companies', search_id: view.search_id }} name={view.name} />
          )}
          <SearchMenu view={view} />
        </>
      }
    >
      {question.error && !isChanging && <Failure error={question.error} />}
      <div className={styles.top}>
        <Stack>
          <QuestionCard view={view} onAsk={onAsk} />
          <RunReceipts searchId={view.search_id} />
        </Stack>
        <RunCard view={view} />
      </div>
      <CompaniesFound view={view} onAsk={onAsk} isChanging={question.isPending} />
      <Drawer
        title="Change the search"
        lead="The matches are found anew, free of charge."
        open={isChanging === true && !view.locked}
        onOpenChange={setChanging}
      >
        <QuestionForm
          question={questionOf(view)}
          verb="Show matches, free"
          busy={question.isPending}
          error={question.error}
          onSubmit={entered => ask(() => entered.question, 'The matches are those of the new question.')}
        />
      </Drawer>
    </Page>
  );
}

function RunCard({ view }: { readonly view: View }) {
  const { active_run_id: runId, expected } = view;
  if (runId) {
    const { queryKey } = viewQuery(view.search_id);
    return (
      <RunUnderWay
        runId={runId}
        kind="lookalikes"
        onEnded={() => void queryClient.invalidateQueries({ queryKey })}
      />
    );
  }
  if (expected === null) {
    return (
      <Notice tone="neutral" title="The ranking does not answer yet">
        <span>After a start the store is taken in first. This page asks again by itself.</span>
      </Notice>
    );
  }
  if (expected.matches === 0) return null;
  return (
    <Card title={view.delivered > 0 ? 'Fetch more' : 'Fetch them'}>
      <OfferPanel view={view} expected={expected} />
    </Card>
  );
}
