import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Schema } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { useVocabulary } from '../../api/vocabulary.ts';
import { Answered } from '../../design/answered.tsx';
import { LinkButton } from '../../design/button.tsx';
import { Card, Page } from '../../design/layout.tsx';
import { Empty } from '../../design/states.tsx';
import { useEndOfRun } from '../discovery/use-followed-run.ts';
import { ChosenFilters } from './chosen-filters.tsx';
import { OpenSearch } from './open-search.tsx';
import styles from './people.module.css';
import { PeoplePreview } from './people-preview.tsx';
import { searchHasMoved, searchOf } from './people-queries.ts';
import { Saving, SearchFigures } from './saving.tsx';
import { SearchActions } from './search-actions.tsx';
import { addressOf, keepTried } from './tried-filters.ts';

export type Search = Schema['PreviewedPeopleSearch'];

const route = getRouteApi('/signed-in/people/$searchId');

/** A search: whom it finds, what saving them costs, and what became of the runs. */
export function SearchScreen() {
  const { searchId } = route.useParams();
  const question = useQuery(searchOf(searchId));
  if (question.data) return <Found key={searchId} search={question.data} />;
  return (
    <Page title="People search">
      {question.isError && asProblem(question.error).status === 404 ? (
        <Empty title="This search is not there" action={<LinkButton to="/people">All searches</LinkButton>}>
          It may have been deleted.
        </Empty>
      ) : (
        <Answered question={question} lines={8} loading="Loading the search">
          {() => null}
        </Answered>
      )}
    </Page>
  );
}

function Found({ search }: { readonly search: Search }) {
  useEndOfRun(search.active_run_id, () => void searchHasMoved(search.search_id));
  return (
    <Page title={search.name} actions={<SearchActions search={search} />}>
      {search.state === 'locked' ? <LockedSearch search={search} /> : <OpenSearch search={search} />}
    </Page>
  );
}

/** From its first run on: the filters are fixed, and what is left can be saved. */
function LockedSearch({ search }: { readonly search: Search }) {
  const { data: vocabulary } = useVocabulary();
  return (
    <div className={styles.main}>
      <Card
        title="Filters"
        actions={
          <LinkButton
            to="/people/new"
            search={{ ...addressOf(search.filters), name: undefined }}
            onClick={() => keepTried(search.filters, sessionStorage)}
          >
            New search from these
          </LinkButton>
        }
      >
        <ChosenFilters filters={search.filters} vocabulary={vocabulary} />
        <p className={styles.soft}>They have been fixed since the first run.</p>
      </Card>
      <SearchFigures search={search} />
      <Saving search={search} />
      <PeoplePreview search={search} title="First people" />
    </div>
  );
}
