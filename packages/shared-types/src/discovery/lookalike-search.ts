import { z } from 'zod';
import { discoveryRunId, discoverySearchId } from '../ids.ts';
import { limits } from '../limits.ts';
import { companyFilters } from './company-filters.ts';
import { companyPaidFields, lookalikeCompany } from './company-record.ts';
import { coverage } from './coverage.ts';

const moment = z.iso.datetime();
const credits = z.int().nonnegative();

/** What became of a company that a search names. */
const namedCompany = z
  .object({
    domain: z.string().describe('Its registrable domain, as an A-label.'),
    name: z.string().nullable().describe('Null where the company is not known.'),
    use: z
      .enum(['used', 'too_little_text', 'not_found'])
      .describe(
        '`too_little_text`: known, and described in too few words to be compared. `not_found`: not in the store.',
      ),
  })
  .meta({ id: 'NamedCompany' });

/** A lookalike search, as a list shows it. */
export const lookalikeSearch = z
  .object({
    search_id: discoverySearchId,
    name: z.string(),
    seed_domains: z
      .array(z.string())
      .describe('Registrable domains of the companies that matches look like.'),
    unlike_domains: z.array(z.string()).describe('Those of the companies that matches are to be unlike.'),
    filters: companyFilters,
    locked: z.boolean().describe('Whether seeds and filters are fixed, because a paid run has started.'),
    coverage,
    delivered: z.int().nonnegative().describe('Companies that paid runs delivered.'),
    active_run_id: discoveryRunId.nullable().describe('The run that is queued or running.'),
    created_at: moment,
    updated_at: moment,
  })
  .meta({ id: 'LookalikeSearch' });

const share = z.number().min(0).max(1).nullable();

/** What a run of so many companies would bring, and cost. */
const lookalikeOffer = z
  .object({
    kind: z.enum(['preset', 'all']).describe('`preset`: a round number of companies. `all`: every match.'),
    companies: z.int().nonnegative().describe('Companies that the run would charge for.'),
    already_paid: z
      .int()
      .nonnegative()
      .describe(
        'Companies that come with them free, because the account has paid for them in another search.',
      ),
    credits_max: credits.describe('What the run can cost at most; only what is delivered is charged.'),
    weakest_match_strength: z.number().min(0).max(1).describe('Strength of the last of these companies.'),
    fill_rate: z
      .object(
        Object.fromEntries(companyPaidFields.map(name => [name, share])) as Record<
          (typeof companyPaidFields)[number],
          typeof share
        >,
      )
      .describe('For each paid field the share of these companies in which it is known.'),
  })
  .meta({ id: 'LookalikeOffer' });

/** What can be expected before paying: counted at this moment, not estimated. */
export const expectedCoverage = z
  .object({
    matches: z
      .int()
      .nonnegative()
      .describe('Companies that could be fetched now; delivered ones are not among them.'),
    by_match_strength: z
      .array(
        z.object({
          match_strength_from: z.number().min(0).max(1),
          companies: z.int().nonnegative().describe('How many are at least that strong.'),
        }),
      )
      .describe('The same matches, counted by how strong they are.'),
    credits_per_company: credits.describe('For each delivered company that the account has not paid for.'),
    offers: z
      .array(lookalikeOffer)
      .describe('One for each preset below the number of matches, and one for all of them.'),
  })
  .meta({ id: 'ExpectedCoverage' });

/** A lookalike search with what can be seen of it free of charge. */
export const lookalikeSearchView = lookalikeSearch
  .extend({
    seeds: z.array(namedCompany).describe('What became of each of `seed_domains`.'),
    unlike: z.array(namedCompany).describe('What became of each of `unlike_domains`.'),
    preview: z
      .array(lookalikeCompany)
      .max(limits.lookalikePreviewMax)
      .describe(
        'The strongest matches that no run has delivered; those that were paid for elsewhere show all.',
      ),
    expected: expectedCoverage
      .nullable()
      .describe('Null while no ranking answers; what was delivered can be read all the same.'),
  })
  .meta({ id: 'LookalikeSearchView' });

export type LookalikeSearchSummary = z.output<typeof lookalikeSearch>;
export type LookalikeSearchView = z.output<typeof lookalikeSearchView>;
export type ExpectedCoverage = z.output<typeof expectedCoverage>;
export type LookalikeOffer = z.output<typeof lookalikeOffer>;
export type NamedCompany = z.output<typeof namedCompany>;
