import { z } from 'zod';
import { closedFacets } from '../../discovery/people-filters.ts';
import { defineOperation } from '../../operation.ts';
import { noBody, noParams, noQuery } from '../public-parts.ts';
import { memberOnly } from './view-parts.ts';

const labelled = { value: z.string(), label: z.string().describe('As people read it.') };
const fixed = z.array(z.object(labelled));
const held = z.array(z.object({ ...labelled, count: z.int().min(0).describe('People of it.') }));

/** The values by which people are filtered. */
export const getSearchVocabulary = defineOperation({
  id: 'get-search-vocabulary',
  method: 'get',
  path: '/app/v1/search-vocabulary',
  summary: 'Values of the filters',
  tag: 'Leads',
  description:
    'The fixed vocabularies of the filters in their order, and the industries and countries that are known, most frequent first. Any other value of these filters is refused.',
  access: memberOnly,
  params: noParams,
  query: noQuery,
  body: noBody,
  bodyBytesMax: 0,
  success: {
    status: 200,
    description: 'The vocabularies, each by the name of its filter.',
    schema: z
      .object({
        ...(Object.fromEntries(closedFacets.map(name => [name, fixed])) as Record<
          (typeof closedFacets)[number],
          typeof fixed
        >),
        industries: held,
        countries: held,
      })
      .meta({ id: 'SearchVocabulary' }),
  },
  repeatable: true,
  problems: ['search_not_ready'],
});
