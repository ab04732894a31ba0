import { limits } from '@mailproof/shared-types';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { $api, queryClient } from '../../api/client.ts';
import { useIdempotencyKey } from '../../api/idempotency-key.ts';
import { TextInput } from '../../design/field.tsx';
import { Page } from '../../design/layout.tsx';
import type { Filters } from './filter-fields.ts';
import { suggestedName } from './filter-words.ts';
import { MatchesCard } from './matches-card.tsx';
import { refreshSearches, searchOf, usePeopleCounts, usePeopleVocabulary } from './people-queries.ts';
import { ShowPeople } from './show-people.tsx';
import { keepTried, triedFilters } from './tried-filters.ts';
import { Workbench } from './workbench.tsx';

const route = getRouteApi('/signed-in/people/new');

/** Chooses the filters of a new search with live counts of the matches, and previews the first people. */
export function NewSearchScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [filters, setFilters] = useState<Filters>(() => triedFilters(search, sessionStorage) ?? {});
  const counted = usePeopleCounts(filters);
  function change(next: Filters) {
    setFilters(next);
    navigate({
      search: ({ name }) => ({ name, ...keepTried(next, sessionStorage) }),
      replace: true,
      resetScroll: false,
    });
  }
  return (
    <Page
      title="New people search"
      lead="Choose filters and see how many people match. Counting is free; people are not shown yet."
    >
      <Workbench filters={filters} onChange={change} counted={counted}>
        <MatchesCard filters={filters} onChange={change} counted={counted} />
        <Beginning
          filters={filters}
          canBegin={counted.faults.length === 0 && counted.counts !== undefined && counted.counts.total > 0}
        />
      </Workbench>
    </Page>
  );
}

interface BeginningProps {
  readonly filters: Filters;
  readonly canBegin: boolean;
}

/** Starts the search with its first preview. */
function Beginning({ filters, canBegin }: BeginningProps) {
  const navigate = useNavigate();
  const vocabulary = usePeopleVocabulary();
  const suggestion = suggestedName(filters, vocabulary, limits.discoveryNameCharactersMax);
  const [name, setName] = useNameInAddress();
  const key = useIdempotencyKey();
  const begin = $api.useMutation('post', '/people-searches');
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
            to: '/people/$searchId',
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
    <ShowPeople title="Preview people" canShow={canBegin} preview={begin} onShow={show}>
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

/** Keeps the typed name in the URL, so that it survives a reload. */
function useNameInAddress() {
  const { name: given = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const [name, setName] = useState(given);
  function change(next: string) {
    setName(next);
    navigate({
      search: before => ({ ...before, name: next || undefined }),
      replace: true,
      resetScroll: false,
    });
  }
  return [name, change] as const;
}
