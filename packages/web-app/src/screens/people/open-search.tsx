import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { $api, queryClient } from '../../api/client.ts';
import { Button } from '../../design/button.tsx';
import { announce } from '../../design/toasts.tsx';
import type { Filters } from './filter-fields.ts';
import { MatchesCard } from './matches-card.tsx';
import styles from './people.module.css';
import { areSameFilters } from './people-filters.ts';
import { PeoplePreview } from './people-preview.tsx';
import { refreshSearches, type Search, searchOf, usePeopleCounts } from './people-queries.ts';
import { SavingPeople, SearchFigures } from './save-panel.tsx';
import { ShowPeople } from './show-people.tsx';
import { keepTried, triedFilters } from './tried-filters.ts';
import { Workbench } from './workbench.tsx';

const route = getRouteApi('/signed-in/people/$searchId');

/** A search before its first run: the filters can be changed. */
export function OpenSearch({ search }: { readonly search: Search }) {
  const tried = route.useSearch();
  const navigate = route.useNavigate();
  const [filters, setFilters] = useState<Filters>(
    () => triedFilters(tried, sessionStorage) ?? search.filters,
  );
  const counted = usePeopleCounts(filters);
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
          <SavingPeople search={search} />
        </>
      )}
      <PeoplePreview
        key={search.updated_at}
        search={search}
        canSave={!isChanged}
        title={isChanged ? 'People for the previous filters' : 'Preview'}
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

/** Previews the people who match the changed filters. */
function ChangedFilters({ search, filters, canShow, onShown, onBack }: ChangedFiltersProps) {
  const change = $api.useMutation('put', '/people-searches/{search_id}/filters');
  function show(creditsMax: number) {
    change.mutate(
      {
        params: { path: { search_id: search.search_id } },
        body: { filters, credits_max: creditsMax },
      },
      {
        onSuccess(shown) {
          queryClient.removeQueries({ queryKey: ['get', '/people-searches/{search_id}/people'] });
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
      <p className={styles.soft}>Filters that you already previewed in this search are free.</p>
    </ShowPeople>
  );
}
