import { onlyRow } from '@mailproof/service-kit';
import type { EnrichedField, EnrichedProfile, FieldProvenance } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { ProfileSource, SourceAnswer } from '../../domain/profile-enrichment/profile-source.ts';
import type { ProfileUrl } from '../../domain/profile-url/parse-profile-url.ts';
import { sql } from './profiles.sql.ts';

/** The column of a person's row for each field. */
const personFields = {
  first_name: 'first_name',
  last_name: 'last_name',
  headline: 'headline',
  full_name: 'full_name',
  job_title: 'job_title',
  seniority: 'seniority',
  department: 'department',
  country: 'country',
  region: 'region',
  city: 'city',
  keywords: 'keywords',
  website: 'website',
  follower_count: 'follower_count',
  connection_count: 'connection_count',
  profile_badges: 'profile_badges',
} as const satisfies Partial<Record<EnrichedField, string>>;

/** The fields of the company that a person's profile includes. */
const companyOfPerson = {
  company: 'name',
  company_domain: 'domain',
  industry: 'industry',
  company_type: 'company_type',
  company_size: 'company_size',
} as const satisfies Partial<Record<EnrichedField, string>>;

const companyFields = {
  ...companyOfPerson,
  description: 'description',
  employee_count: 'employee_count',
  revenue: 'revenue',
  founded_year: 'founded_year',
  country: 'country',
  region: 'region',
  city: 'city',
  website: 'website',
  keywords: 'keywords',
  follower_count: 'follower_count',
} as const satisfies Partial<Record<EnrichedField, string>>;

interface SourceRow {
  readonly kind: FieldProvenance['kind'];
  readonly name: string;
  readonly licence: string;
  readonly retrieved_on: string;
}

type StoredRow = Readonly<Record<string, unknown>> & {
  readonly source_id: number;
  readonly field_sources: Readonly<Record<string, number>>;
  readonly is_synthetic: boolean;
  readonly updated_at: Date | string;
};

interface FoundRow {
  readonly kind: 'person' | 'organisation';
  readonly person: StoredRow | null;
  readonly company: StoredRow | null;
  /** All sources that the rows refer to, by number. */
  readonly sources: Readonly<Record<string, SourceRow>>;
}

/** Uses the profile store as a source: finds a person by profile key, an organization by profile key or domain. */
export function createStoredProfiles(pool: Pool): ProfileSource & {
  holds(profile: ProfileUrl): Promise<boolean>;
} {
  return {
    name: 'store',
    async find({ profile }) {
      const { rows } = await sql.find_stored_profile(pool, keysOf(profile));
      return rows[0] && answerOf(rows[0] as FoundRow);
    },
    async holds(profile) {
      return (await onlyRow(sql.holds_profile(pool, keysOf(profile)))).holds;
    },
  };
}

/** An organization's website also identifies it: a domain without a path. */
function keysOf({ profileKey, network }: ProfileUrl) {
  const isDomain = network === undefined && /^[^/?:]+$/.test(profileKey);
  return { profile_key: profileKey, domain: isDomain ? profileKey : null };
}

function answerOf({ kind, person, company, sources }: FoundRow): SourceAnswer | undefined {
  const row = person ?? company;
  if (row === null) {
    return undefined;
  }
  const said = new Saying(sources);
  if (person !== null) {
    said.take(person, personFields);
    said.take(company, companyOfPerson);
    // The name from the person's own source takes precedence.
    said.take(person, { company: 'company_name' });
  } else {
    said.take(company, companyFields);
  }
  return {
    outcome: 'found',
    profile: { kind, ...said.profile, ...(row.is_synthetic && { is_synthetic: true }) } as EnrichedProfile,
    provenance: said.provenance,
    answeredAt: new Date(row.updated_at),
  };
}

/** Collects fields together with their sources. */
class Saying {
  readonly profile: Record<string, unknown> = {};
  readonly provenance: Record<string, FieldProvenance> = {};
  private readonly sources: FoundRow['sources'];

  constructor(sources: FoundRow['sources']) {
    this.sources = sources;
  }

  take(row: StoredRow | null, fields: Readonly<Partial<Record<EnrichedField, string>>>): void {
    for (const [field, column] of Object.entries(fields)) {
      const value = row?.[column];
      if (row && value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0)) {
        this.profile[field] = value;
        const source = this.sources[String(row.field_sources[column] ?? row.source_id)];
        if (source) {
          const { kind, name, licence, retrieved_on } = source;
          this.provenance[field] = { source: name, kind, licence, date: retrieved_on };
        }
      }
    }
  }
}
