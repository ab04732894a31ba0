import { z } from 'zod';
import { companyId } from '../ids.ts';
import { companySizes, revenues } from './vocabularies.ts';

/** What a paid run adds to a company; a preview never has any of it. */
export const companyPaidFields = [
  'location',
  'employee_count',
  'revenue',
  'funding',
  'categories',
  'links',
] as const;

/** The fields in which a match can be the same as a seed. */
export const matchingFacets = ['industry', 'company_size', 'revenue', 'company_type', 'country'] as const;

export type MatchingFacetName = (typeof matchingFacets)[number];

/** Those that a preview may name: the others would tell what is paid for. */
export const previewedFacets = ['industry'] as const satisfies readonly MatchingFacetName[];

const sharedTerms = z
  .array(z.string())
  .max(10)
  .describe('Words that it shares with the seeds, the most telling first.');

function reasonsOf<Facet extends MatchingFacetName>(facets: readonly [Facet, ...Facet[]]) {
  return z.object({
    shared_terms: sharedTerms,
    matching_facets: z
      .array(z.object({ facet: z.enum(facets), value: z.string() }))
      .describe('Fields in which it is the same as a seed.'),
  });
}

/** What everybody sees of a company that looks like others, before and after paying. */
const previewFields = {
  company_id: companyId,
  company: z.object({
    name: z.string().describe('As the source writes it.'),
    domain: z.string().nullable().describe('Registrable domain, as an A-label; null where none is known.'),
  }),
  match_strength: z
    .number()
    .min(0)
    .max(1)
    .describe(
      'A calibrated share: of matches as strong as this one, so many are of a seed’s industry. 0.8 is eight of ten.',
    ),
  industry: z.string().nullable().describe('In the words of the vocabulary.'),
  website: z.string().nullable().describe('The address of its site.'),
  description: z.string().nullable().describe('What it says of itself.'),
  keywords: z.array(z.string()).describe('What it does, in the source’s words.'),
  is_synthetic: z.boolean().describe('True for an invented company, as demonstrations have them.'),
};

/** A company that looks like the seeds, before it is paid for. */
export const previewedCompany = z
  .object({
    ...previewFields,
    paid: z.literal(false).describe('Not paid for: paid fields are left out.'),
    reasons: reasonsOf(previewedFacets).describe('Why it is a match.'),
  })
  .meta({
    id: 'PreviewedCompany',
    description: 'A company that looks like the seeds, before it is paid for.',
  });

/** A company that looks like the seeds, with all that is known of it. What is null is not known. */
export const paidCompany = z
  .object({
    ...previewFields,
    paid: z.literal(true).describe('Paid for: all that is known is here.'),
    reasons: reasonsOf(matchingFacets).describe('Why it is a match.'),
    location: z
      .object({
        country: z.string().nullable().describe('ISO 3166-1 alpha-2.'),
        region: z.string().nullable(),
        city: z.string().nullable(),
      })
      .nullable(),
    employee_count: z
      .object({ exact: z.int().nonnegative().nullable(), band: z.enum(companySizes).nullable() })
      .nullable(),
    revenue: z
      .object({
        usd: z.int().nonnegative().nullable().describe('A year’s, in US dollars.'),
        band: z.enum(revenues).nullable(),
      })
      .nullable(),
    funding: z.object({ usd: z.int().nonnegative() }).nullable().describe('Raised so far, in US dollars.'),
    categories: z.array(z.string()).describe('In the source’s words.'),
    links: z.object({ website: z.string().nullable(), profile: z.string().nullable() }),
  })
  .meta({ id: 'PaidCompany', description: 'A company that was paid for. What is null is not known.' });

/** `paid` tells which of the two it is. */
export const lookalikeCompany = z.discriminatedUnion('paid', [previewedCompany, paidCompany]);

export type PreviewedCompany = z.output<typeof previewedCompany>;
export type PaidCompany = z.output<typeof paidCompany>;
export type LookalikeCompany = z.output<typeof lookalikeCompany>;
