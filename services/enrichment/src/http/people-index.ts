import type { Handlers } from '@mailproof/service-kit';
import type { AccountId } from '@mailproof/shared-types';
import type { ExampleSeed } from '../domain/lookalike-search/company-rows.ts';
import { labeledVocabulary, labelOf } from '../domain/people-search/labels.ts';
import type { IndexOfAccount, StoreVocabulary } from '../domain/people-search/people-index.ts';
import { orSearchProblem } from './search-problem.ts';

/** Handlers that count people by filters and list filter values. */
export function peopleIndexHandlers(
  indexOf: IndexOfAccount,
  exampleSeeds: (accountId: AccountId) => Promise<readonly ExampleSeed[]>,
) {
  return {
    async countPeople({ params: { accountId }, body }) {
      const { total, facets } = await orSearchProblem(
        indexOf(accountId).count({ filters: body.filters, facets: true }),
        '/filters',
      );
      if (!facets) {
        throw new Error('The people index left out the facets.');
      }
      return { total, facets };
    },

    async getSearchVocabulary({ params: { accountId } }) {
      const held = await orSearchProblem(indexOf(accountId).vocabulary(), '');
      const seeds = await exampleSeeds(accountId);
      return {
        seniorities: labeledVocabulary('seniorities'),
        departments: labeledVocabulary('departments'),
        company_sizes: labeledVocabulary('company_sizes'),
        revenues: labeledVocabulary('revenues'),
        company_types: labeledVocabulary('company_types'),
        industries: labeled('industries', held),
        countries: labeled('countries', held),
        ...(seeds.length > 0 && {
          seed_companies: seeds.map(({ domain, name }) => ({ domain, name })),
        }),
      };
    },
  } satisfies Partial<Handlers<'enrichment'>>;
}

function labeled(name: keyof StoreVocabulary, held: StoreVocabulary) {
  return held[name].map(({ value, count }) => ({ value, label: labelOf(name, value), count }));
}
