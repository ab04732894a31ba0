import type { RowOf } from '@mailproof/service-kit';
import type { CompanyId, CompanySize, Revenue, SavedListId } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { MatchingFacet, MatchReasons } from '../../domain/lookalike/lookalike-ranking.ts';
import type { CompanyRow, CompanyRows } from '../../domain/lookalike-search/company-rows.ts';
import { sql } from './lookalikes.sql.ts';

export function createCompanyRows(pool: Pool): CompanyRows {
  return {
    async byDomains(domains) {
      const { rows } = await sql.find_companies_by_domain(pool, { domains });
      return new Map(rows.map(row => [row.domain, { companyNo: row.company_no, name: row.name }]));
    },
    async examples(rowsMax) {
      return (await sql.example_seeds(pool, { rows_max: rowsMax })).rows;
    },
    async read(accountId, companyNos) {
      const { rows } = await sql.read_companies(pool, { account_id: accountId, company_nos: companyNos });
      return rows.map(companyOf);
    },
    async count(accountId, companyNos, sizes) {
      const values = { account_id: accountId, company_nos: companyNos, sizes };
      const { rows } = await sql.count_companies(pool, values);
      return rows.map(({ companies, already_paid, employee_count, ...filled }) => ({
        companies,
        alreadyPaid: already_paid,
        filled: { ...filled, employeeCount: employee_count },
      }));
    },
    async listedNos(accountId, listIds) {
      const asked = { account_id: accountId, list_ids: listIds };
      const { rows } = await sql.company_nos_of_lists(pool, asked);
      return new Map(rows.map(row => [row.list_id as SavedListId, row.company_nos]));
    },
    async deliveredNos(searchId) {
      const { rows } = await sql.delivered_company_nos(pool, { search_id: searchId });
      return rows.map(row => row.company_no);
    },
    async readDelivered(accountId, searchId, after, rowsMax) {
      const { rows } = await sql.read_delivered_companies(pool, {
        account_id: accountId,
        search_id: searchId,
        after_rank: after?.rank ?? 0,
        after_no: after?.companyNo ?? 0,
        rows_max: rowsMax,
      });
      return rows.map(row => ({
        ...companyOf(row),
        rank: row.rank,
        strength: row.strength,
        reasons: readReasons(row.reasons as KeptReasons),
      }));
    },
  };
}

function companyOf(row: RowOf<typeof sql.read_companies>): CompanyRow {
  return {
    companyNo: row.company_no,
    companyId: row.company_id as CompanyId,
    name: row.name,
    domain: row.domain,
    industry: row.industry,
    website: row.website,
    description: row.description,
    keywords: row.keywords,
    country: row.country,
    region: row.region,
    city: row.city,
    employeeCount: row.employee_count,
    companySize: row.company_size as CompanySize | null,
    annualRevenueUsd: numberOf(row.annual_revenue_usd),
    revenue: row.revenue as Revenue | null,
    fundingUsd: numberOf(row.funding_usd),
    categories: row.categories,
    profileUrl: row.profile_url,
    isSynthetic: row.is_synthetic,
    isPaid: row.is_paid,
  };
}

/** Converts a bigint, which the driver returns as text. */
export function numberOf(text: string | null): number | null {
  return text === null ? null : Number(text);
}

/** Reasons as stored in `lookalike_result`. */
export interface KeptReasons {
  readonly shared_terms: readonly string[];
  readonly matching_facets: readonly MatchingFacet[];
}

export function keepReasons(reasons: MatchReasons | null): KeptReasons {
  return {
    shared_terms: reasons?.sharedTerms ?? [],
    matching_facets: reasons?.matchingFacets ?? [],
  };
}

function readReasons(kept: KeptReasons): MatchReasons {
  return { sharedTerms: kept.shared_terms, matchingFacets: kept.matching_facets };
}
