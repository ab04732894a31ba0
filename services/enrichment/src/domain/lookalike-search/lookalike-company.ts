import {
  type LookalikeCompany,
  type MatchingFacetName,
  type PaidCompany,
  type PreviewedCompany,
  previewedFacets,
} from '@mailproof/shared-types';
import type { MatchReasons } from '../lookalike/lookalike-ranking.ts';
import type { CompanyRow } from './company-rows.ts';

/** What the ranking says of a company. */
export interface Match {
  readonly strength: number;
  readonly reasons: MatchReasons | null;
}

/** A company as the account may see it: with the paid fields only where it has paid. */
export function lookalikeCompanyOf(row: CompanyRow, match: Match): LookalikeCompany {
  return row.isPaid ? paidCompanyOf(row, match) : previewedCompanyOf(row, match);
}

export function paidCompanyOf(row: CompanyRow, match: Match): PaidCompany {
  const { country, region, city } = row;
  return {
    ...seenByAll(row, match),
    paid: true,
    reasons: {
      shared_terms: [...(match.reasons?.sharedTerms ?? [])],
      matching_facets: [...(match.reasons?.matchingFacets ?? [])],
    },
    location: country === null && region === null && city === null ? null : { country, region, city },
    employee_count:
      row.employeeCount === null && row.companySize === null
        ? null
        : { exact: row.employeeCount, band: row.companySize },
    revenue:
      row.annualRevenueUsd === null && row.revenue === null
        ? null
        : { usd: row.annualRevenueUsd, band: row.revenue },
    funding: row.fundingUsd === null ? null : { usd: row.fundingUsd },
    categories: [...row.categories],
    links: { website: row.website, profile: row.profileUrl },
  };
}

function previewedCompanyOf(row: CompanyRow, match: Match): PreviewedCompany {
  return {
    ...seenByAll(row, match),
    paid: false,
    reasons: {
      shared_terms: [...(match.reasons?.sharedTerms ?? [])],
      matching_facets: (match.reasons?.matchingFacets ?? []).flatMap(({ facet, value }) =>
        isPreviewed(facet) ? [{ facet, value }] : [],
      ),
    },
  };
}

function seenByAll(row: CompanyRow, { strength }: Match) {
  return {
    company_id: row.companyId,
    company: { name: row.name, domain: row.domain },
    match_strength: shownStrength(strength),
    industry: row.industry,
    website: row.website,
    description: row.description,
    keywords: [...row.keywords],
    is_synthetic: row.isSynthetic,
  };
}

/** Three digits: more would claim to know what the calibration cannot. */
export function shownStrength(strength: number): number {
  return Math.round(strength * 1_000) / 1_000;
}

function isPreviewed(facet: MatchingFacetName): facet is (typeof previewedFacets)[number] {
  return (previewedFacets as readonly string[]).includes(facet);
}
