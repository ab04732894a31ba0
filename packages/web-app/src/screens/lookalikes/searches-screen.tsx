import { getRouteApi, Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { $api, type Schema } from '../../api/client.ts';
import { byCursor } from '../../api/paged-rows.ts';
import { Answered } from '../../design/answered.tsx';
import { LinkButton } from '../../design/button.tsx';
import { formatDay, formatNumber } from '../../design/format.ts';
import { Page, Row } from '../../design/layout.tsx';
import { ShowMore } from '../../design/pager.tsx';
import { Empty } from '../../design/states.tsx';
import { type Column, DataTable } from '../../design/table.tsx';
import { CoverageBadge } from './coverage-badge.tsx';
import styles from './lookalikes.module.css';
import { NewSearchDrawer } from './new-search-drawer.tsx';

type Search = Schema['LookalikeSearch'];

const route = getRouteApi('/signed-in/lookalikes');
const pageRows = 50;

/** The lookalike searches of the account, and the beginning of a new one. */
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
      New search
    </LinkButton>
  );
  return (
    <Page
      title="Lookalikes"
      lead="Name companies that you like, and see others like them, with the reasons. Looking is free."
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
              Paste the domains of a few customers you would like to have twice. You see the 25 strongest
              matches free of charge, with what they have in common, and pay only for those that you fetch.
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
        <span>like {named(search.seed_domains)}</span>
      </div>
    ),
  },
  {
    id: 'coverage',
    header: 'State',
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
    header: 'Changed',
    width: '8rem',
    align: 'end',
    cell: ({ updated_at }) => formatDay(updated_at),
  },
];

function named(domains: readonly string[]): string {
  const shown = domains.slice(0, 3).join(', ');
  return domains.length > 3 ? `${shown} and ${domains.length - 3} more` : shown;
}
