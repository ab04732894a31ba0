import type { AccountId, CompanyId, CompanySize, Revenue } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { MatchingFacet, MatchReasons } from '../../domain/lookalike/lookalike-ranking.ts';
import type {
  CompanyRow,
  CompanyRows,
  CountedRun,
  DeliveredCompany,
} from '../../domain/lookalike-search/company-rows.ts';

interface Row {
  readonly company_no: number;
  readonly company_id: CompanyId;
  readonly name: string;
  readonly domain: string | null;
  readonly industry: string | null;
  readonly website: string | null;
  readonly description: string | null;
  readonly keywords: string[];
  readonly country: string | null;
  readonly region: string | null;
  readonly city: string | null;
  readonly employee_count: number | null;
  readonly company_size: CompanySize | null;
  /** The driver returns bigints as text. */
  readonly annual_revenue_usd: string | null;
  readonly revenue: Revenue | null;
  readonly funding_usd: string | null;
  readonly categories: string[];
  readonly profile_url: string | null;
  readonly is_synthetic: boolean;
  readonly is_paid: boolean;
}

interface DeliveredRow extends Row {
  readonly rank: number;
  readonly strength: number;
  readonly reasons: KeptReasons;
}

const columns = `
  c.company_no, c.company_id, c.name, c.domain, c.industry, c.website, c.description, c.keywords, c.country, c.region,
  c.city, c.employee_count, c.company_size, c.annual_revenue_usd, c.revenue, c.funding_usd, c.categories,
  c.profile_url, c.is_synthetic, p.company_no IS NOT NULL AS is_paid`;

const read = `
  SELECT ${columns}
  FROM unnest($2::integer[]) WITH ORDINALITY AS asked (company_no, position)
  JOIN company c USING (company_no)
  LEFT JOIN paid_company p ON p.account_id = $1 AND p.company_no = c.company_no
  ORDER BY asked.position`;

const readDelivered = `
  SELECT ${columns}, r.rank, r.strength, r.reasons
  FROM lookalike_result r
  JOIN company c USING (company_no)
  LEFT JOIN paid_company p ON p.account_id = $1 AND p.company_no = c.company_no
  WHERE r.search_id = $2 AND (r.rank, r.company_no) > ($3, $4)
  ORDER BY r.rank, r.company_no LIMIT $5`;

/**
 * `charged` numbers the companies that would be charged for; a free one gets the number of the charged one before it. A
 * run of a given size ends with its last charged company, so a free one after that is not part of it.
 */
const count = `
  WITH ranked AS (
    SELECT c.*, p.company_no IS NOT NULL AS is_paid,
      count(*) FILTER (WHERE p.company_no IS NULL) OVER (ORDER BY asked.position) AS charged
    FROM unnest($2::integer[]) WITH ORDINALITY AS asked (company_no, position)
    JOIN company c USING (company_no)
    LEFT JOIN paid_company p ON p.account_id = $1 AND p.company_no = c.company_no
  )
  SELECT
    count(*) FILTER (WHERE NOT is_paid)::integer AS companies,
    count(*) FILTER (WHERE is_paid)::integer AS already_paid,
    count(*) FILTER (WHERE num_nonnulls(country, region, city) > 0)::integer AS location,
    count(*) FILTER (WHERE num_nonnulls(employee_count, company_size) > 0)::integer AS employee_count,
    count(*) FILTER (WHERE num_nonnulls(annual_revenue_usd, revenue) > 0)::integer AS revenue,
    count(*) FILTER (WHERE funding_usd IS NOT NULL)::integer AS funding,
    count(*) FILTER (WHERE categories <> '{}')::integer AS categories,
    count(*) FILTER (WHERE num_nonnulls(website, profile_url) > 0)::integer AS links
  FROM unnest($3::integer[]) WITH ORDINALITY AS sized (size, position)
  LEFT JOIN ranked ON charged < size OR (charged = size AND NOT is_paid)
  GROUP BY sized.position, size ORDER BY sized.position`;

export function createCompanyRows(pool: Pool): CompanyRows {
  return {
    async byDomains(domains) {
      const { rows } = await pool.query<{ domain: string; company_no: number; name: string }>(
        'SELECT domain, company_no, name FROM company WHERE domain = ANY ($1)',
        [domains],
      );
      return new Map(rows.map(row => [row.domain, { companyNo: row.company_no, name: row.name }]));
    },
    async read(accountId: AccountId, companyNos) {
      const { rows } = await pool.query<Row>(read, [accountId, companyNos]);
      return rows.map(companyOf);
    },
    async count(accountId, companyNos, sizes) {
      const { rows } = await pool.query<CountRow>(count, [accountId, companyNos, sizes]);
      return rows.map(countedRunOf);
    },
    async deliveredNos(searchId) {
      const { rows } = await pool.query<{ company_no: number }>(
        'SELECT company_no FROM lookalike_result WHERE search_id = $1',
        [searchId],
      );
      return rows.map(row => row.company_no);
    },
    async readDelivered(accountId, searchId, after, rowsMax) {
      const from = [after?.rank ?? 0, after?.companyNo ?? 0];
      const { rows } = await pool.query<DeliveredRow>(readDelivered, [accountId, searchId, ...from, rowsMax]);
      return rows.map(deliveredOf);
    },
  };
}

function companyOf(row: Row): CompanyRow {
  return {
    companyNo: row.company_no,
    companyId: row.company_id,
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
    companySize: row.company_size,
    annualRevenueUsd: row.annual_revenue_usd === null ? null : Number(row.annual_revenue_usd),
    revenue: row.revenue,
    fundingUsd: row.funding_usd === null ? null : Number(row.funding_usd),
    categories: row.categories,
    profileUrl: row.profile_url,
    isSynthetic: row.is_synthetic,
    isPaid: row.is_paid,
  };
}

function deliveredOf(row: DeliveredRow): DeliveredCompany {
  return {
    ...companyOf(row),
    rank: row.rank,
    strength: row.strength,
    reasons: readReasons(row.reasons),
  };
}

interface CountRow {
  readonly companies: number;
  readonly already_paid: number;
  readonly location: number;
  readonly employee_count: number;
  readonly revenue: number;
  readonly funding: number;
  readonly categories: number;
  readonly links: number;
}

function countedRunOf({ companies, already_paid, employee_count, ...filled }: CountRow): CountedRun {
  return { companies, alreadyPaid: already_paid, filled: { ...filled, employeeCount: employee_count } };
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
