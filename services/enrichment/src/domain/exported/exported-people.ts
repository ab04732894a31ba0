import type { ExportedValue, RecordSource, SavedPerson } from '@mailproof/shared-types';
import { sourceColumns, sourceValues, wordsIn } from './exported-rows.ts';

/** What is told of a saved person, column by column. None of it is an email address. */
const fields = {
  person_id: person => person.person_id,
  name: person => person.name,
  job_title: person => person.job_title,
  headline: person => person.headline,
  company_name: person => person.company.name,
  company_domain: person => person.company.domain,
  city: person => person.location.city,
  region: person => person.location.region,
  country: person => person.location.country,
  industry: person => person.industry,
  seniority: person => person.seniority,
  department: person => person.department,
  company_size: person => person.company_size,
  annual_revenue_usd: person => person.annual_revenue_usd,
  revenue: person => person.revenue,
  keywords: person => wordsIn(person.keywords),
  company_type: person => person.company_type,
  website: person => person.website,
  follower_count: person => person.follower_count,
  connection_count: person => person.connection_count,
  profile_badges: person => wordsIn(person.profile_badges),
  profile_url: person => person.profile_url,
  is_synthetic: person => person.is_synthetic,
  saved_at: person => person.saved_at,
} as const satisfies Record<string, (person: SavedPerson) => ExportedValue>;

export const peopleColumns: readonly string[] = [...Object.keys(fields), ...sourceColumns];

export function personValues(
  person: SavedPerson,
  provenance: Readonly<Record<string, RecordSource>>,
): ExportedValue[] {
  return [...Object.values(fields).map(field => field(person)), ...sourceValues(person.source, provenance)];
}
