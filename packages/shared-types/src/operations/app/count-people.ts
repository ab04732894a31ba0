import { z } from 'zod';
import { peopleFacets, peopleFilters } from '../../discovery/people-filters.ts';
import { limits } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { noParams, noQuery } from '../public-parts.ts';
import { memberOnly } from './view-parts.ts';

/** How many people filters find, and what other values would find. */
export const countPeople = defineOperation({
  id: 'count-people',
  method: 'post',
  path: '/app/v1/people-counts',
  summary: 'Count people',
  tag: 'Leads',
  description:
    'How many people match the filters, exactly, and for each facet how many each of its values would find with the other filters as they are. Shows nobody and is free, so that filters can be tried before a search is begun. A value that its vocabulary does not have is refused, with the nearest known ones. People who came or went within the last seconds may not be counted yet.',
  access: memberOnly,
  params: noParams,
  query: noQuery,
  body: z.strictObject({ filters: peopleFilters }).meta({ id: 'PeopleCountRequest' }),
  bodyBytesMax: limits.filtersBytesMax,
  success: {
    status: 200,
    description: 'The counts.',
    schema: z
      .object({
        total: z.int().min(0).describe('People who match all filters.'),
        facets: peopleFacets,
      })
      .meta({ id: 'PeopleCounts' }),
  },
  repeatable: true,
  problems: [
    'invalid_request',
    'malformed_json',
    'body_too_large',
    'unsupported_media_type',
    'unknown_filter_value',
    'search_not_ready',
  ],
});
