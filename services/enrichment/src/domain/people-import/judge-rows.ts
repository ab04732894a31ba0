import type { PeopleImportRefusal } from '@mailproof/shared-types';
import type { Mapping } from '../import/mapping.ts';
import { type ReadRow, readPersonRow } from '../import/read-row.ts';
import type { RawRow } from '../import/table-file.ts';
import type { Recognition } from '../privacy/subjects.ts';
import { type Dependents, type Fields, isBlank, merge } from '../profile-store/merge.ts';
import type { PersonRecord } from '../profile-store/profile-records.ts';

/** What became of rows, or would become of them. */
export interface Outcomes {
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly savedBefore: number;
  readonly refused: Readonly<Partial<Record<PeopleImportRefusal, RefusedRows>>>;
  /** For each field, the number of rows whose text in it was not understood. */
  readonly blank: Readonly<Record<string, number>>;
}

interface RefusedRows {
  readonly rows: number;
  /** The first lines. */
  readonly lines: readonly number[];
}

export const noOutcomes: Outcomes = {
  added: 0,
  changed: 0,
  unchanged: 0,
  savedBefore: 0,
  refused: {},
  blank: {},
};

/** How many rows were refused. */
export function countRefused({ refused }: Pick<Outcomes, 'refused'>): number {
  return Object.values(refused).reduce((sum, { rows }) => sum + rows, 0);
}

/** A refused row. It does not repeat the row's contents. */
export interface Refusal {
  readonly line: number;
  readonly reason: PeopleImportRefusal;
  readonly column: string | null;
}

type RowOfPart =
  | { readonly line: number; readonly record: PersonRecord; readonly ignored: readonly string[] }
  | Refusal;

/** What is known of the people in a part before it is judged. */
export interface Known {
  /** Profiles whose people are suppressed. */
  readonly suppressed: ReadonlySet<string>;
  /** The account's own people, by profile. */
  readonly own: ReadonlyMap<string, Fields>;
  /** Profiles of people whom the account has saved from the store. */
  readonly saved: ReadonlySet<string>;
  /** Profiles that earlier parts of the file were about. */
  readonly met: ReadonlySet<string>;
  /** How many more people the account can have. */
  readonly room: number;
}

/** A person to store. */
export interface OwnPersonWrite {
  readonly profileKey: string;
  readonly fields: Fields;
}

export interface JudgedPart {
  readonly outcomes: Outcomes;
  readonly refusals: readonly Refusal[];
  readonly writes: readonly OwnPersonWrite[];
  /** Profiles of everyone in the part who was not refused. */
  readonly accepted: readonly string[];
}

/** The lines that are shown for each reason. */
const linesShownMax = 5;

/** Reads the rows of a part as people. */
export function readPart(rows: readonly RawRow[], mapping: Mapping): RowOfPart[] {
  return rows.map(row => {
    const { line } = row;
    if ('unreadable' in row) {
      return { line, reason: row.unreadable, column: null };
    }
    const read: ReadRow<PersonRecord> = readPersonRow(row.values, mapping, {
      companyIsIdentified: false,
    });
    return 'refused' in read
      ? { line, reason: read.refused as PeopleImportRefusal, column: read.column ?? null }
      : { line, record: read.record, ignored: read.ignored };
  });
}

/** Returns the people of a part who could be read. */
export function peopleOf(part: readonly RowOfPart[]): PersonRecord[] {
  return part.flatMap(row => ('record' in row ? [row.record] : []));
}

/** The identifiers by which a person is recognized who opted out. */
export function recognitionOf(profileKey: string, fields: Fields): Recognition {
  const text = (name: string) => fields[name] as string | null;
  return {
    profileKey,
    website: text('website'),
    fullName: text('full_name'),
    firstName: text('first_name'),
    lastName: text('last_name'),
    companyDomain: text('company_domain'),
    companyName: text('company_name'),
  };
}

