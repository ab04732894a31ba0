import type {
  CompanyId,
  CompanySize,
  CompanyType,
  Department,
  DiscoveryRunId,
  PersonId,
  PreviewedPerson,
  RecordSource,
  Revenue,
  SavedPerson,
  Seniority,
} from '@mailproof/shared-types';

export interface PreviewRow {
  readonly person_no: number;
  readonly person_id: PersonId;
  readonly full_name: string;
  readonly job_title: string | null;
  readonly headline: string | null;
  readonly company_id: CompanyId | null;
  readonly company_name: string | null;
  readonly company_domain: string | null;
  readonly city: string | null;
  readonly region: string | null;
  readonly country: string | null;
  readonly industry: string | null;
  readonly seniority: Seniority | null;
  readonly department: Department | null;
  readonly company_size: CompanySize | null;
  readonly is_synthetic: boolean;
}

/** Columns of a preview, from person `p` and company `c`. */
export const previewColumns = `
  p.person_no, p.person_id, p.full_name, p.job_title, p.headline, c.company_id,
  coalesce(c.name, p.company_name) AS company_name, c.domain AS company_domain, p.city, p.region, p.country,
  c.industry, p.seniority, p.department, c.company_size, p.is_synthetic`;

export const personJoins = 'LEFT JOIN company c ON c.company_no = p.company_no';

export interface SavedRow extends PreviewRow {
  readonly revenue: Revenue | null;
  readonly annual_revenue_usd: string | null;
  readonly keywords: string[];
  readonly company_type: CompanyType | null;
  readonly website: string | null;
  readonly follower_count: number | null;
  readonly connection_count: number | null;
  readonly profile_badges: string[];
  readonly profile_url: string;
  readonly source: RecordSource;
  readonly run_id: DiscoveryRunId;
  readonly saved_at: Date;
}

/** A source as shown in records, from an alias of `source`. */
export const sourceObject = (alias: string) =>
  `json_build_object('kind', ${alias}.kind, 'name', ${alias}.name, 'licence', ${alias}.licence,
    'retrieved_on', to_char(${alias}.retrieved_on, 'YYYY-MM-DD'))`;

/** Columns of a saved person, from `saved_person` s in addition to the others, and from source `o`. */
export const savedColumns = `${previewColumns},
  c.revenue, c.annual_revenue_usd, p.keywords, c.company_type, coalesce(p.website, c.website) AS website,
  p.follower_count, p.connection_count, p.profile_badges, p.profile_url, ${sourceObject('o')} AS source, s.run_id,
  s.saved_at`;

export const savedJoins = `${personJoins} JOIN source o ON o.source_id = p.source_id`;

function shownPerson(row: PreviewRow) {
  return {
    person_id: row.person_id,
    name: row.full_name,
    job_title: row.job_title,
    headline: row.headline,
    company: { company_id: row.company_id, name: row.company_name, domain: row.company_domain },
    location: { city: row.city, region: row.region, country: row.country },
    industry: row.industry,
    seniority: row.seniority,
    department: row.department,
    company_size: row.company_size,
    is_synthetic: row.is_synthetic,
  };
}

export function previewedPersonOf(row: PreviewRow & { readonly is_saved: boolean }): PreviewedPerson {
  return { ...shownPerson(row), is_saved: row.is_saved };
}

export function savedPersonOf(row: SavedRow): SavedPerson {
  return {
    ...shownPerson(row),
    revenue: row.revenue,
    annual_revenue_usd: row.annual_revenue_usd === null ? null : Number(row.annual_revenue_usd),
    keywords: row.keywords,
    company_type: row.company_type,
    website: row.website,
    follower_count: row.follower_count,
    connection_count: row.connection_count,
    profile_badges: row.profile_badges,
    profile_url: row.profile_url,
    source: row.source,
    run_id: row.run_id,
    saved_at: row.saved_at.toISOString(),
  };
}
