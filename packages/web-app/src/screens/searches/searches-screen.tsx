import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { $api, type Schema } from '../../api/client.ts';
import { byCursor } from '../../api/shared-queries.ts';
import { Badge } from '../../design/badge.tsx';
import { LinkButton } from '../../design/button.tsx';
import { countOf, formatDay, formatNumber } from '../../design/format.ts';
import { Card, Page } from '../../design/layout.tsx';
import { ShowMore } from '../../design/pager.tsx';
import { Answered, Empty } from '../../design/states.tsx';
import { type Column, DataTable } from '../../design/table.tsx';
import { runWords } from '../discovery/run-words.ts';
import { isActive, type Run } from '../work-states.ts';
import { findingCompanies } from './filter-fields.ts';
import { inWords } from './filter-words.ts';
import { Finds, useFinding } from './finding.ts';
import { pathsOf, usePeopleVocabulary } from './search-queries.ts';
import styles from './searches.module.css';
import { PreviewMeter } from './show-matches.tsx';

type Search = Schema['PeopleSearch'] | Schema['CompanySearch'];

interface SearchRow {
  readonly search: Search;
  readonly words: string;
  readonly matches: Matches;
  /** The last run; undefined if the search has none, or only runs older than the account's latest runs. */
  readonly lastRun: Run | undefined;
}

/** The number of matches of a search now; `unknown` if they could not be counted. */
type Matches = number | 'counting' | 'unknown';

const searchesOfPage = 20;
/** Limits concurrent counts, so that a list does not exhaust the session's request rate. */
const countsAtOnce = 3;
/** The runs that are read for the last run of each search. */
const lastRunsMax = 200;

/** The searches of the account, with a link to start a new one. */
export function SearchesScreen() {
  const { kind, many } = useFinding();
  const pages = $api.useInfiniteQuery(
    'get',
    pathsOf[kind].searches,
    { params: { query: { limit: searchesOfPage } } },
    byCursor,
  );
  const { data: balance } = $api.useQuery('get', '/balance');
  return (
    <Page
      title={`Find ${many}`}
      lead={`Search for ${many} and count them for free. You pay only for the ${many} you save.`}
      actions={
        <LinkButton to={`/${kind}/new`} look="primary">
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
  );
}

/** The same for companies. */
export function CompanySearchesScreen() {
  return (
    <Finds value={findingCompanies}>
      <SearchesScreen />
    </Finds>
  );
}

function NoSearches() {
  const { kind, invitation } = useFinding();
  return (
    <Empty
      title="No searches yet"
      action={
        <LinkButton to={`/${kind}/new`} look="primary">
          Create your first search
        </LinkButton>
      }
    >
      {invitation}
    </Empty>
  );
}

function SearchTable({ searches }: { readonly searches: readonly Search[] }) {
  const { kind, all } = useFinding();
  const vocabulary = usePeopleVocabulary();
  const { data: runs } = $api.useQuery('get', '/discovery-runs', {
    params: { query: { kind, limit: lastRunsMax } },
  });
  const matches = useMatches(searches);
  const rows = searches.map((search, index) => ({
    search,
    words: inWords(search.filters, vocabulary, all),
    matches: matches[index] ?? 'counting',
    lastRun: runs?.runs.find(run => run.search_id === search.search_id),
  }));
  return <DataTable name="Searches" columns={columns} rows={rows} rowId={({ search }) => search.search_id} />;
}

/** Counts the current matches of each search, a few searches at a time, starting from the top. */
function useMatches(searches: readonly Search[]): readonly Matches[] {
  const { kind } = useFinding();
  const [answered, setAnswered] = useState(0);
  const counted = useQueries({
    queries: searches.map(({ filters }, index) => ({
      ...$api.queryOptions('post', pathsOf[kind].counts, { body: { filters } }, { staleTime: 60_000 }),
      enabled: index < answered + countsAtOnce,
    })),
  });
  const nowAnswered = counted.filter(({ isPending }) => !isPending).length;
  if (nowAnswered !== answered) setAnswered(nowAnswered);
  return counted.map(({ data, isError }) => data?.total ?? (isError ? 'unknown' : 'counting'));
}

const columns: readonly Column<SearchRow>[] = [
  {
    id: 'name',
    header: 'Search',
    width: 'minmax(16rem, 3fr)',
    cell: row => <SearchName {...row} />,
  },
  {
    id: 'state',
    header: 'Status',
    width: 'minmax(8rem, 1fr)',
    cell: ({ search }) => <SearchState search={search} />,
  },
  {
    id: 'matches',
    header: 'Matches now',
    width: '7rem',
    align: 'end',
    cell: ({ matches }) => matchesInWords(matches),
  },
  {
    id: 'last-run',
    header: 'Last run',
    width: 'minmax(9rem, 1fr)',
    cell: ({ search, lastRun }) =>
      lastRun ? lastRunOf(lastRun) : search.state === 'preview' ? 'None yet' : '–',
  },
];

function SearchName({ search, words }: SearchRow) {
  const { kind } = useFinding();
  return (
    <div className={styles.name}>
      <Link to={`/${kind}/$searchId`} params={{ searchId: search.search_id }}>
        {search.name}
      </Link>
      <span className={styles.words}>{words}</span>
    </div>
  );
}

function SearchState({ search }: { readonly search: Search }) {
  if (search.active_run_id) return <Badge tone="fair">Saving</Badge>;
  if (search.last_attempt_failed) return <Badge tone="bad">Last run failed</Badge>;
  if (search.has_more === null) return <Badge>Preview</Badge>;
  return search.has_more ? (
    <Badge tone="caution">More available</Badge>
  ) : (
    <Badge tone="good">All saved</Badge>
  );
}

function matchesInWords(matches: Matches): string {
  if (typeof matches === 'number') return formatNumber(matches);
  return matches === 'counting' ? '…' : '–';
}

/** `50 people, 3 March` */
function lastRunOf(run: Run): string {
  const { one, many } = runWords[run.kind];
  const saved = countOf(run.delivered, one, many);
  return isActive(run) ? `${saved} so far` : `${saved}, ${formatDay(run.ended_at ?? run.created_at)}`;
}
