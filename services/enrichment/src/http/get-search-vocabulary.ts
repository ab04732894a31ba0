import { type Guard, type Route, route } from '@mailproof/service-kit';
import { forwarded, getSearchVocabulary } from '@mailproof/shared-types';
import { labelledVocabulary, labelOf } from '../domain/people-search/labels.ts';
import type { PeopleIndex, StoreVocabulary } from '../domain/people-search/people-index.ts';
import { orSearchProblem } from './search-problem.ts';

const twin = forwarded(getSearchVocabulary);

export function getSearchVocabularyRoute(guard: Guard<unknown>, index: PeopleIndex): Route {
  return route(twin, guard, async () => {
    const held = await orSearchProblem(index.vocabulary(), '');
    return {
      seniorities: labelledVocabulary('seniorities'),
      departments: labelledVocabulary('departments'),
      company_sizes: labelledVocabulary('company_sizes'),
      revenues: labelledVocabulary('revenues'),
      company_types: labelledVocabulary('company_types'),
      industries: labelled('industries', held),
      countries: labelled('countries', held),
    };
  });
}

function labelled(name: keyof StoreVocabulary, held: StoreVocabulary) {
  return held[name].map(({ value, count }) => ({ value, label: labelOf(name, value), count }));
}
