import { z } from 'zod';
import { companyId } from '../ids.ts';
import { companySizes, revenues } from './vocabularies.ts';

/** The fields that a paid run adds to a company; a preview has none of them. */
export const companyPaidFields = [
  'location',
  'employee_count',
  'revenue',
  'funding',
  'categories',
  'links',
] as const;

/** The fields in which a match can equal a seed. */
export const matchingFacets = ['industry', 'company_size', 'revenue', 'company_type', 'country'] as const;

export type MatchingFacetName = (typeof matchingFacets)[number];

/** The facets that a preview may name; the others would reveal paid data. */
export const previewedFacets = ['industry'] as const satisfies readonly MatchingFacetName[];

const sharedTerms = z
  .array(z.string())
  .max(10)
  .describe('Words shared with the seeds, the most distinctive first.');

function reasonsOf<Facet extends MatchingFacetName>(facets: readonly [Facet, ...Facet[]]) {
  return z.object({
    shared_terms: sharedTerms,
    matching_facets: z
      .array(z.object({ facet: z.enum(facets), value: z.string() }))
      .describe('Fields with the same value as a seed.'),
  });
}

const companyHead = {
  company_id: companyId,
  company: z.object({
    name: z.string().describe('As spelled by the source.'),
    domain: z.string().nullable().describe('Registrable domain, as an A-label; null if unknown.'),
  }),
};

/** The other fields of a company that are visible before payment. */
const companyText = {
  industry: z.string().nullable().describe('As named in the vocabulary.'),
  website: z.string().nullable().describe('Website URL.'),
  description: z.string().nullable().describe('The company’s own description.'),
  keywords: z.array(z.string()).describe('Keywords from the source.'),
  is_synthetic: z.boolean().describe('True for a synthetic company in demo data.'),
};

/** A company as the preview of a company search shows it. */
export const foundCompany = z
  .object({
    ...companyHead,
    ...companyText,
    is_saved: z.boolean().describe('Whether the account has paid for this company, in a search of any kind.'),
  })
  .meta({ id: 'FoundCompany' });

export type FoundCompany = z.output<typeof foundCompany>;

/** The fields of a lookalike company that are visible before and after payment. */
const previewFields = {
  ...companyHead,
  match_strength: z
    .number()
    .min(0)
    .max(1)
    .describe(
      'Calibrated probability that a match this strong is in a seed’s industry: 0.8 means eight out of ten.',
    ),
  ...companyText,
};

/** A company similar to the seeds, before it is paid for. */
export const previewedCompany = z
  .object({
    ...previewFields,
    paid: z.literal(false).describe('Not paid for: paid fields are omitted.'),
    reasons: reasonsOf(previewedFacets).describe('Why it matches.'),
  })
  .meta({
    id: 'PreviewedCompany',
    description: 'A company similar to the seeds, before you pay for it.',
  });

/** A company similar to the seeds, with all known fields. Null means unknown. */
export const paidCompany = z
  .object({
    ...previewFields,
    paid: z.literal(true).describe('Paid for: all known fields are included.'),
    reasons: reasonsOf(matchingFacets).describe('Why it matches.'),
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
        usd: z.int().nonnegative().nullable().describe('Annual revenue in US dollars.'),
        band: z.enum(revenues).nullable(),
      })
      .nullable(),
    funding: z.object({ usd: z.int().nonnegative() }).nullable().describe('Total funding in US dollars.'),
    categories: z.array(z.string()).describe('As spelled by the source.'),
    links: z.object({ website: z.string().nullable(), profile: z.string().nullable() }),
  })
  .meta({ id: 'PaidCompany', description: 'A company that you paid for. Null fields are unknown.' });

/** A lookalike company; `paid` distinguishes the two forms. */
export const lookalikeCompany = z.discriminatedUnion('paid', [previewedCompany, paidCompany]);

export type PreviewedCompany = z.output<typeof previewedCompany>;
export type PaidCompany = z.output<typeof paidCompany>;
export type LookalikeCompany = z.output<typeof lookalikeCompany>;
