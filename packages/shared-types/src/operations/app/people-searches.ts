import { z } from 'zod';
import { peopleFacets, peopleFilters } from '../../discovery/people-filters.ts';
import { previewedPerson } from '../../discovery/person-record.ts';
import { discoveryRunId, discoverySearchId, userId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { prices } from '../../prices.ts';
import { credits, noBody, noParams, noQuery } from '../public-parts.ts';
import { discoveryName, idempotencyNote, pageOf } from './discovery-parts.ts';
import { doneAnswer } from './user-parts.ts';
import { memberOnly, moment, nextCursorField } from './view-parts.ts';

const tag = 'People search';
const count = z.int().nonnegative();
const filtersBytesMax = 262_144;

/** A search for people, as a list shows it. */
export const peopleSearch = z
  .object({
    search_id: discoverySearchId,
    name: z.string(),
    filters: peopleFilters,
    state: z
      .enum(['preview', 'locked'])
      .describe('`preview`: the filters can be changed. `locked`: a paid run has started.'),
    has_more: z
      .boolean()
      .nullable()
      .describe('Whether the last run left people behind who match. Null before the first run.'),
    last_attempt_failed: z
      .boolean()
      .describe('Whether the latest run failed. What earlier ones saved, and its credits, are unaffected.'),
    last_attempt_failed_at: moment.nullable().describe('When it failed; null when it did not.'),
    active_run_id: discoveryRunId.nullable().describe('The run that is queued or running.'),
    created_by: userId,
    created_at: moment,
    updated_at: moment,
  })
  .meta({ id: 'PeopleSearch' });

export type PeopleSearch = z.output<typeof peopleSearch>;

/** What saving would bring and cost. */
const savingEstimate = z
  .object({
    matching: count.describe('People who match.'),
    already_saved: count.describe('Of these, people whom the account has saved. They are not charged again.'),
    deliverable: count.describe(
      `People whom a run over everything would save, at most ${limits.peoplePerRunMax.toLocaleString('en')}.`,
    ),
    price: credits.describe('Credits for each saved person.'),
    credits_max: credits.describe('What that run would reserve; only what is saved is charged.'),
  })
  .meta({ id: 'SavingEstimate' });

/** What a preview cost. */
const previewCharge = z.object({
  kind: z
    .enum(['allowance', 'credits', 'repeated', 'free'])
    .describe(
      '`allowance`: one of the cycle’s free previews. `credits`: it was paid. `repeated`: this search has been previewed with these filters before. `free`: nobody matches, so nothing was shown.',
    ),
  credits,
  previews_left: count.describe('Free previews that the billing cycle has left.'),
});

/** A search with its preview. */
export const previewedPeopleSearch = peopleSearch
  .extend({
    total: count.describe('People who match.'),
    people: z.array(previewedPerson).describe('The first page of the preview.'),
    next_cursor: nextCursorField,
    facets: peopleFacets,
    estimate: savingEstimate,
    preview: previewCharge,
  })
  .meta({ id: 'PreviewedPeopleSearch' });

export type PreviewedPeopleSearch = z.output<typeof previewedPeopleSearch>;

const searchParams = z.strictObject({ search_id: discoverySearchId });

const creditsMax = credits
  .max(1_000)
  .default(0)
  .describe(
    `Credits that this preview may cost, when the free ones of the billing cycle are used up; a preview then costs ${prices.peoplePreview}.`,
  );

const previewProblems = [
  'unknown_filter_value',
  'search_not_ready',
  'preview_costs_credits',
  'credits_exhausted',
  'id_reused',
] as const;

/** Begins a search with a preview. */
export const beginPeopleSearch = defineOperation({
  id: 'begin-people-search',
  method: 'post',
  path: '/app/v1/people-searches',
  summary: 'Search for people',
  tag,
  description: `Finds people and shows the first of them, how many there are by every facet, and what saving them would cost. ${limits.pageRowsDefault} people a page; paging is free. ${idempotencyNote}`,
  access: memberOnly,
  params: noParams,
  query: noQuery,
  body: z
    .strictObject({
      name: discoveryName.describe('What to call the search.'),
      filters: peopleFilters,
      credits_max: creditsMax,
    })
    .meta({ id: 'NewPeopleSearch' }),
  bodyBytesMax: filtersBytesMax,
  success: { status: 201, description: 'The search with its preview.', schema: previewedPeopleSearch },
  repeatable: false,
  takesIdempotencyKey: true,
  beginsList: 'list-people-of-search',
  problems: [...previewProblems, 'idempotency_key_reused'],
});

/** Asks for other people. */
export const changePeopleSearch = defineOperation({
  id: 'change-people-search',
  method: 'put',
  path: '/app/v1/people-searches/:search_id/filters',
  summary: 'Change the filters of a people search',
  tag,
  description:
    'Replaces the filters and shows the new preview. Filters that this search has been previewed with are free; others are a new preview. Refused once a paid run has started.',
  access: memberOnly,
  params: searchParams,
  query: noQuery,
  body: z
    .strictObject({ filters: peopleFilters, credits_max: creditsMax })
    .meta({ id: 'PeopleSearchChange' }),
  bodyBytesMax: filtersBytesMax,
  success: { status: 200, description: 'The search with its preview.', schema: previewedPeopleSearch },
  repeatable: true,
  beginsList: 'list-people-of-search',
  problems: [...previewProblems, 'search_not_found', 'search_locked', 'search_changed'],
});

/** Looks at a search again. */
export const getPeopleSearch = defineOperation({
  id: 'get-people-search',
  method: 'get',
  path: '/app/v1/people-searches/:search_id',
  summary: 'A people search',
  tag,
  description: 'The search with its preview as it is now, free of charge.',
  access: memberOnly,
  params: searchParams,
  query: noQuery,
  body: noBody,
  bodyBytesMax: 0,
  success: { status: 200, description: 'The search with its preview.', schema: previewedPeopleSearch },
  repeatable: true,
  beginsList: 'list-people-of-search',
  problems: ['search_not_found', 'unknown_filter_value', 'search_not_ready'],
});

/** The people searches of the account. */
export const listPeopleSearches = defineOperation({
  id: 'list-people-searches',
  method: 'get',
  path: '/app/v1/people-searches',
  summary: 'People searches',
  tag,
  description: 'The searches of the account, newest first.',
  access: memberOnly,
  params: noParams,
  query: z.strictObject(pageOf),
  body: noBody,
  bodyBytesMax: 0,
  success: {
    status: 200,
    description: 'A page of searches.',
    schema: z
      .object({ searches: z.array(peopleSearch), next_cursor: nextCursorField })
      .meta({ id: 'PeopleSearches' }),
  },
  repeatable: true,
  problems: ['invalid_cursor'],
});

/** Pages through the preview of a search. */
export const listPeopleOfSearch = defineOperation({
  id: 'list-people-of-search',
  method: 'get',
  path: '/app/v1/people-searches/:search_id/people',
  summary: 'People of a search',
  tag,
  description: `The preview of a search, page by page: at most ${limits.previewedPeopleMax} people over all pages. Free.`,
  access: memberOnly,
  params: searchParams,
  query: z.strictObject(pageOf),
  body: noBody,
  bodyBytesMax: 0,
  success: {
    status: 200,
    description: 'A page of people.',
    schema: z
      .object({ people: z.array(previewedPerson), next_cursor: nextCursorField })
      .meta({ id: 'PeopleOfSearch' }),
  },
  repeatable: true,
  problems: ['search_not_found', 'invalid_cursor', 'unknown_filter_value', 'search_not_ready'],
});

/** Calls a search otherwise. */
export const renamePeopleSearch = defineOperation({
  id: 'rename-people-search',
  method: 'put',
  path: '/app/v1/people-searches/:search_id/name',
  summary: 'Rename a people search',
  tag,
  description: 'A locked search can be renamed as well.',
  access: memberOnly,
  params: searchParams,
  query: noQuery,
  body: z.strictObject({ name: discoveryName }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: { status: 200, description: 'The search.', schema: peopleSearch },
  repeatable: true,
  problems: ['search_not_found'],
});

/** Deletes a search with its runs; the people whom they saved stay. */
export const deletePeopleSearch = defineOperation({
  id: 'delete-people-search',
  method: 'delete',
  path: '/app/v1/people-searches/:search_id',
  summary: 'Delete a people search',
  tag,
  description:
    'Deletes the search and the record of its runs. Saved people stay, and so do the receipts. Refused while a run is under way.',
  access: memberOnly,
  params: searchParams,
  query: noQuery,
  body: noBody,
  bodyBytesMax: 0,
  success: { status: 200, description: 'It is gone.', schema: doneAnswer },
  repeatable: false,
  problems: ['search_not_found', 'run_active'],
});
