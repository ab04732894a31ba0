import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Ellipsis, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api, queryClient } from '../../api/client.ts';
import { isMissing } from '../../api/problem.ts';
import { IconButton, LinkButton } from '../../design/button.tsx';
import { Confirm, Drawer } from '../../design/dialog.tsx';
import { countOf, formatNumber } from '../../design/format.ts';
import { Card, Page, Row } from '../../design/layout.tsx';
import { classes } from '../../design/looks.ts';
import { Menu, MenuItem } from '../../design/menu.tsx';
import { Answered, Empty, Failure, Notice } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import { ActiveRun } from '../discovery/active-run.tsx';
import { RenameSearch } from '../discovery/rename-search.tsx';
import { useEndOfRun } from '../discovery/run-query.ts';
import { RunReceipts } from '../discovery/run-receipts.tsx';
import { ExportButton } from '../exports/export-button.tsx';
import { CompaniesFound } from './companies-found.tsx';
import { CoverageBadge } from './coverage-badge.tsx';
import styles from './lookalikes.module.css';
import { OfferPanel } from './offer-panel.tsx';
import { type QuestionChange, questionOf, type Shown, type View } from './question.ts';
import { QuestionCard } from './question-card.tsx';
import { QuestionForm } from './question-form.tsx';
import { refreshSearch, useQuestion, viewQuery } from './view-query.ts';

const route = getRouteApi('/signed-in/lookalikes/$searchId');

/** One search: its question, its matches, their cost, and the fetched companies. */
export function SearchScreen() {
  const { searchId } = route.useParams();
  const question = useQuery(viewQuery(searchId));
  if (question.data) return <Search key={searchId} view={question.data} />;
  return (
    <Page title="Lookalike search">
      {isMissing(question.error) ? (
        <Empty title="Search not found" action={<LinkButton to="/lookalikes">All searches</LinkButton>}>
          It may have been deleted.
        </Empty>
      ) : (
        <Answered question={question} loading="Loading search" lines={8}>
          {() => null}
        </Answered>
      )}
    </Page>
  );
}

function Search({ view }: { readonly view: View }) {
  const { change: isChanging, show } = route.useSearch();
  const shown = view.delivered === 0 ? 'preview' : (show ?? 'delivered');
  const navigate = route.useNavigate();
  const question = useQuestion(view);
  useEndOfRun(view.active_run_id, refreshSearch);
  const setChanging = (open: boolean) => {
    question.reset();
    void navigate({ search: previous => ({ ...previous, change: open || undefined }) });
  };
  function ask(change: QuestionChange, done: string) {
    question.ask(change, {
      onSuccess() {
        announce(done);
        if (isChanging) setChanging(false);
      },
      // The reason is at the top of the screen, which a match further down is not.
      onError: () => !isChanging && announce('The search was not changed.'),
    });
  }
  const onAsk = view.locked ? undefined : ask;
  return (
    <Page
      title={view.name}
      lead={
        <Row>
          <CoverageBadge coverage={view.coverage} />
          {view.expected && <span>{countOf(view.expected.matches, 'match', 'matches')} available</span>}
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
      <div className={classes(styles.search, shown === 'delivered' && styles.wide)}>
        <QuestionCard view={view} onAsk={onAsk} />
        <div className={styles.runs}>
          <RunCard view={view} shown={shown} />
          <RunReceipts searchId={view.search_id} />
        </div>
        <CompaniesFound view={view} shown={shown} onAsk={onAsk} isChanging={question.isPending} />
      </div>
      <Drawer
        title="Edit search"
        lead="The matches are refreshed for free."
        open={isChanging === true && !view.locked}
        onOpenChange={setChanging}
      >
        <QuestionForm
          question={questionOf(view)}
          verb="Show matches for free"
          busy={question.isPending}
          error={question.error}
          onSubmit={entered => ask(() => entered.question, 'Matches refreshed.')}
        />
      </Drawer>
    </Page>
  );
}

interface RunCardProps {
  readonly view: View;
  readonly shown: Shown;
}

function RunCard({ view, shown }: RunCardProps) {
  const { active_run_id: runId, expected } = view;
  if (runId) {
    const { queryKey } = viewQuery(view.search_id);
    return (
      <ActiveRun
        runId={runId}
        kind="lookalikes"
        onEnded={() => void queryClient.invalidateQueries({ queryKey })}
      />
    );
  }
  if (expected === null) {
    // The search says why none of its seeds can be compared.
    const isTextUsed = view.seed_text !== null && view.seed_text_fault === null;
    if (!isTextUsed && !view.seeds.some(({ use }) => use === 'used')) return null;
    return (
      <Notice tone="neutral" title="The index is still loading">
        <span>It loads after a restart. This page refreshes automatically.</span>
      </Notice>
    );
  }
  if (expected.matches === 0) return null;
  if (shown === 'delivered') {
    return (
      <Card title="Fetch more">
        <p>{countOf(expected.matches, 'more match is', 'more matches are')} available.</p>
        <LinkButton
          to="/lookalikes/$searchId"
          params={{ searchId: view.search_id }}
          search={{ show: 'preview' }}
        >
          See them and choose
        </LinkButton>
      </Card>
    );
  }
  return (
    <Card title={view.delivered > 0 ? 'Fetch more' : 'Fetch companies'}>
      <OfferPanel view={view} expected={expected} />
    </Card>
  );
}

/** Renames or deletes a search. */
function SearchMenu({ view }: { readonly view: View }) {
  const [asked, setAsked] = useState<'rename' | 'delete'>();
  const navigate = useNavigate();
  const params = { path: { search_id: view.search_id } };
  const close = (open: boolean) => !open && setAsked(undefined);

  async function rename(name: string) {
    const { data } = await api.PUT('/lookalike-searches/{search_id}/name', { params, body: { name } });
    const { queryKey } = viewQuery(view.search_id);
    queryClient.setQueryData(queryKey, known => known && { ...known, name: data?.name ?? name });
    // A response that is on its way has the name from before.
    void queryClient.invalidateQueries({ queryKey });
    announce('Search renamed.');
    void queryClient.invalidateQueries({ queryKey: ['get', '/lookalike-searches'] });
  }
  async function remove() {
    await api.DELETE('/lookalike-searches/{search_id}', { params });
    void queryClient.invalidateQueries({ queryKey: ['get', '/lookalike-searches'] });
    announce('Search deleted.');
    await navigate({ to: '/lookalikes' });
    queryClient.removeQueries({ queryKey: viewQuery(view.search_id).queryKey });
  }
  return (
    <>
      <Menu
        trigger={
          <IconButton name="More" look="secondary">
            <Ellipsis size={18} aria-hidden />
          </IconButton>
        }
      >
        <MenuItem onSelect={() => setAsked('rename')}>
          <Pencil size={16} aria-hidden />
          Rename
        </MenuItem>
        <MenuItem disabled={view.active_run_id !== null} onSelect={() => setAsked('delete')}>
          <Trash2 size={16} aria-hidden />
          {view.active_run_id ? 'Delete (cancel the run first)' : 'Delete'}
        </MenuItem>
      </Menu>
      <RenameSearch name={view.name} open={asked === 'rename'} onOpenChange={close} onRename={rename} />
      <Confirm
        title="Delete this search?"
        lead="Its results are deleted. Companies that you paid for stay paid: another search that finds them includes them for free."
        verb="Delete"
        isDanger
        open={asked === 'delete'}
        onOpenChange={close}
        onConfirm={remove}
      />
    </>
  );
}