/** Decides what becomes of each row of a part. The first row about a person counts. */
export function judgePart(part: readonly RowOfPart[], known: Known, before: Outcomes): JudgedPart {
  const refusals: Refusal[] = [];
  const writes: OwnPersonWrite[] = [];
  const accepted = new Set<string>();
  const counts = { added: 0, changed: 0, unchanged: 0, savedBefore: 0 };
  const blank: Record<string, number> = { ...before.blank };
  for (const row of part) {
    const judged = 'record' in row ? judge(row.record, known, accepted, counts.added) : row.reason;
    if (typeof judged === 'string') {
      refusals.push({ line: row.line, reason: judged, column: 'record' in row ? null : row.column });
      continue;
    }
    const { record, ignored } = row as Extract<RowOfPart, { record: unknown }>;
    accepted.add(record.profileKey);
    counts[judged.kind] += 1;
    for (const field of ignored) {
      blank[field] = (blank[field] ?? 0) + 1;
    }
    if ('fields' in judged) {
      writes.push({ profileKey: record.profileKey, fields: judged.fields });
    }
  }
  return {
    outcomes: {
      added: before.added + counts.added,
      changed: before.changed + counts.changed,
      unchanged: before.unchanged + counts.unchanged,
      savedBefore: before.savedBefore + counts.savedBefore,
      refused: withRefusals(before.refused, refusals),
      blank,
    },
    refusals,
    writes,
    accepted: [...accepted],
  };
}

type Judged =
  | { readonly kind: 'added' | 'changed'; readonly fields: Fields }
  | { readonly kind: 'unchanged' | 'savedBefore' };

function judge(
  record: PersonRecord,
  known: Known,
  accepted: ReadonlySet<string>,
  added: number,
): Judged | PeopleImportRefusal {
  const key = record.profileKey;
  if (known.suppressed.has(key)) {
    return 'suppressed';
  }
  if (known.met.has(key) || accepted.has(key)) {
    return 'repeated';
  }
  if (known.saved.has(key)) {
    return { kind: 'savedBefore' };
  }
  const own = known.own.get(key);
  if (own === undefined) {
    return added < known.room ? { kind: 'added', fields: ownFieldsOf(record) } : 'too_many_people';
  }
  const { fields, isChanged } = merged(record, own);
  return isChanged ? { kind: 'changed', fields } : { kind: 'unchanged' };
}

/** Returns what is known of a person after a row. */
export function fieldsAfter(record: PersonRecord, known: Known['own']): Fields {
  const own = known.get(record.profileKey);
  return own === undefined ? ownFieldsOf(record) : merged(record, own).fields;
}

function merged(record: PersonRecord, own: Fields) {
  return merge({ fields: own, sourceOf: () => earlier }, ownFieldsOf(record), later, dependents);
}

/** All fields of an account's own person come from its own files, of which the latest wins. */
const earlier = { sourceId: 0, retrievedOn: '', replacesItself: true };
const later = { sourceId: 1, retrievedOn: '', replacesItself: true };

const dependents: Dependents = {
  company_name: [
    'company_domain',
    'company_website',
    'industry',
    'company_type',
    'company_size',
    'annual_revenue_usd',
    'revenue',
  ],
  country: ['region', 'city'],
  job_title: ['seniority', 'department'],
  full_name: ['first_name', 'last_name'],
};

/** The fields of an own person, by column. What a row says about the company is stored with the person. */
export function ownFieldsOf(record: PersonRecord): Fields {
  const { employer } = record;
  const fields: Fields = {
    profile_url: record.profileUrl,
    full_name: record.fullName,
    first_name: record.firstName,
    last_name: record.lastName,
    headline: record.headline,
    job_title: record.jobTitle,
    seniority: record.seniority,
    department: record.department,
    company_name: record.companyName,
    company_domain: record.companyDomain,
    company_website: employer?.website ?? null,
    // A label that no vocabulary knows is the account's own word for it.
    industry: employer?.industry ?? employer?.industryLabel ?? null,
    company_type: employer?.companyType ?? null,
    company_size: employer?.companySize ?? null,
    annual_revenue_usd: employer?.annualRevenueUsd ?? null,
    revenue: employer?.revenue ?? null,
    country: record.country,
    region: record.region,
    city: record.city,
    keywords: record.keywords,
    website: record.website,
    follower_count: record.followerCount,
    connection_count: record.connectionCount,
    profile_badges: record.profileBadges,
  };
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      isBlank(value) && !Array.isArray(value) ? null : value,
    ]),
  );
}

function withRefusals(before: Outcomes['refused'], refusals: readonly Refusal[]): Outcomes['refused'] {
  const refused: Partial<Record<PeopleImportRefusal, RefusedRows>> = { ...before };
  for (const { reason, line } of refusals) {
    const { rows, lines } = refused[reason] ?? { rows: 0, lines: [] };
    refused[reason] = { rows: rows + 1, lines: lines.length < linesShownMax ? [...lines, line] : lines };
  }
  return refused;
}
