import { z } from 'zod';
import { discoveryRunId, discoverySearchId } from '../ids.ts';
import { limits } from '../limits.ts';
import { companyFilters } from './company-filters.ts';
import { companyPaidFields, lookalikeCompany } from './company-record.ts';
import { coverage } from './coverage.ts';

const moment = z.iso.datetime();
const credits = z.int().nonnegative();

/** How a search uses a company that it names. */
export const seedUses = [
  'used',
  'too_little_text',
  'other_language',
  'not_indexed',
  'not_found',
  'page_not_read',
  'page_unreachable',
  'page_forbidden',
  'page_parked',
] as const;

export type SeedUse = (typeof seedUses)[number];

const seedUseMeanings: Readonly<Record<Exclude<SeedUse, 'used'>, string>> = {
  too_little_text: 'it is described in too few words.',
  other_language: 'too few of its words occur in descriptions of other companies.',
  not_indexed: 'it was loaded recently, and its words are not in the model yet.',
  not_found: 'it is not in the store, and websites are not read for it.',
  page_not_read: 'it is not in the store, and a limit of websites is reached.',
  page_unreachable: 'it is not in the store, and its website does not respond with a page.',
  page_forbidden: 'it is not in the store, and its website must not be read.',
  page_parked: 'it is not in the store, and its website offers the domain for sale.',
};

/** A company that a search names. */
const namedCompany = z
  .object({
    domain: z.string().describe('Registrable domain, as an A-label.'),
    name: z
      .string()
      .nullable()
      .describe('Null if the company is not in the store; a seed is then read from its website.'),
    use: z.enum(seedUses).describe(
      Object.entries(seedUseMeanings)
        .map(([use, meaning]) => `\`${use}\`: ${meaning}`)
        .join(' '),
    ),
    detail: z.string().nullable().describe('Why it is not used, and what to do. Null if it is used.'),
  })
  .meta({ id: 'NamedCompany' });

/** A lookalike search as shown in a list. */
export const lookalikeSearch = z
  .object({
    search_id: discoverySearchId,
    name: z.string(),
    seed_domains: z
      .array(z.string())
      .describe('Registrable domains of companies that matches should resemble.'),
    seed_text: z.string().nullable().describe('Text that matches should resemble; null if there is none.'),
    unlike_domains: z
      .array(z.string())
      .describe('Registrable domains of companies that matches should not resemble.'),
    filters: companyFilters,
    locked: z.boolean().describe('Whether a paid run has started, which locks seeds and filters.'),
    coverage,
    delivered: z.int().nonnegative().describe('Companies delivered by paid runs.'),
    active_run_id: discoveryRunId.nullable().describe('The queued or running run.'),
    created_at: moment,
    updated_at: moment,
  })
  .meta({ id: 'LookalikeSearch' });

const share = z.number().min(0).max(1).nullable();

/** What a run of a given number of companies would deliver and cost. */
const lookalikeOffer = z
  .object({
    kind: z.enum(['preset', 'all']).describe('`preset`: a round number of companies. `all`: every match.'),
    companies: z.int().nonnegative().describe('Companies that the run would charge for.'),
    already_paid: z
      .int()
      .nonnegative()
      .describe('Companies included for free because the account paid for them in another search.'),
    credits_max: credits.describe('Maximum cost of the run; you pay only for delivered companies.'),
    weakest_match_strength: z.number().min(0).max(1).describe('Strength of the weakest of these companies.'),
    fill_rate: z
      .object(
        Object.fromEntries(companyPaidFields.map(name => [name, share])) as Record<
          (typeof companyPaidFields)[number],
          typeof share
        >,
      )
      .describe('For each paid field, the fraction of these companies in which it is known.'),
  })
  .meta({ id: 'LookalikeOffer' });

/** What a run can deliver, shown before payment. These are current counts, not estimates. */
export const expectedCoverage = z
  .object({
    matches: z
      .int()
      .nonnegative()
      .describe('Companies available to fetch; already delivered companies are not counted.'),
    by_match_strength: z
      .array(
        z.object({
          match_strength_from: z.number().min(0).max(1),
          companies: z.int().nonnegative().describe('Number of companies at least this strong.'),
        }),
      )
      .describe('The same matches, counted by strength.'),
    credits_per_company: credits.describe(
      'Credits for each delivered company that the account has not paid for.',
    ),
    offers: z
      .array(lookalikeOffer)
      .describe('One offer per preset below the number of matches, and one for all matches.'),
  })
  .meta({ id: 'ExpectedCoverage' });

/** A lookalike search with its free preview. */
export const lookalikeSearchView = lookalikeSearch
  .extend({
    seeds: z.array(namedCompany).describe('Status of each domain in `seed_domains`.'),
    seed_text_fault: z
      .string()
      .nullable()
      .describe('Why `seed_text` is not used, and what to do. Null if it is used or there is none.'),
    unlike: z.array(namedCompany).describe('Status of each domain in `unlike_domains`.'),
    preview: z
      .array(lookalikeCompany)
      .max(limits.lookalikePreviewMax)
      .describe(
        'The strongest matches not yet delivered; companies paid for in another search include all fields.',
      ),
    expected: expectedCoverage
      .nullable()
      .describe('Null while ranking is unavailable; delivered companies can still be read.'),
  })
  .meta({ id: 'LookalikeSearchView' });

export type LookalikeSearchSummary = z.output<typeof lookalikeSearch>;
export type LookalikeSearchView = z.output<typeof lookalikeSearchView>;
export type ExpectedCoverage = z.output<typeof expectedCoverage>;
export type LookalikeOffer = z.output<typeof lookalikeOffer>;
export type NamedCompany = z.output<typeof namedCompany>;
