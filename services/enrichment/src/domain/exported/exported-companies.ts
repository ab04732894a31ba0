import type { ExportedValue, RecordSource, SavedCompany } from '@mailproof/shared-types';
import { sourceColumns, sourceValues, wordsIn } from './exported-rows.ts';

/** What is told of a company that was paid for, column by column. */
const fields = {
  company_id: company => company.company_id,
  name: company => company.name,
  domain: company => company.domain,
  website: company => company.website,
  description: company => company.description,
  industry: company => company.industry,
  keywords: company => wordsIn(company.keywords),
  categories: company => wordsIn(company.categories),
  company_type: company => company.company_type,
  city: company => company.location.city,
  region: company => company.location.region,
  country: company => company.location.country,
  employee_count: company => company.employee_count,
  company_size: company => company.company_size,
  annual_revenue_usd: company => company.annual_revenue_usd,
  revenue: company => company.revenue,
  funding_usd: company => company.funding_usd,
  profile_url: company => company.profile_url,
  is_synthetic: company => company.is_synthetic,
  paid_at: company => company.paid_at,
} as const satisfies Record<string, (company: SavedCompany) => ExportedValue>;

/** How alike a company is to the seeds; of one search alone, since each search says it anew. */
export interface ExportedMatch {
  readonly strength: number;
  readonly sharedTerms: readonly string[];
}

const matchColumns = ['match_strength', 'shared_terms'] as const;

export function companyColumns(isOfSearch: boolean): readonly string[] {
  return [...Object.keys(fields), ...(isOfSearch ? matchColumns : []), ...sourceColumns];
}

/** `match` is null where companies of all searches are exported; `provenance` names fields that come from elsewhere. */
export function companyValues(
  company: SavedCompany,
  match: ExportedMatch | null,
  provenance: Readonly<Record<string, RecordSource>>,
): ExportedValue[] {
  return [
    ...Object.values(fields).map(field => field(company)),
    ...(match ? [match.strength, wordsIn(match.sharedTerms)] : []),
    ...sourceValues(company.source, provenance),
  ];
}
