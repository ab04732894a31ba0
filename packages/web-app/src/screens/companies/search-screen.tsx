import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { $api, api, queryClient } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { Button, LinkButton } from '../../design/button.tsx';
import { Confirm } from '../../design/dialog.tsx';
import { Card, Page } from '../../design/layout.tsx';
import { Answered, Empty, Notice } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import { RenameSearch } from '../discovery/rename-search.tsx';
import { useEndOfRun } from '../discovery/run-query.ts';
import { ExportButton } from '../exports/export-button.tsx';
import { type Filters, filtersOfCompanies, findingCompanies } from '../people/filter-fields.ts';
import { Finds } from '../people/finding.ts';
import { MatchesCard } from '../people/matches-card.tsx';
import styles from '../people/people.module.css';
import { areSameFilters } from '../people/people-filters.ts';
import { usePeopleVocabulary } from '../people/people-queries.ts';
import { Saving, SearchFigures } from '../people/save-panel.tsx';
import { ShowPeople } from '../people/show-people.tsx';
import { addressOf, keepTried, triedFilters } from '../people/tried-filters.ts';
import { ChosenFilters, Workbench } from '../people/workbench.tsx';
import { CompaniesPreview } from './companies-preview.tsx';
import {
  refreshSearch,
  refreshSearches,
  type Search,
  searchOf,
  useCompanyCounts,
  useSaveCompanies,
} from './company-queries.ts';

const route = getRouteApi('/signed-in/companies/$searchId');

/** A search: the companies it finds, the price of saving them, and the outcomes of its runs. */
export function SearchScreen() {
  const { searchId } = route.useParams();
  const question = useQuery(searchOf(searchId));
  if (question.data) {
    return (
      <Finds value={findingCompanies}>
        <Found key={searchId} search={question.data} />
      </Finds>
    );
  }
  return (
    <Page title="Company search">
      {question.isError && asProblem(question.error).status === 404 ? (
        <Empty title="Search not found" action={<LinkButton to="/companies">All searches</LinkButton>}>
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

function Found({ search }: { readonly search: Search }) {
  useEndOfRun(search.active_run_id, () => void refreshSearch(search.search_id));
  return (
    <Page title={search.name} actions={<SearchActions search={search} />}>
      {search.state === 'locked' ? <LockedSearch search={search} /> : <OpenSearch search={search} />}
    </Page>
  );
}

function SavingCompanies({ search }: { readonly search: Search }) {
  const { queryKey } = searchOf(search.search_id);
  return (
    <Saving
      search={search}
      saver={useSaveCompanies(search)}
      onEnded={() => void queryClient.invalidateQueries({ queryKey })}
      next={
        <>
          <LinkButton to="/saved/companies">View saved companies</LinkButton>
          <ExportButton
            source={{ kind: 'saved_companies', search_id: search.search_id }}
            name={search.name}
          />
        </>
      }
    />
  );
}

/** A search after its first run: the filters are fixed, and the remaining companies can be saved. */
function LockedSearch({ search }: { readonly search: Search }) {
  const vocabulary = usePeopleVocabulary();
  return (
    <div className={styles.main}>
      <Card
        title="Filters"
        actions={
          <LinkButton
            to="/companies/new"
            search={addressOf(search.filters)}
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
      <SavingCompanies search={search} />
      <CompaniesPreview search={search} title="Preview" />
    </div>
  );
}

/** A search before its first run: the filters can be changed. */
function OpenSearch({ search }: { readonly search: Search }) {
  const tried = route.useSearch();
  const navigate = route.useNavigate();
  const [filters, setFilters] = useState<Filters>(() =>
    filtersOfCompanies(triedFilters(tried, sessionStorage) ?? search.filters),
  );
  const counted = useCompanyCounts(filters);
  const isChanged = !areSameFilters(filters, search.filters);
  function change(next: Filters) {
    setFilters(next);
    navigate({
      search: keepTried(areSameFilters(next, search.filters) ? undefined : next, sessionStorage),
      replace: true,
      resetScroll: false,
    });
  }
  return (
    <Workbench filters={filters} onChange={change} counted={counted}>
      {isChanged ? (
        <>
          <MatchesCard filters={filters} onChange={change} counted={counted} />
          <ChangedFilters
            search={search}
            filters={filters}
            canShow={counted.faults.length === 0}
            onShown={() => change(filters)}
            onBack={() => change(search.filters)}
          />
        </>
      ) : (
        <>
          <SearchFigures search={search} />
          <SavingCompanies search={search} />
        </>
      )}
      <CompaniesPreview
        key={search.updated_at}
        search={search}
        canSave={!isChanged}
        title={isChanged ? 'Companies for the previous filters' : 'Preview'}
      />
    </Workbench>
  );
}

interface ChangedFiltersProps {
  readonly search: Search;
  readonly filters: Filters;
  readonly canShow: boolean;
  readonly onShown: () => void;
  readonly onBack: () => void;
}

/** Previews the companies that match the changed filters. */
function ChangedFilters({ search, filters, canShow, onShown, onBack }: ChangedFiltersProps) {
  const change = $api.useMutation('put', '/company-searches/{search_id}/filters');
  function show(creditsMax: number) {
    const params = { path: { search_id: search.search_id } };
    change.mutate(
      { params, body: { filters, credits_max: creditsMax } },
      {
        onSuccess(shown) {
          queryClient.removeQueries({ queryKey: ['get', '/company-searches/{search_id}/companies'] });
          queryClient.setQueryData(searchOf(search.search_id).queryKey, shown);
          announce(
            shown.preview.kind === 'repeated'
              ? 'You previewed these filters before, so this was free.'
              : 'Preview updated.',
          );
          onShown();
        },
        onSettled: () => void refreshSearches(),
      },
    );
  }
  return (
    <ShowPeople
      title="Filters changed"
      canShow={canShow}
      preview={change}
      onShow={show}
      otherwise={<Button onClick={onBack}>Restore previous filters</Button>}
    >
      <p className={styles.soft}>Filters that you already previewed in a company search are free.</p>
    </ShowPeople>
  );
}

/** Renames or deletes a search. */
function SearchActions({ search }: { readonly search: Search }) {
  const [asks, setAsks] = useState<'name' | 'delete'>();
  const navigate = useNavigate();
  const close = (isOpen: boolean) => !isOpen && setAsks(undefined);
  const params = { path: { search_id: search.search_id } };
  const { queryKey } = searchOf(search.search_id);
  async function rename(name: string) {
    await api.PUT('/company-searches/{search_id}/name', { params, body: { name } });
    await Promise.all([queryClient.invalidateQueries({ queryKey }), refreshSearches()]);
    announce('Search renamed.');
  }
  async function remove() {
    await api.DELETE('/company-searches/{search_id}', { params });
    await navigate({ to: '/companies' });
    queryClient.removeQueries({ queryKey });
    await refreshSearches();
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
        lead="The search and its runs are deleted. Saved companies and receipts are kept."
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
