import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { closedFacets } from '../../discovery/people-filters.ts';
import { memberOrKey } from './view-parts.ts';

const labeled = { value: z.string(), label: z.string().describe('Display name.') };
const fixed = z.array(z.object(labeled));
const seedCompanies = z.array(z.object({ domain: z.string(), name: z.string() })).max(3);
const held = z.array(
  z.object({ ...labeled, count: z.int().min(0).describe('Number of people with the value.') }),
);

/** Lists the values that people can be filtered by. */
export const getSearchVocabulary = defineOperation({
  id: 'get-search-vocabulary',
  method: 'get',
  path: '/app/v1/search-vocabulary',
  summary: 'List filter values',
  tag: 'Leads',
  description:
    'The fixed vocabularies of the filters in order, and the known industries and countries, most frequent first. Other values of these filters are rejected. `seed_companies` are examples for a search for similar companies.',
  answeredBy: 'enrichment',
  access: memberOrKey('leads'),
  sandbox: true,
  success: {
    status: 200,
    description: 'The vocabularies, by filter name.',
    schema: z
      .object({
        ...(Object.fromEntries(closedFacets.map(name => [name, fixed])) as Record<
          (typeof closedFacets)[number],
          typeof fixed
        >),
        industries: held,
        countries: held,
        seed_companies: seedCompanies
          .optional()
          .describe('Similar companies in the store, as example seeds; absent if there are none.'),
      })
      .meta({ id: 'SearchVocabulary' }),
  },
  repeatable: true,
  problems: ['search_not_ready'],
});
