import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { peopleFacets, peopleFilters, readValues } from '../../discovery/people-filters.ts';
import { previewedPerson } from '../../discovery/person-record.ts';
import { creatorId, discoveryRunId, discoverySearchId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { withCommas } from '../../with-commas.ts';
import { credits } from '../public-parts.ts';
import {
  creditsMax,
  discoveryName,
  filtersBytesMax,
  idempotencyNote,
  pageOf,
  previewCharge,
  previewProblems,
} from './discovery-parts.ts';
import { doneAnswer } from './user-parts.ts';
import { memberOrKey, moment, nextCursorField } from './view-parts.ts';

const parts = {
  tag: 'People search',
  answeredBy: 'enrichment',
  access: memberOrKey('leads'),
  sandbox: true,
} as const;

const count = z.int().nonnegative();

/** A people search as shown in a list. */
export const peopleSearch = z
  .object({
    search_id: discoverySearchId,
    name: z.string(),
    filters: peopleFilters,
    state: z
      .enum(['preview', 'locked'])
      .describe('`preview`: filters can be changed. `locked`: a paid run has started.'),
    has_more: z
      .boolean()
      .nullable()
      .describe('Whether matching people were left after the last run. Null before the first run.'),
    last_attempt_failed: z
      .boolean()
      .describe('Whether the latest run failed. Results and charges of earlier runs are unaffected.'),
    last_attempt_failed_at: moment.nullable().describe('When it failed; null if it did not.'),
    active_run_id: discoveryRunId.nullable().describe('The queued or running run.'),
    created_by: creatorId,
    created_at: moment,
    updated_at: moment,
  })
  .meta({ id: 'PeopleSearch' });

export type PeopleSearch = z.output<typeof peopleSearch>;

/** What saving would deliver and cost. */
const savingEstimate = z
  .object({
    matching: count.describe('People who match.'),
    already_saved: count.describe(
      'Matching people already saved by the account. They are not charged again.',
    ),
    deliverable: count.describe(
      `Number of people that a run over all matches would save, at most ${withCommas(limits.peoplePerRunMax)}.`,
    ),
    price: credits.describe('Credits per saved person.'),
    credits_max: credits.describe('Credits that the run would reserve; only saved people are charged.'),
  })
  .meta({ id: 'SavingEstimate' });

/** A search with its preview. */
export const previewedPeopleSearch = peopleSearch
  .extend({
    total: count.describe('People who match.'),
    people: z.array(previewedPerson).describe('The first page of the preview.'),
    next_cursor: nextCursorField,
    facets: peopleFacets,
    read: readValues.optional(),
    estimate: savingEstimate,
    preview: previewCharge,
  })
  .meta({ id: 'PreviewedPeopleSearch' });

export type PreviewedPeopleSearch = z.output<typeof previewedPeopleSearch>;

const searchParams = z.strictObject({ search_id: discoverySearchId });

/** Creates a search with its preview. */
export const beginPeopleSearch = defineOperation({
  ...parts,
  id: 'begin-people-search',
  method: 'post',
  path: '/app/v1/people-searches',
  summary: 'Search for people',
  description: `Finds people and returns the first page, the counts for every facet, and the price of saving them. ${limits.pageRowsDefault} people per page; paging is free. ${idempotencyNote}`,
  price: 'peoplePreview',
  body: z
    .strictObject({
      name: discoveryName.describe('Name of the search.'),
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

/** Changes the filters of a search. */
export const changePeopleSearch = defineOperation({
  ...parts,
  id: 'change-people-search',
  method: 'put',
  path: '/app/v1/people-searches/:search_id/filters',
  summary: 'Change the filters of a people search',
  description:
    'Replaces the filters and returns the new preview. Filters that a search of the account was previewed with are free; other filters count as a new preview. Rejected once a paid run has started.',
  price: 'peoplePreview',
  params: searchParams,
  body: z
    .strictObject({ filters: peopleFilters, credits_max: creditsMax })
    .meta({ id: 'PeopleSearchChange' }),
  bodyBytesMax: filtersBytesMax,
  success: { status: 200, description: 'The search with its preview.', schema: previewedPeopleSearch },
  repeatable: true,
  beginsList: 'list-people-of-search',
  problems: [...previewProblems, 'search_not_found', 'search_locked', 'search_changed'],
});

/** Gets a search with its preview. */
export const getPeopleSearch = defineOperation({
  ...parts,
  id: 'get-people-search',
  method: 'get',
  path: '/app/v1/people-searches/:search_id',
  summary: 'Get a people search',
  description: 'The search with its current preview. Free.',
  params: searchParams,
  success: { status: 200, description: 'The search with its preview.', schema: previewedPeopleSearch },
  repeatable: true,
  beginsList: 'list-people-of-search',
  problems: ['search_not_found', 'unknown_filter_value', 'search_not_ready'],
});

/** Lists the account's people searches. */
export const listPeopleSearches = defineOperation({
  ...parts,
  id: 'list-people-searches',
  method: 'get',
  path: '/app/v1/people-searches',
  summary: 'List people searches',
  description: 'The account’s searches, newest first.',
  query: z.strictObject(pageOf),
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
  ...parts,
  id: 'list-people-of-search',
  method: 'get',
  path: '/app/v1/people-searches/:search_id/people',
  summary: 'List people of a search',
  description: `The preview of a search, page by page, at most ${limits.previewedPeopleMax} people in total. Free.`,
  params: searchParams,
  query: z.strictObject(pageOf),
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

/** Renames a search. */
export const renamePeopleSearch = defineOperation({
  ...parts,
  id: 'rename-people-search',
  method: 'put',
  path: '/app/v1/people-searches/:search_id/name',
  summary: 'Rename a people search',
  description: 'A locked search can be renamed, too.',
  params: searchParams,
  body: z.strictObject({ name: discoveryName }),
  success: { status: 200, description: 'The search.', schema: peopleSearch },
  repeatable: true,
  problems: ['search_not_found'],
});

/** Deletes a search with its runs; the people that the runs saved stay saved. */
export const deletePeopleSearch = defineOperation({
  ...parts,
  id: 'delete-people-search',
  method: 'delete',
  path: '/app/v1/people-searches/:search_id',
  summary: 'Delete a people search',
  description:
    'Deletes the search and its runs. Saved people and receipts are kept. Rejected while a run is in progress.',
  params: searchParams,
  success: { status: 200, description: 'The search is deleted.', schema: doneAnswer },
  repeatable: false,
  problems: ['search_not_found', 'run_active'],
});
