import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { peopleFacets, peopleFilters, readValues } from '../../discovery/people-filters.ts';
import { limits } from '../../limits.ts';
import { memberOrKey } from './view-parts.ts';

/** Counts the people who match the filters, and those who would match other values. */
export const countPeople = defineOperation({
  id: 'count-people',
  method: 'post',
  path: '/app/v1/people-counts',
  summary: 'Count people',
  tag: 'Leads',
  description:
    'Exact number of people who match the filters and, for each facet, how many people each value would find with the other filters unchanged. Returns no records and is free, so you can try out filters before you create a search. Unknown filter values are rejected with similar known values. People added or removed within the last few seconds may not be counted yet.',
  answeredBy: 'enrichment',
  access: memberOrKey('leads'),
  sandbox: true,
  body: z.strictObject({ filters: peopleFilters }).meta({ id: 'PeopleCountRequest' }),
  bodyBytesMax: limits.filtersBytesMax,
  success: {
    status: 200,
    description: 'The counts.',
    schema: z
      .object({
        total: z.int().min(0).describe('People who match all filters.'),
        facets: peopleFacets,
        read: readValues.optional(),
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
