import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api, queryClient } from '../../api/client.ts';
import { isMissing } from '../../api/problem.ts';
import { Button, LinkButton } from '../../design/button.tsx';
import { Confirm } from '../../design/dialog.tsx';
import { Card, Page } from '../../design/layout.tsx';
import { Answered, Empty, Notice } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import { RenameSearch } from '../discovery/rename-search.tsx';
import { useEndOfRun } from '../discovery/run-query.ts';
import { findingCompanies } from './filter-fields.ts';
import { Finds, useFinding } from './finding.ts';
import { OpenSearch } from './open-search.tsx';
import { Saving, SearchFigures } from './save-panel.tsx';
import { SearchPreview } from './search-preview.tsx';
import {
  pathsOf,
  refreshSearch,
  refreshSearches,
  type Search,
  searchOf,
  usePeopleVocabulary,
} from './search-queries.ts';
import styles from './searches.module.css';
import { addressOf, keepTried } from './tried-filters.ts';
import { ChosenFilters } from './workbench.tsx';

/** A search: what it finds, the price of saving it, and the outcomes of its runs. */
export function SearchScreen() {
  const { searchId = '' } = useParams({ strict: false });
  const { kind, title } = useFinding();
  const question = useQuery(searchOf(kind, searchId));
  if (question.data) return <Found key={searchId} search={question.data} />;
  return (
    <Page title={title}>
      {isMissing(question.error) ? (
        <Empty title="Search not found" action={<LinkButton to={`/${kind}`}>All searches</LinkButton>}>
          It may have been deleted.
        </Empty>
      ) : (
        <Answered question={question} lines={8} loading="Loading search">
          {() => null}
        </Answered>
      )}
    </Page>
  );
}

/** The same for companies. */
export function CompanySearchScreen() {
  return (
    <Finds value={findingCompanies}>
      <SearchScreen />
    </Finds>
  );
}

function Found({ search }: { readonly search: Search }) {
  const { kind } = useFinding();
  useEndOfRun(search.active_run_id, () => void refreshSearch(kind, search.search_id));
  return (
    <Page title={search.name} actions={<SearchActions search={search} />}>
      {search.state === 'locked' ? <LockedSearch search={search} /> : <OpenSearch search={search} />}
    </Page>
  );
}

/** A search after its first run: the filters are fixed, and the remaining matches can be saved. */
function LockedSearch({ search }: { readonly search: Search }) {
  const { kind } = useFinding();
  const vocabulary = usePeopleVocabulary();
  return (
    <div className={styles.main}>
      <Card
        title="Filters"
        actions={
          <LinkButton
            to={`/${kind}/new`}
            search={{ ...addressOf(search.filters), name: undefined }}
            onClick={() => keepTried(search.filters, sessionStorage)}
          >
            Create search with these filters
          </LinkButton>
        }
      >
        <ChosenFilters filters={search.filters} vocabulary={vocabulary} />
        <p className={styles.soft}>The first run locked the filters.</p>
      </Card>
      <SearchFigures search={search} />
      <Saving search={search} />
      <SearchPreview search={search} title="Preview" />
    </div>
  );
}

/** Renames or deletes a search. */
function SearchActions({ search }: { readonly search: Search }) {
  const [asks, setAsks] = useState<'name' | 'delete'>();
  const { kind, many } = useFinding();
  const navigate = useNavigate();
  const close = (isOpen: boolean) => !isOpen && setAsks(undefined);
  const params = { path: { search_id: search.search_id } };
  const { queryKey } = searchOf(kind, search.search_id);
  async function rename(name: string) {
    await api.PUT(pathsOf[kind].name, { params, body: { name } });
    await Promise.all([queryClient.invalidateQueries({ queryKey }), refreshSearches(kind)]);
    announce('Search renamed.');
  }
  async function remove() {
    await api.DELETE(pathsOf[kind].search, { params });
    await navigate({ to: `/${kind}` });
    queryClient.removeQueries({ queryKey });
    await refreshSearches(kind);
    announce('Search deleted.');
  }
  return (
    <>
      <Button onClick={() => setAsks('name')}>
        <Pencil size={16} aria-hidden />
        Rename
      </Button>
      <Button onClick={() => setAsks('delete')}>
        <Trash2 size={16} aria-hidden />
        Delete
      </Button>
      <RenameSearch name={search.name} open={asks === 'name'} onOpenChange={close} onRename={rename} />
      <Confirm
        title="Delete this search?"
        lead={`The search and its runs are deleted. Saved ${many} and receipts are kept.`}
        verb="Delete search"
        isDanger
        disabled={search.active_run_id !== null}
        open={asks === 'delete'}
        onOpenChange={close}
        onConfirm={remove}
      >
        {search.active_run_id && (
          <Notice tone="caution">A run is in progress: cancel it, or wait until it ends.</Notice>
        )}
      </Confirm>
    </>
  );
}
