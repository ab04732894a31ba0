import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { $api, type Schema } from '../../api/client.ts';
import { byCursor } from '../../api/shared-queries.ts';
import { LinkButton } from '../../design/button.tsx';
import { Card, Page } from '../../design/layout.tsx';
import { ShowMore } from '../../design/pager.tsx';
import { Answered, Empty } from '../../design/states.tsx';
import { type Column, DataTable } from '../../design/table.tsx';
import { findingCompanies } from '../people/filter-fields.ts';
import { inWords } from '../people/filter-words.ts';
import { Finds } from '../people/finding.ts';
import styles from '../people/people.module.css';
import { usePeopleVocabulary } from '../people/people-queries.ts';
import { lastRunOf, lastRunsMax, SearchState } from '../people/searches-screen.tsx';
import { PreviewMeter } from '../people/show-people.tsx';
import type { Run } from '../work-states.ts';

type Search = Schema['CompanySearch'];

const searchesOfPage = 20;

/** The company searches of the account, with a link to start a new one. */
export function SearchesScreen() {
  const pages = $api.useInfiniteQuery(
    'get',
    '/company-searches',
    { params: { query: { limit: searchesOfPage } } },
    byCursor,
  );
  const { data: balance } = $api.useQuery('get', '/balance');
  return (
    <Finds value={findingCompanies}>
      <Page
        title="Find companies"
        lead="Search for companies and count them for free. You pay only for the companies you save."
        actions={
          <LinkButton to="/companies/new" look="primary">
            <Plus size={16} aria-hidden />
            Create search
          </LinkButton>
        }
      >
        {balance && (
          <Card>
            <PreviewMeter balance={balance} />
          </Card>
        )}
        <Answered question={pages} lines={5} loading="Loading searches">
          {({ pages: seen }) =>
            seen[0]?.searches.length ? (
              <SearchTable searches={seen.flatMap(page => page.searches)} />
            ) : (
              <NoSearches />
            )
          }
        </Answered>
        <ShowMore list={pages}>Show older searches</ShowMore>
      </Page>
    </Finds>
  );
}

function NoSearches() {
  return (
    <Empty
      title="No searches yet"
      action={
        <LinkButton to="/companies/new" look="primary">
          Create your first search
        </LinkButton>
      }
    >
      Find companies by industry, size, place, technology and more. Each filter shows at once how many
      companies match, free of charge; a preview then shows which they are, and you pay only for those that
      you save.
    </Empty>
  );
}

function SearchTable({ searches }: { readonly searches: readonly Search[] }) {
  const vocabulary = usePeopleVocabulary();
  const { data: runs } = $api.useQuery('get', '/discovery-runs', {
    params: { query: { kind: 'companies', limit: lastRunsMax } },
  });
  const rows = searches.map(search => ({
    search,
    words: inWords(search.filters, vocabulary, findingCompanies.all),
    lastRun: runs?.runs.find(run => run.search_id === search.search_id),
  }));
  return <DataTable name="Searches" columns={columns} rows={rows} rowId={({ search }) => search.search_id} />;
}

interface SearchRow {
  readonly search: Search;
  readonly words: string;
  /** Undefined if the search has none, or only runs older than the account's latest runs. */
  readonly lastRun: Run | undefined;
}

const columns: readonly Column<SearchRow>[] = [
  {
    id: 'name',
    header: 'Search',
    width: 'minmax(16rem, 3fr)',
    cell: ({ search, words }) => (
      <div className={styles.name}>
        <Link to="/companies/$searchId" params={{ searchId: search.search_id }}>
          {search.name}
        </Link>
        <span className={styles.words}>{words}</span>
      </div>
    ),
  },
  {
    id: 'state',
    header: 'Status',
    width: 'minmax(8rem, 1fr)',
    cell: ({ search }) => <SearchState search={search} />,
  },
  {
    id: 'last-run',
    header: 'Last run',
    width: 'minmax(10rem, 1fr)',
    cell: ({ search, lastRun }) =>
      lastRun ? lastRunOf(lastRun) : search.state === 'preview' ? 'None yet' : '–',
  },
];
