import type { Handlers } from '@mailproof/service-kit';
import { labeledVocabulary, labelOf } from '../domain/people-search/labels.ts';
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
        seniorities: labeledVocabulary('seniorities'),
        departments: labeledVocabulary('departments'),
        company_sizes: labeledVocabulary('company_sizes'),
        revenues: labeledVocabulary('revenues'),
        company_types: labeledVocabulary('company_types'),
        industries: labeled('industries', held),
        countries: labeled('countries', held),
      };
    },
  } satisfies Partial<Handlers<'enrichment'>>;
}

function labeled(name: keyof StoreVocabulary, held: StoreVocabulary) {
  return held[name].map(({ value, count }) => ({ value, label: labelOf(name, value), count }));
}
