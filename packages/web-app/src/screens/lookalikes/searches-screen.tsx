import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { $api, queryClient, type Schema } from '../../api/client.ts';
import { byCursor } from '../../api/shared-queries.ts';
import { LinkButton } from '../../design/button.tsx';
import { Drawer } from '../../design/dialog.tsx';
import { formatDay, formatNumber } from '../../design/format.ts';
import { Page, Row } from '../../design/layout.tsx';
import { ShowMore } from '../../design/pager.tsx';
import { Answered, Empty } from '../../design/states.tsx';
import { type Column, DataTable } from '../../design/table.tsx';
import { CoverageBadge } from './coverage-badge.tsx';
import styles from './lookalikes.module.css';
import { emptyQuestion } from './question.ts';
import { QuestionForm } from './question-form.tsx';
import { viewQuery } from './view-query.ts';

type Search = Schema['LookalikeSearch'];

const route = getRouteApi('/signed-in/lookalikes');
const pageRows = 50;

/** The lookalike searches of the account, with a form to start a new one. */
export function SearchesScreen() {
  const { begin } = route.useSearch();
  const navigate = route.useNavigate();
  const query = $api.useInfiniteQuery(
    'get',
    '/lookalike-searches',
    { params: { query: { limit: pageRows } } },
    byCursor,
  );
  const hasSearches = (query.data?.pages[0]?.searches.length ?? 0) > 0;
  const beginLink = (
    <LinkButton to="/lookalikes" search={{ begin: true }} look="primary">
      <Plus size={16} aria-hidden />
      Create search
    </LinkButton>
  );
  return (
    <Page
      title="Lookalikes"
      lead="Enter companies that you like, or describe them, and find similar ones, with the reasons. Searching is free."
      actions={hasSearches && beginLink}
    >
      <Answered question={query} loading="Loading searches">
        {({ pages }) =>
          hasSearches ? (
            <DataTable
              name="Lookalike searches"
              columns={columns}
              rows={pages.flatMap(page => page.searches)}
              rowId={search => search.search_id}
            />
          ) : (
            <Empty title="Find companies like your best ones" action={beginLink}>
              Paste the domains of a few of your best customers. You see the 25 strongest matches for free,
              with what they have in common, and pay only for the companies that you fetch.
            </Empty>
          )
        }
      </Answered>
      <ShowMore list={query}>Show older searches</ShowMore>
      <NewSearchDrawer
        open={begin === true}
        onOpenChange={open => navigate({ search: { begin: open || undefined } })}
      />
    </Page>
  );
}

const columns: readonly Column<Search>[] = [
  {
    id: 'name',
    header: 'Search',
    width: 'minmax(16rem, 3fr)',
    cell: search => (
      <div className={styles.searchName}>
        <Link to="/lookalikes/$searchId" params={{ searchId: search.search_id }}>
          {search.name}
        </Link>
        <span>like {named(search)}</span>
      </div>
    ),
  },
  {
    id: 'coverage',
    header: 'Status',
    width: 'minmax(9rem, 1fr)',
    cell: ({ coverage }) => (
      <Row>
        <CoverageBadge coverage={coverage} />
      </Row>
    ),
  },
  {
    id: 'delivered',
    header: 'Fetched',
    width: '7rem',
    align: 'end',
    cell: ({ delivered }) => formatNumber(delivered),
  },
  {
    id: 'updated',
    header: 'Last changed',
    width: '8rem',
    align: 'end',
    cell: ({ updated_at }) => formatDay(updated_at),
  },
];

function named({ seed_domains: domains, seed_text: text }: Search): string {
  if (domains.length === 0) return `“${(text ?? '').slice(0, 60)}”`;
  const shown = domains.slice(0, 3).join(', ');
  return domains.length > 3 ? `${shown} and ${domains.length - 3} more` : shown;
}

interface NewSearchDrawerProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** Starts a search. */
function NewSearchDrawer({ open, onOpenChange }: NewSearchDrawerProps) {
  const navigate = useNavigate();
  const begin = $api.useMutation('post', '/lookalike-searches');
  return (
    <Drawer
      title="New lookalike search"
      lead="Three or more companies give clearly better matches than one."
      open={open}
      onOpenChange={isOpen => {
        begin.reset();
        onOpenChange(isOpen);
      }}
    >
      <QuestionForm
        question={emptyQuestion}
        isNew
        verb="Show matches for free"
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
