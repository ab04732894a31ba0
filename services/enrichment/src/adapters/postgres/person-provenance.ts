import type { RecordSource } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { type SavedRow, savedPersonOf, sourceObject } from './person-rows.ts';

/** A saved person with the source IDs of single fields. */
export interface SourcedRow extends SavedRow {
  readonly field_sources: Record<string, number>;
  readonly company_sources: Record<string, number> | null;
  readonly company_source: number | null;
}

/** Columns of a `SourcedRow` in addition to those of a saved person, from person `p` and company `c`. */
export const sourcedColumns =
  'p.field_sources, c.field_sources AS company_sources, c.source_id AS company_source';

export function sourceIdsOf(row: SourcedRow): number[] {
  return [
    ...Object.values(row.field_sources),
    ...Object.values(row.company_sources ?? {}),
    ...(row.company_source === null ? [] : [row.company_source]),
  ];
}

export async function readSources(
  pool: Pool,
  ids: readonly number[],
): Promise<ReadonlyMap<number, RecordSource>> {
  const { rows } = await pool.query<{ source_id: number; source: RecordSource }>(
    `SELECT source_id, ${sourceObject('o')} AS source FROM source o WHERE source_id = ANY($1::int[])`,
    [[...new Set(ids)]],
  );
  return new Map(rows.map(({ source_id, source }) => [source_id, source]));
}

/** The column of each field of a saved person. */
const personFields = {
  name: 'full_name',
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
  const ofPerson = Object.entries(personFields).map(
    ([field, column]) => [field, sources.get(row.field_sources[column] ?? -1) ?? row.source] as const,
  );
  const companyDefault = row.company_source === null ? row.source : sources.get(row.company_source);
  const ofCompany = Object.entries(companyFields).map(
    ([field, column]) => [field, sources.get(row.company_sources?.[column] ?? -1) ?? companyDefault] as const,
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
