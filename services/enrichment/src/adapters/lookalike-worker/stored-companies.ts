import type { StoredCompany } from '../../domain/lookalike/build-model.ts';

/** The columns read for a company, from the table `company`. */
export const companyColumns = `company.company_no, company.change_no, company.name, company.description,
  company.keywords, company.industry, company.industry_label, company.company_size, company.revenue,
  company.company_type, company.country`;

export interface CompanyRow {
  readonly company_no: number;
  /** A bigint, which the driver returns as text. */
  readonly change_no: string;
  readonly name: string;
  readonly description: string | null;
  readonly keywords: readonly string[];
  readonly industry: string | null;
  readonly industry_label: string | null;
  readonly company_size: string | null;
  readonly revenue: string | null;
  readonly company_type: string | null;
  readonly country: string | null;
}

export function companyOf(row: CompanyRow): StoredCompany {
  const label = row.industry ?? row.industry_label;
  const labels = [row.industry, row.industry_label].map(text => text?.toLowerCase());
  return {
    companyNo: row.company_no,
    name: row.name,
    description: row.description,
    // Some sources repeat the industry among the keywords. It is used to measure strengths, so it must not affect the
    // ranking.
    keywords: row.keywords.filter(keyword => !labels.includes(keyword.toLowerCase())),
    facets: facetsOf(row),
    industryLabel: label,
  };
}

export function facetsOf(
  row: Pick<CompanyRow, 'industry' | 'company_size' | 'revenue' | 'company_type' | 'country'>,
): StoredCompany['facets'] {
  return {
    industry: row.industry,
    companySize: row.company_size,
    revenue: row.revenue,
    companyType: row.company_type,
    country: row.country,
  };
}
