import { limits } from '@mailproof/shared-types';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { $api, queryClient } from '../../api/client.ts';
import { useIdempotencyKey } from '../../api/idempotency-key.ts';
import { TextInput } from '../../design/field.tsx';
import { Page } from '../../design/layout.tsx';
import { type Filters, filtersOfCompanies, findingCompanies } from '../people/filter-fields.ts';
import { suggestedName } from '../people/filter-words.ts';
import { Finds } from '../people/finding.ts';
import { MatchesCard } from '../people/matches-card.tsx';
import { usePeopleVocabulary } from '../people/people-queries.ts';
import { ShowPeople } from '../people/show-people.tsx';
import { keepTried, triedFilters } from '../people/tried-filters.ts';
import { Workbench } from '../people/workbench.tsx';
import { refreshSearches, searchOf, useCompanyCounts } from './company-queries.ts';

const route = getRouteApi('/signed-in/companies/new');

/** Chooses the filters of a new search with live counts of the matches, and previews the first companies. */
export function NewSearchScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [filters, setFilters] = useState<Filters>(() =>
    filtersOfCompanies(triedFilters(search, sessionStorage) ?? {}),
  );
  const counted = useCompanyCounts(filters);
  function change(next: Filters) {
    setFilters(next);
    navigate({ search: keepTried(next, sessionStorage), replace: true, resetScroll: false });
  }
  return (
    <Finds value={findingCompanies}>
      <Page
        title="New company search"
        lead="Choose filters and see how many companies match. Counting is free; companies are not shown yet."
      >
        <Workbench filters={filters} onChange={change} counted={counted}>
          <MatchesCard filters={filters} onChange={change} counted={counted} />
          <Beginning
            filters={filters}
            canBegin={counted.faults.length === 0 && counted.counts !== undefined && counted.counts.total > 0}
          />
        </Workbench>
      </Page>
    </Finds>
  );
}

interface BeginningProps {
  readonly filters: Filters;
  readonly canBegin: boolean;
}

/** Starts the search with its first preview. */
function Beginning({ filters, canBegin }: BeginningProps) {
  const navigate = useNavigate();
  const suggestion = suggestedName(
    filters,
    usePeopleVocabulary(),
    limits.discoveryNameCharactersMax,
    findingCompanies.all,
  );
  const [name, setName] = useState('');
  const key = useIdempotencyKey();
  const begin = $api.useMutation('post', '/company-searches');
  function show(creditsMax: number) {
    const body = { name: name.trim() || suggestion, filters, credits_max: creditsMax };
    begin.mutate(
      { body, params: { header: { 'Idempotency-Key': key.keyOf(body) } } },
      {
        async onSuccess(search) {
          key.answered();
          queryClient.setQueryData(searchOf(search.search_id).queryKey, search);
          void refreshSearches();
          await navigate({
            to: '/companies/$searchId',
            params: { searchId: search.search_id },
            search: { filters: undefined, kept: undefined },
          });
        },
        // Another member may have used the last free preview, which changes the price.
        onError(error) {
          key.answered(error);
          void refreshSearches();
        },
      },
    );
  }
  return (
    <ShowPeople title="Preview companies" canShow={canBegin} preview={begin} onShow={show}>
      <TextInput
        label="Search name"
        value={name}
        maxLength={limits.discoveryNameCharactersMax}
        placeholder={suggestion}
        hint="You and your team see this name. If it is empty, the search is named after its filters."
        onChange={({ target }) => setName(target.value)}
      />
    </ShowPeople>
  );
}
