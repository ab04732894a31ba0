import { $api, queryClient } from '../../api/client.ts';
import { Button } from '../../design/button.tsx';
import { announce } from '../../design/toasts.tsx';
import type { Filters } from './filter-fields.ts';
import { useFinding, useTriedFilters } from './finding.ts';
import { MatchesCard } from './matches-card.tsx';
import { Saving, SearchFigures } from './save-panel.tsx';
import { areSameFilters } from './search-filters.ts';
import { SearchPreview } from './search-preview.tsx';
import { pathsOf, refreshSearches, type Search, searchOf, useCounts } from './search-queries.ts';
import styles from './searches.module.css';
import { ShowMatches } from './show-matches.tsx';
import { Workbench } from './workbench.tsx';

/** A search before its first run: the filters can be changed. */
export function OpenSearch({ search }: { readonly search: Search }) {
  const { heading } = useFinding();
  const [filters, change] = useTriedFilters(search.filters);
  const counted = useCounts(filters);
  const isChanged = !areSameFilters(filters, search.filters);
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
          <Saving search={search} />
        </>
      )}
      <SearchPreview
        key={search.updated_at}
        search={search}
        canSave={!isChanged}
        title={isChanged ? `${heading} for the previous filters` : 'Preview'}
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

/** Previews what matches the changed filters. */
function ChangedFilters({ search, filters, canShow, onShown, onBack }: ChangedFiltersProps) {
  const { kind } = useFinding();
  const change = $api.useMutation('put', pathsOf[kind].filters);
  function show(creditsMax: number) {
    change.mutate(
      {
        params: { path: { search_id: search.search_id } },
        body: { filters, credits_max: creditsMax },
      },
      {
        onSuccess(shown) {
          queryClient.removeQueries({ queryKey: ['get', pathsOf[kind].found] });
          queryClient.setQueryData(searchOf(kind, search.search_id).queryKey, shown);
          announce(
            shown.preview.kind === 'repeated'
              ? 'You previewed these filters before, so this was free.'
              : 'Preview updated.',
          );
          onShown();
        },
        onSettled: () => void refreshSearches(kind),
      },
    );
  }
  return (
    <ShowMatches
      title="Filters changed"
      canShow={canShow}
      preview={change}
      onShow={show}
      otherwise={<Button onClick={onBack}>Restore previous filters</Button>}
    >
      <p className={styles.soft}>
        Filters that you already previewed in {kind === 'people' ? 'this' : 'a company'} search are free.
      </p>
    </ShowMatches>
  );
}
