import type {
  AccountId,
  ExportedValue,
  ExportSource,
  RecordSource,
  SavedCompany,
  SavedPerson,
  savedCompaniesSource,
  savedPeopleSource,
} from '@mailproof/shared-types';
import type { z } from 'zod';

export type PeopleSource = z.output<typeof savedPeopleSource>;
export type CompaniesSource = z.output<typeof savedCompaniesSource>;
export type ProfilesSource = Exclude<ExportSource, { kind: 'validation_job' }>;

export interface KeyPage {
  readonly columns: string[];
  readonly total: number;
  readonly keys: string[];
  readonly is_last: boolean;
}

export interface RowPage {
  readonly columns: string[];
  readonly rows: { readonly key: string; readonly values: ExportedValue[] }[];
  readonly keys_read: number;
}

/**
 * Reads rows of saved records for an export. Returns undefined if the account has no such list, run or search; neither
 * method returns suppressed people.
 */
export interface ExportedRows<Source> {
  list(accountId: AccountId, source: Source, after: string | undefined): Promise<KeyPage | undefined>;
  read(accountId: AccountId, source: Source, keys: readonly string[]): Promise<RowPage | undefined>;
}

/** Joins several values of one field into one cell. */
function wordsIn(words: readonly string[]): string | null {
  return words.length > 0 ? words.join('; ') : null;
}

/** The columns for a record's source; the last one has the other sources of single fields. */
const sourceColumns = ['source', 'source_licence', 'source_date', 'other_sources'] as const;

function sourceValues(
  main: RecordSource,
  provenance: Readonly<Record<string, RecordSource>>,
): ExportedValue[] {
  const others = new Map<string, string[]>();
  for (const [field, source] of Object.entries(provenance)) {
    if (told(source) !== told(main)) {
      others.set(told(source), [...(others.get(told(source)) ?? []), field]);
    }
  }
  const lines = [...others].map(([source, fields]) => `${fields.join(', ')}: ${source}`);
  return [main.name, main.licence, main.retrieved_on, wordsIn(lines)];
}

function told({ name, licence, retrieved_on }: RecordSource): string {
  return `${name} (${licence}, ${retrieved_on})`;
}

/** The exported columns of a saved person. None of them is an email address. */
const personFields = {
  person_id: person => person.person_id,
  name: person => person.name,
  first_name: person => person.first_name,
  last_name: person => person.last_name,
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

export const peopleColumns: readonly string[] = [...Object.keys(personFields), ...sourceColumns];

export function personValues(
  person: SavedPerson,
  provenance: Readonly<Record<string, RecordSource>>,
): ExportedValue[] {
  return [
    ...Object.values(personFields).map(field => field(person)),
    ...sourceValues(person.source, provenance),
  ];
}

/** The exported columns of a company that was paid for. */
const companyFields = {
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

/** How similar a company is to the seeds; only for exports of one search, since each search scores it differently. */
interface ExportedMatch {
  readonly strength: number;
  readonly sharedTerms: readonly string[];
}

const matchColumns = ['match_strength', 'shared_terms'] as const;

export function companyColumns(isOfSearch: boolean): readonly string[] {
  return [...Object.keys(companyFields), ...(isOfSearch ? matchColumns : []), ...sourceColumns];
}

/** `match` is null if companies of all searches are exported; `provenance` names fields from other sources. */
export function companyValues(
  company: SavedCompany,
  match: ExportedMatch | null,
  provenance: Readonly<Record<string, RecordSource>>,
): ExportedValue[] {
  return [
    ...Object.values(companyFields).map(field => field(company)),
    ...(match ? [match.strength, wordsIn(match.sharedTerms)] : []),
    ...sourceValues(company.source, provenance),
  ];
}
