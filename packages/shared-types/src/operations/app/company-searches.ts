import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { foundCompany, savedCompany } from '../../discovery/company-record.ts';
import { companyFacets, companySearchFilters } from '../../discovery/company-search-filters.ts';
import { discoveryRun } from '../../discovery/discovery-run.ts';
import { readValues } from '../../discovery/people-filters.ts';
import { savedCompanySorts } from '../../discovery/vocabularies.ts';
import { companyId, discoveryRunId, discoverySearchId, savedListId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { withCommas } from '../../with-commas.ts';
import { credits } from '../public-parts.ts';
import {
  creditsMax,
  discoveryName,
  eitherOf,
  filtersBytesMax,
  idempotencyNote,
  oneLineText,
  pageOf,
  previewCharge,
  previewProblems,
  totalField,
} from './discovery-parts.ts';
import { startRunProblems } from './discovery-runs.ts';
import { peopleSearch } from './people-searches.ts';
import { savedPeopleQuery } from './saved-people.ts';
import { doneAnswer } from './user-parts.ts';
import { memberOrKey, nextCursorField } from './view-parts.ts';

const parts = {
  tag: 'Company search',
  answeredBy: 'enrichment',
  access: memberOrKey('leads'),
  sandbox: true,
} as const;

const count = z.int().nonnegative();
const companiesMax = withCommas(limits.companiesPerRunMax);

/** A company search as shown in a list. */
export const companySearch = peopleSearch
  .extend({
    filters: companySearchFilters,
    has_more: z
      .boolean()
      .nullable()
      .describe('Whether matching companies were left after the last run. Null before the first run.'),
  })
  .meta({ id: 'CompanySearch' });

export type CompanySearch = z.output<typeof companySearch>;

/** A search with its preview. */
export const previewedCompanySearch = companySearch
  .extend({
    total: count.describe('Companies that match.'),
    companies: z.array(foundCompany).describe('The first page of the preview.'),
    next_cursor: nextCursorField,
    facets: companyFacets,
    read: readValues.optional(),
    estimate: z
      .object({
        matching: count.describe('Companies that match.'),
        already_saved: count.describe(
          'Matching companies that the account has paid for in a search of any kind. They are not charged again.',
        ),
        deliverable: count.describe(
          `Number of companies that a run over all matches would save, at most ${companiesMax}.`,
        ),
        price: credits.describe('Credits per saved company.'),
        credits_max: credits.describe(
          'Credits that the run would reserve; only saved companies are charged.',
        ),
      })
      .meta({ id: 'CompanySavingEstimate' }),
    preview: previewCharge,
  })
  .meta({ id: 'PreviewedCompanySearch' });

export type PreviewedCompanySearch = z.output<typeof previewedCompanySearch>;

const searchParams = z.strictObject({ search_id: discoverySearchId });

/** Counts the companies that match the filters, and those that would match other values. */
export const countCompanies = defineOperation({
  ...parts,
  id: 'count-companies',
  method: 'post',
  path: '/app/v1/company-counts',
  summary: 'Count companies',
  description:
    'Exact number of companies that match the filters and, for each facet, how many companies each value would find with the other filters unchanged. Returns no records and is free, so you can try out filters before you create a search. Unknown filter values are rejected with similar known values. Companies added or removed within the last few seconds may not be counted yet.',
  body: z.strictObject({ filters: companySearchFilters }).meta({ id: 'CompanyCountRequest' }),
  bodyBytesMax: limits.filtersBytesMax,
  success: {
    status: 200,
    description: 'The counts.',
    schema: z
      .object({
        total: count.describe('Companies that match all filters.'),
        facets: companyFacets,
        read: readValues.optional(),
      })
      .meta({ id: 'CompanyCounts' }),
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

/** Creates a search with its preview. */
export const beginCompanySearch = defineOperation({
  ...parts,
  id: 'begin-company-search',
  method: 'post',
  path: '/app/v1/company-searches',
  summary: 'Search for companies',
  description: `Finds companies and returns the first page, the counts for every facet, and the price of saving them. ${limits.pageRowsDefault} companies per page; paging is free. A preview counts as one of people does. ${idempotencyNote}`,
  price: 'peoplePreview',
  body: z
    .strictObject({
      name: discoveryName.describe('Name of the search.'),
      filters: companySearchFilters,
      credits_max: creditsMax,
    })
    .meta({ id: 'NewCompanySearch' }),
  bodyBytesMax: filtersBytesMax,
  success: { status: 201, description: 'The search with its preview.', schema: previewedCompanySearch },
  repeatable: false,
  takesIdempotencyKey: true,
  beginsList: 'list-companies-of-search',
  problems: [...previewProblems, 'idempotency_key_reused'],
});

/** Changes the filters of a search. */
export const changeCompanySearch = defineOperation({
  ...parts,
  id: 'change-company-search',
  method: 'put',
  path: '/app/v1/company-searches/:search_id/filters',
  summary: 'Change the filters of a company search',
  description:
    'Replaces the filters and returns the new preview. Filters that a company search of the account was previewed with are free; other filters count as a new preview. Rejected once a paid run has started.',
  price: 'peoplePreview',
  params: searchParams,
  body: z
    .strictObject({ filters: companySearchFilters, credits_max: creditsMax })
    .meta({ id: 'CompanySearchChange' }),
  bodyBytesMax: filtersBytesMax,
  success: { status: 200, description: 'The search with its preview.', schema: previewedCompanySearch },
  repeatable: true,
  beginsList: 'list-companies-of-search',
  problems: [...previewProblems, 'search_not_found', 'search_locked', 'search_changed'],
});

/** Gets a search with its preview. */
export const getCompanySearch = defineOperation({
  ...parts,
  id: 'get-company-search',
  method: 'get',
  path: '/app/v1/company-searches/:search_id',
  summary: 'Get a company search',
  description: 'The search with its current preview. Free.',
  params: searchParams,
  success: { status: 200, description: 'The search with its preview.', schema: previewedCompanySearch },
  repeatable: true,
  beginsList: 'list-companies-of-search',
  problems: ['search_not_found', 'unknown_filter_value', 'search_not_ready'],
});

/** Lists the account's company searches. */
export const listCompanySearches = defineOperation({
  ...parts,
  id: 'list-company-searches',
  method: 'get',
  path: '/app/v1/company-searches',
  summary: 'List company searches',
  description: 'The account’s searches, newest first.',
  query: z.strictObject(pageOf),
  success: {
    status: 200,
    description: 'A page of searches.',
    schema: z
      .object({ searches: z.array(companySearch), next_cursor: nextCursorField })
      .meta({ id: 'CompanySearches' }),
  },
  repeatable: true,
  problems: ['invalid_cursor'],
});

/** Pages through the preview of a search. */
export const listCompaniesOfSearch = defineOperation({
  ...parts,
  id: 'list-companies-of-search',
  method: 'get',
  path: '/app/v1/company-searches/:search_id/companies',
  summary: 'List companies of a search',
  description: `The preview of a search, page by page, at most ${limits.previewedPeopleMax} companies in total. Free.`,
  params: searchParams,
  query: z.strictObject(pageOf),
  success: {
    status: 200,
    description: 'A page of companies.',
    schema: z
      .object({ companies: z.array(foundCompany), next_cursor: nextCursorField })
      .meta({ id: 'CompaniesOfSearch' }),
  },
  repeatable: true,
  problems: ['search_not_found', 'invalid_cursor', 'unknown_filter_value', 'search_not_ready'],
});

/** Renames a search. */
export const renameCompanySearch = defineOperation({
  ...parts,
  id: 'rename-company-search',
  method: 'put',
  path: '/app/v1/company-searches/:search_id/name',
  summary: 'Rename a company search',
  description: 'A locked search can be renamed, too.',
  params: searchParams,
  body: z.strictObject({ name: discoveryName }),
  success: { status: 200, description: 'The search.', schema: companySearch },
  repeatable: true,
  problems: ['search_not_found'],
});

/** Deletes a search with its runs; the companies that the runs saved stay saved. */
export const deleteCompanySearch = defineOperation({
  ...parts,
  id: 'delete-company-search',
  method: 'delete',
  path: '/app/v1/company-searches/:search_id',
  summary: 'Delete a company search',
  description:
    'Deletes the search and its runs. Saved companies and receipts are kept. Rejected while a run is in progress.',
  params: searchParams,
  success: { status: 200, description: 'The search is deleted.', schema: doneAnswer },
  repeatable: false,
  problems: ['search_not_found', 'run_active'],
});

/** Starts a run that saves companies of a search. */
export const startCompanyRun = defineOperation({
  ...parts,
  id: 'start-company-run',
  method: 'post',
  path: '/app/v1/company-searches/:search_id/runs',
  summary: 'Save companies',
  tag: 'Runs',
  description: `Reserves credits for the smaller of the requested and available numbers of companies, at most ${companiesMax}, locks the filters, and saves the companies in the background. With \`company_ids\` it saves these companies of the preview instead. Companies that the account has paid for in a search of any kind are skipped. Only saved companies are charged; unspent credits are returned at the end. ${idempotencyNote}`,
  price: 'savedCompany',
  params: searchParams,
  body: z
    .strictObject({
      companies: z
        .union([z.int().positive().max(limits.companiesPerRunMax), z.literal('all')])
        .optional()
        .describe('Number of companies to save. Required unless `company_ids` is given.'),
      company_ids: z
        .array(companyId)
        .min(1)
        .max(limits.previewedPeopleMax)
        .optional()
        .describe(
          'Saves exactly these companies of the preview. Ids that the preview does not show are skipped. Cannot be combined with `companies`.',
        ),
      list_id: savedListId.optional().describe('A company list to add them to.'),
    })
    .refine(...eitherOf('companies', 'company_ids'))
    .meta({ id: 'NewCompanyRun' }),
  bodyExample: { companies: 25 },
  success: { status: 202, description: 'The run, which continues in the background.', schema: discoveryRun },
  repeatable: false,
  takesIdempotencyKey: true,
  problems: [...startRunProblems, 'unknown_filter_value', 'search_not_ready'],
});

/** Lists the companies that the account has paid for. */
export const listSavedCompanies = defineOperation({
  ...parts,
  id: 'list-saved-companies',
  method: 'get',
  path: '/app/v1/saved-companies',
  summary: 'List saved companies',
  description:
    'The companies that the account has paid for, in company searches and lookalike searches, page by page, with all their fields.',
  query: z.strictObject({
    ...pageOf,
    text: oneLineText(limits.filterValueCharactersMax)
      .optional()
      .describe('Part of the name, domain or description.'),
    country: savedPeopleQuery.country,
    sort: z
      .enum(savedCompanySorts)
      .default('saved_at')
      .describe(
        '`saved_at`: newest first. `updated_at`: records that changed last first. `company_size`: largest first. Otherwise alphabetical. Unknown values come last.',
      ),
    list_id: savedListId.optional().describe('Only companies in this list.'),
    run_id: discoveryRunId.optional().describe('Only companies that this run was charged for.'),
  }),
  success: {
    status: 200,
    description: 'A page of companies.',
    schema: z
      .object({ companies: z.array(savedCompany), total: totalField, next_cursor: nextCursorField })
      .meta({ id: 'SavedCompanies' }),
  },
  repeatable: true,
  problems: ['invalid_cursor', 'saved_list_not_found'],
});
