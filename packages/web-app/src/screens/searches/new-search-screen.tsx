import { limits } from '@mailproof/shared-types';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { $api, queryClient } from '../../api/client.ts';
import { useIdempotencyKey } from '../../api/idempotency-key.ts';
import { TextInput } from '../../design/field.tsx';
import { Page } from '../../design/layout.tsx';
import { type Filters, findingCompanies } from './filter-fields.ts';
import { suggestedName } from './filter-words.ts';
import { Finds, useFinding, useTriedFilters } from './finding.ts';
import { MatchesCard } from './matches-card.tsx';
import { pathsOf, refreshSearches, searchOf, useCounts, usePeopleVocabulary } from './search-queries.ts';
import { ShowMatches } from './show-matches.tsx';
import { Workbench } from './workbench.tsx';

/** Chooses the filters of a new search with live counts of the matches, and previews the first of them. */
export function NewSearchScreen() {
  const { many, title } = useFinding();
  const [filters, change] = useTriedFilters({});
  const counted = useCounts(filters);
  return (
    <Page
      title={`New ${title.toLowerCase()}`}
      lead={`Choose filters and see how many ${many} match. Counting is free; ${many} are not shown yet.`}
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

/** The same for companies. */
export function NewCompanySearchScreen() {
  return (
    <Finds value={findingCompanies}>
      <NewSearchScreen />
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
  const { kind, many, all } = useFinding();
  const suggestion = suggestedName(filters, usePeopleVocabulary(), limits.discoveryNameCharactersMax, all);
  const [name, setName] = useNameInAddress();
  const key = useIdempotencyKey();
  const begin = $api.useMutation('post', pathsOf[kind].searches);
  function show(creditsMax: number) {
    const body = { name: name.trim() || suggestion, filters, credits_max: creditsMax };
    begin.mutate(
      { body, params: { header: { 'Idempotency-Key': key.keyOf(body) } } },
      {
        async onSuccess(search) {
          key.answered();
          queryClient.setQueryData(searchOf(kind, search.search_id).queryKey, search);
          void refreshSearches(kind);
          await navigate({
            to: `/${kind}/$searchId`,
            params: { searchId: search.search_id },
            search: { filters: undefined, kept: undefined },
          });
        },
        // Another member may have used the last free preview, which changes the price.
        onError(error) {
          key.answered(error);
          void refreshSearches(kind);
        },
      },
    );
  }
  return (
    <ShowMatches title={`Preview ${many}`} canShow={canBegin} preview={begin} onShow={show}>
      <TextInput
        label="Search name"
        value={name}
        maxLength={limits.discoveryNameCharactersMax}
        placeholder={suggestion}
        hint="You and your team see this name. If it is empty, the search is named after its filters."
        onChange={({ target }) => setName(target.value)}
      />
    </ShowMatches>
  );
}

/** Keeps the typed name in the URL, so that it survives a reload. */
function useNameInAddress() {
  const { name: given = '' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const [name, setName] = useState(given);
  function change(next: string) {
    setName(next);
    const kept = { name: next || undefined };
    navigate({ to: '.', search: before => ({ ...before, ...kept }), replace: true, resetScroll: false });
  }
  return [name, change] as const;
}
