import { z } from 'zod';
import { companyId, discoveryRunId } from '../ids.ts';
import { recordLocation, recordSource } from './person-record.ts';
import { companySizes, companyTypes, revenues } from './vocabularies.ts';

const count = z.int().nonnegative();

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

/** A company that the account has paid for, as shown in lists. */
export const savedCompany = z
  .object({
    company_id: companyId,
    name: z.string().describe('As spelled by the source.'),
    domain: z.string().nullable().describe('Registrable domain, as an A-label.'),
    website: z.string().nullable().describe('Website URL.'),
    description: z.string().nullable().describe('The company’s own description.'),
    industry: z.string().nullable().describe('As named in the vocabulary.'),
    keywords: z.array(z.string()).describe('Keywords from the source.'),
    categories: z.array(z.string()).describe('The source’s own industry label.'),
    company_type: z.enum(companyTypes).nullable().describe('Legal type.'),
    location: recordLocation,
    employee_count: count.nullable().describe('Exact number, if known.'),
    company_size: z.enum(companySizes).nullable().describe('Employee range.'),
    annual_revenue_usd: count.nullable().describe('Annual revenue in US dollars, if known exactly.'),
    revenue: z.enum(revenues).nullable().describe('Annual revenue range in US dollars.'),
    funding_usd: count.nullable().describe('Total funding in US dollars.'),
    profile_url: z.string().nullable().describe('Profile URL on a network.'),
    is_synthetic: z.boolean().describe('True for a synthetic company in demo data.'),
    source: recordSource,
    run_id: discoveryRunId.describe('The run that delivered the company.'),
    paid_at: z.iso.datetime().describe('When the run delivered the company.'),
    updated_at: z.iso.datetime().describe('When the record last changed.'),
  })
  .meta({ id: 'SavedCompany' });

export type SavedCompany = z.output<typeof savedCompany>;
