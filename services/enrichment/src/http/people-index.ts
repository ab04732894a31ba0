import type { Handlers } from '@mailproof/service-kit';
import type { AccountId, ReadValues } from '@mailproof/shared-types';
import type { ExampleSeed } from '../domain/lookalike-search/company-rows.ts';
import { labeledVocabulary, labelOf } from '../domain/people-search/labels.ts';
import type { IndexOfAccount, ReadValue, StoreVocabulary } from '../domain/people-search/people-index.ts';
import { orSearchProblem } from './search-problem.ts';

/** Handlers that count people by filters and list filter values. */
export function peopleIndexHandlers(
  indexOf: IndexOfAccount,
  exampleSeeds: (accountId: AccountId) => Promise<readonly ExampleSeed[]>,
) {
  return {
    async countPeople({ params: { accountId }, body }) {
      const { total, facets, read } = await orSearchProblem(
        indexOf(accountId).count({ filters: body.filters, facets: true }),
        '/filters',
      );
      if (!facets) {
        throw new Error('The people index left out the facets.');
      }
      return { total, facets, ...readAnswer(read) };
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

/** The values that were read as others, for an answer. */
export function readAnswer(read: readonly ReadValue[] = []): { read?: ReadValues } {
  return read.length === 0
    ? {}
    : {
        read: read.map(({ pointer, value, readAs }) => ({
          filter: pointer.split('/')[1] ?? '',
          value,
          read_as: [...readAs],
        })),
      };
}

function labeled(name: keyof StoreVocabulary, held: StoreVocabulary) {
  return held[name].map(({ value, count }) => ({ value, label: labelOf(name, value), count }));
}
