import type { Handlers } from '@mailproof/service-kit';
import { labelledVocabulary, labelOf } from '../domain/people-search/labels.ts';
import type { PeopleIndex, StoreVocabulary } from '../domain/people-search/people-index.ts';
import { orSearchProblem } from './search-problem.ts';

/** Handlers that count people by filters and list filter values. */
export function peopleIndexHandlers(index: PeopleIndex) {
  return {
    async countPeople({ body }) {
      const { total, facets } = await orSearchProblem(
        index.count({ filters: body.filters, facets: true }),
        '/filters',
      );
      if (!facets) {
        throw new Error('The people index left out the facets.');
      }
      return { total, facets };
    },

    async getSearchVocabulary() {
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
    },
  } satisfies Partial<Handlers<'enrichment'>>;
}

function labelled(name: keyof StoreVocabulary, held: StoreVocabulary) {
  return held[name].map(({ value, count }) => ({ value, label: labelOf(name, value), count }));
}
