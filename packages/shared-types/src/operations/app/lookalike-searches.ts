import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { companyFilters, namedSite } from '../../discovery/company-filters.ts';
import { lookalikeCompany, type previewedCompany } from '../../discovery/company-record.ts';
import { lookalikeSearch, lookalikeSearchView } from '../../discovery/lookalike-search.ts';
import { discoverySearchId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { prices } from '../../prices.ts';
import type { ProblemCode } from '../../problems.ts';
import { discoveryName, pageOf } from './discovery-parts.ts';
import { doneAnswer } from './user-parts.ts';
import { memberOrKey, nextCursorField } from './view-parts.ts';

const parts = {
  tag: 'Lookalikes',
  answeredBy: 'enrichment',
  access: memberOrKey('leads'),
  sandbox: true,
} as const;

const searchName = discoveryName.describe('Name of the search.');

const domains = z.array(namedSite).max(limits.seedDomainsMax);

const question = {
  seed_domains: domains
    .default([])
    .describe(
      `Seed companies, as domains or website URLs. Several seeds give better matches than one. If a company is not in the store, the first page of its website is read, for up to ${limits.seedPagesMax}, if the operator has turned this on. At least one seed domain or \`seed_text\` is required.`,
    ),
  seed_text: z
    .string()
    .trim()
    .min(1)
    .max(limits.seedTextCharactersMax)
    .optional()
    .describe(
      'What the companies to find do, in the language of their descriptions. Counts like a seed company. Email addresses and telephone numbers are removed.',
    ),
  unlike_domains: domains
    .default([])
    .describe('“Less like this”: companies that matches should not resemble.'),
  filters: companyFilters.default({}),
};

const searchParams = z.strictObject({ search_id: discoverySearchId });
const questionBytesMax = 262_144;
/** Reading websites takes up to 10 seconds, and the ranking as long. */
const questionAnswerMsMax = 30_000;

const summaryExample = {
  search_id: 'srch_0199d4c5a1f07c3fb2e4d6a8c0e1f206',
  name: 'Like our best customers',
  seed_domains: ['ordinary.example'],
  seed_text: null,
  unlike_domains: [],
  filters: { countries: ['DE'] },
  locked: false,
  coverage: {
    status: 'free_preview' as const,
    label: 'Free Preview',
    last_attempt_failed: false,
    last_attempt_failed_at: null,
  },
  delivered: 0,
  active_run_id: null,
  created_at: '2026-11-02T09:30:00.000Z',
  updated_at: '2026-11-02T09:30:00.000Z',
} satisfies z.input<typeof lookalikeSearch>;

const previewExample = {
  company_id: 'comp_0199d4c5a1f07c3fb2e4d6a8c0e1f207',
  company: { name: 'Similar Example AG', domain: 'similar.example' },
  match_strength: 0.83,
  industry: 'Logistics',
  website: 'https://similar.example/',
  description: 'Moves pallets between warehouses.',
  keywords: ['pallets', 'warehouses'],
  is_synthetic: true,
  reasons: {
    shared_terms: ['pallets', 'warehouses'],
    matching_facets: [{ facet: 'industry' as const, value: 'Logistics' }],
  },
  paid: false as const,
} satisfies z.input<typeof previewedCompany>;

const viewExample = {
  ...summaryExample,
  seeds: [{ domain: 'ordinary.example', name: 'Ordinary Example Ltd', use: 'used' as const, detail: null }],
  seed_text_fault: null,
  unlike: [],
  preview: [previewExample],
  expected: {
    matches: 1,
    by_match_strength: [{ match_strength_from: 0.1, companies: 1 }],
    credits_per_company: prices.lookalikeCompany,
    offers: [
      {
        kind: 'all' as const,
        companies: 1,
        already_paid: 0,
        credits_max: prices.lookalikeCompany,
        weakest_match_strength: 0.83,
        fill_rate: { location: 1, employee_count: 1, revenue: 0, funding: 0, categories: 1, links: 1 },
      },
    ],
  },
} satisfies z.input<typeof lookalikeSearchView>;

const questionProblems: readonly ProblemCode[] = [
  'invalid_request',
  'unknown_filter_value',
  'seed_not_found',
  'search_not_ready',
];

/** Starts a search for companies similar to the seeds, free of charge. */
export const beginLookalikeSearch = defineOperation({
  ...parts,
  id: 'begin-lookalike-search',
  method: 'post',
  path: '/app/v1/lookalike-searches',
  summary: 'Create a lookalike search',
  description: `Shows up to ${limits.lookalikePreviewMax} of the strongest matches, their number, how complete the paid fields are, and what they would cost. Free. Send an \`Idempotency-Key\`: repeating the same request with the same key returns the search that the first one made, as it is now.`,
  body: z.strictObject({ name: searchName, ...question }).meta({ id: 'NewLookalikeSearch' }),
  bodyExample: { name: viewExample.name, seed_domains: viewExample.seed_domains },
  bodyBytesMax: questionBytesMax,
  answerMsMax: questionAnswerMsMax,
  success: {
    status: 201,
    description: 'The search and its preview.',
    schema: lookalikeSearchView,
    example: viewExample,
  },
  repeatable: false,
  takesIdempotencyKey: true,
  problems: [...questionProblems, 'idempotency_key_reused'],
});

/** Replaces the seeds or filters. */
export const changeLookalikeSearch = defineOperation({
  ...parts,
  id: 'change-lookalike-search',
  method: 'put',
  path: '/app/v1/lookalike-searches/:search_id/question',
  summary: 'Change seeds and filters',
  description:
    'Replaces seeds and filters and returns the new preview. Possible until a paid run starts. Free.',
  params: searchParams,
  body: z.strictObject(question).meta({ id: 'LookalikeQuestion' }),
  bodyExample: { seed_domains: viewExample.seed_domains },
  bodyBytesMax: questionBytesMax,
  answerMsMax: questionAnswerMsMax,
  success: {
    status: 200,
    description: 'The search and its preview.',
    schema: lookalikeSearchView,
    example: viewExample,
  },
  repeatable: true,
  problems: [...questionProblems, 'search_not_found', 'search_locked'],
});

/** Gets a search with its preview and what a run would deliver now. */
export const getLookalikeSearch = defineOperation({
  ...parts,
  id: 'get-lookalike-search',
  method: 'get',
  path: '/app/v1/lookalike-searches/:search_id',
  summary: 'Get a lookalike search',
  description:
    'The search, its status, a preview of the matches that are not delivered yet, and their price.',
  params: searchParams,
  success: {
    status: 200,
    description: 'The search and its preview.',
    schema: lookalikeSearchView,
    example: viewExample,
  },
  repeatable: true,
  problems: ['search_not_found'],
});

/** Lists the account's lookalike searches. */
export const listLookalikeSearches = defineOperation({
  ...parts,
  id: 'list-lookalike-searches',
  method: 'get',
  path: '/app/v1/lookalike-searches',
  summary: 'List lookalike searches',
  description: 'The account’s lookalike searches, newest first.',
  query: z.strictObject(pageOf),
  success: {
    status: 200,
    description: 'A page of searches.',
    schema: z
      .object({ searches: z.array(lookalikeSearch), next_cursor: nextCursorField })
      .meta({ id: 'LookalikeSearches' }),
    example: { searches: [summaryExample] },
  },
  repeatable: true,
  problems: ['invalid_cursor'],
});

/** Renames a search. */
export const renameLookalikeSearch = defineOperation({
  ...parts,
  id: 'rename-lookalike-search',
  method: 'put',
  path: '/app/v1/lookalike-searches/:search_id/name',
  summary: 'Rename a lookalike search',
  description: 'A locked search can be renamed, too.',
  params: searchParams,
  body: z.strictObject({ name: searchName }).meta({ id: 'LookalikeSearchName' }),
  success: { status: 200, description: 'The search.', schema: lookalikeSearch, example: summaryExample },
  repeatable: true,
  problems: ['search_not_found'],
});

/** Deletes a search; paid companies stay paid. */
export const deleteLookalikeSearch = defineOperation({
  ...parts,
  id: 'delete-lookalike-search',
  method: 'delete',
  path: '/app/v1/lookalike-searches/:search_id',
  summary: 'Delete a lookalike search',
  description:
    'Deletes the search and its results. Companies that you paid for stay paid: another search that finds them delivers them for free. Rejected while a run is in progress: cancel the run first.',
  params: searchParams,
  success: {
    status: 200,
    description: 'The search is deleted.',
    schema: doneAnswer,
    example: { done: true },
  },
  repeatable: false,
  problems: ['search_not_found', 'run_active'],
});

/** Lists the companies of a search: the preview before payment, the delivered companies afterward. */
export const listLookalikeCompanies = defineOperation({
  ...parts,
  id: 'list-lookalike-companies',
  method: 'get',
  path: '/app/v1/lookalike-searches/:search_id/companies',
  summary: 'List companies of a lookalike search',
  description:
    'The preview, on one page, until something is delivered; then the delivered companies, page by page, in order of rank, including the paid fields.',
  params: searchParams,
  query: z.strictObject(pageOf),
  success: {
    status: 200,
    description: 'A page of companies.',
    schema: z
      .object({ companies: z.array(lookalikeCompany), next_cursor: nextCursorField })
      .meta({ id: 'LookalikeCompanies' }),
    example: { companies: [previewExample] },
  },
  repeatable: true,
  problems: ['search_not_found', 'invalid_cursor', 'search_not_ready'],
});
