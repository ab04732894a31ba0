import type { RowOf } from '@mailproof/service-kit';
import type {
  CompanyId,
  CompanySize,
  CompanyType,
  Department,
  DiscoveryRunId,
  PeopleImportId,
  PersonId,
  PreviewedPerson,
  RecordSource,
  Revenue,
  SavedPerson,
  Seniority,
} from '@mailproof/shared-types';
import { splitName } from '@mailproof/shared-types/local-parts';
import type { Pool } from 'pg';
import { numberOf } from './company-rows.ts';
import { sql } from './saved.sql.ts';

type PreviewRow = Omit<RowOf<typeof sql.read_previews>, 'is_saved'>;

/** A saved person with the source IDs of single fields. */
export type SourcedRow = RowOf<typeof sql.find_saved_person>;

export type SavedRow = Omit<SourcedRow, 'field_sources' | 'company_sources' | 'company_source'>;

function shownPerson(row: PreviewRow) {
  return {
    person_id: row.person_id as PersonId,
    name: row.full_name,
    job_title: row.job_title,
    headline: row.headline,
    company: {
      company_id: row.company_id as CompanyId | null,
      name: row.company_name,
      domain: row.company_domain,
    },
    location: { city: row.city, region: row.region, country: row.country },
    industry: row.industry,
    seniority: row.seniority as Seniority | null,
    department: row.department as Department | null,
    company_size: row.company_size as CompanySize | null,
    is_synthetic: row.is_synthetic,
  };
}

export function previewedPersonOf(row: RowOf<typeof sql.read_previews>): PreviewedPerson {
  return { ...shownPerson(row), is_saved: row.is_saved };
}

export function savedPersonOf(row: SavedRow): SavedPerson {
  const name = { fullName: row.full_name, firstName: row.first_name, lastName: row.last_name };
  const { first, last } = splitName(name);
  return {
    ...shownPerson(row),
    first_name: first,
    last_name: last,
    revenue: row.revenue as Revenue | null,
    annual_revenue_usd: numberOf(row.annual_revenue_usd),
    keywords: row.keywords,
    company_type: row.company_type as CompanyType | null,
    website: row.website,
    follower_count: row.follower_count,
    connection_count: row.connection_count,
    profile_badges: row.profile_badges,
    profile_url: row.profile_url,
    source: row.source as RecordSource,
    run_id: row.run_id as DiscoveryRunId | null,
    import_id: row.import_id as PeopleImportId | null,
    saved_at: row.saved_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** The sources of single fields, by column. */
export type FieldSources = Readonly<Record<string, number>>;

export function sourceIdsOf(row: SourcedRow): number[] {
  return [
    ...Object.values(row.field_sources as FieldSources),
    ...Object.values((row.company_sources ?? {}) as FieldSources),
    ...(row.company_source === null ? [] : [row.company_source]),
  ];
}

export async function readSources(
  pool: Pool,
  ids: readonly number[],
): Promise<ReadonlyMap<number, RecordSource>> {
  const { rows } = await sql.read_sources(pool, { source_ids: [...new Set(ids)] });
  return new Map(rows.map(({ source_id, source }) => [source_id, source as RecordSource]));
}

/** The column of each field of a saved person. */
const personFields = {
  name: 'full_name',
  first_name: 'first_name',
  last_name: 'last_name',
  job_title: 'job_title',
  headline: 'headline',
  location: 'country',
  seniority: 'seniority',
  department: 'department',
  keywords: 'keywords',
  website: 'website',
  follower_count: 'follower_count',
  connection_count: 'connection_count',
  profile_badges: 'profile_badges',
  profile_url: 'profile_url',
} as const;

const companyFields = {
  company: 'name',
  industry: 'industry',
  company_size: 'company_size',
  revenue: 'revenue',
  annual_revenue_usd: 'annual_revenue_usd',
  company_type: 'company_type',
} as const;

/** Returns the sources of the known fields of a saved person. */
export function provenanceOf(
  row: SourcedRow,
  sources: ReadonlyMap<number, RecordSource>,
): Record<string, RecordSource> {
  const person = savedPersonOf(row);
  const personSources = row.field_sources as FieldSources;
  const companySources = (row.company_sources ?? {}) as FieldSources;
  const ofPerson = Object.entries(personFields).map(
    ([field, column]) => [field, sources.get(personSources[column] ?? -1) ?? person.source] as const,
  );
  const companyDefault = row.company_source === null ? person.source : sources.get(row.company_source);
  const ofCompany = Object.entries(companyFields).map(
    ([field, column]) => [field, sources.get(companySources[column] ?? -1) ?? companyDefault] as const,
  );
  const known = (field: string) => {
    const value = person[field as keyof typeof person];
    return field === 'company'
      ? person.company.name !== null
      : field === 'location'
        ? person.location.country !== null || person.location.region !== null || person.location.city !== null
        : value !== null && !(Array.isArray(value) && value.length === 0);
  };
  return Object.fromEntries(
    [...ofPerson, ...ofCompany].flatMap(([field, source]) =>
      source && known(field) ? [[field, source]] : [],
    ),
  );
}
