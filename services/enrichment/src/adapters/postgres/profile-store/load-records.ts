import { newId } from '@mailproof/shared-types';
import type { PoolClient } from 'pg';
import type { JoinedCompanies } from '../../../domain/import/import-file.ts';
import { isBlank, type LoadOrder } from '../../../domain/profile-store/merge.ts';
import {
  type CompanyRecord,
  companyColumns,
  type PersonRecord,
  personColumns,
  unknownCompany,
} from '../../../domain/profile-store/profile-records.ts';
import type { LoadOutcome } from '../../../domain/profile-store/profile-store.ts';
import { readSuppressed } from '../privacy/suppression-check.ts';
import { sql } from '../profiles.sql.ts';
import { type Entry, fieldsOf, RecordBatch, type RecordTable } from './record-batch.ts';

const companyTable: RecordTable = {
  name: 'company',
  noColumn: 'company_no',
  idColumn: 'company_id',
  keyColumns: ['domain', 'profile_key'],
  fieldColumns: Object.values(companyColumns),
  dependents: {
    company_size: ['employee_count'],
    revenue: ['annual_revenue_usd'],
    industry_label: ['industry', 'naics'],
    country: ['region', 'city'],
  },
  newId: () => newId('company'),
};

interface LoadWork {
  readonly client: PoolClient;
  readonly load: LoadOrder;
  readonly isSynthetic: boolean;
  readonly suppressionKey: Uint8Array;
  readonly now: Date;
}

/**
 * Loads companies within a transaction that holds the store's lock. A profile whose URL does not tell its kind can be
 * that of a suppressed person, so it is not stored for a company either.
 */
export async function loadCompanies(
  { client, load, isSynthetic, suppressionKey, now }: LoadWork,
  given: readonly CompanyRecord[],
): Promise<LoadOutcome[]> {
  const profiles = given.map(({ profileKey }) => ({ profileKey: profileKey ?? undefined }));
  const suppressed = await readSuppressed(client, suppressionKey, profiles);
  const records = given.map((record, position) =>
    suppressed[position] ? { ...record, profileKey: null, profileUrl: null } : record,
  );
  const batch = new RecordBatch(client, companyTable, load, now);
  const known = await batch.read({
    domain: records.flatMap(({ domain }) => domain ?? []),
    profile_key: records.flatMap(({ profileKey }) => profileKey ?? []),
  });
  const byDomain = indexBy(known, 'domain');
  const byProfile = indexBy(known, 'profile_key');
  const outcomes = records.map((record): LoadOutcome => {
    const { domain, profileKey } = record;
    if (domain === null && profileKey === null) {
      return { kind: 'refused', reason: 'suppressed' };
    }
    // The domain takes precedence: a company can have several profiles, but its domain is unique.
    const entry =
      (domain === null ? undefined : byDomain.get(domain)) ??
      (profileKey === null ? undefined : byProfile.get(profileKey));
    if (!entry) {
      const isTaken = profileKey !== null && byProfile.has(profileKey);
      const keys = { domain, profile_key: isTaken ? null : profileKey };
      const named = { ...record, name: record.name || keyOf(record) };
      const fresh = batch.add(keys, fieldsOf(named, companyColumns), isSynthetic);
      index(fresh, byDomain, byProfile);
      return { kind: 'added' };
    }
    if (entry.isSynthetic !== isSynthetic) {
      return { kind: 'refused', reason: 'synthetic_and_real' };
    }
    const learned = learnKeys(entry, record, byDomain, byProfile);
    const merged = batch.merge(entry, fieldsOf(record, companyColumns));
    entry.isChanged ||= learned;
    return { kind: learned || merged ? 'merged' : 'unchanged' };
  });
  await batch.write();
  return outcomes;
}

/** The name of a company until a source names it. */
function keyOf({ domain, profileKey }: CompanyRecord): string {
  return domain ?? profileKey ?? '';
}

/** Adds the second key to a company known by only one, unless that key belongs to another company. */
function learnKeys(
  entry: Entry,
  { domain, profileKey }: CompanyRecord,
  byDomain: Map<string, Entry>,
  byProfile: Map<string, Entry>,
): boolean {
  const before = entry.keys;
  const isFreeDomain = domain !== null && before['domain'] === null && !byDomain.has(domain);
  const isFreeProfile = profileKey !== null && before['profile_key'] === null && !byProfile.has(profileKey);
  if (!isFreeDomain && !isFreeProfile) {
    return false;
  }
  entry.keys = {
    domain: isFreeDomain ? domain : (before['domain'] ?? null),
    profile_key: isFreeProfile ? profileKey : (before['profile_key'] ?? null),
  };
  index(entry, byDomain, byProfile);
  return true;
}

function index(entry: Entry, byDomain: Map<string, Entry>, byProfile: Map<string, Entry>): void {
  const { domain, profile_key: profileKey } = entry.keys;
  if (domain) byDomain.set(domain, entry);
  if (profileKey) byProfile.set(profileKey, entry);
}

function indexBy(entries: readonly Entry[], key: string): Map<string, Entry> {
  return new Map(
    entries.flatMap(entry => {
      const value = entry.keys[key];
      return value ? [[value, entry] as const] : [];
    }),
  );
}

const personTable: RecordTable = {
  name: 'person',
  noColumn: 'person_no',
  idColumn: 'person_id',
  keyColumns: ['profile_key'],
  fieldColumns: [...Object.values(personColumns), 'company_no'],
  dependents: {
    company_name: ['company_no'],
    country: ['region', 'city'],
    job_title: ['seniority', 'department'],
    full_name: ['first_name', 'last_name'],
  },
  newId: () => newId('person'),
};

interface Employer {
  readonly no: number;
  readonly name: string;
  readonly isSynthetic: boolean;
}

/** What became of a batch of people, and of the companies that their rows describe. */
interface LoadedPeople {
  readonly outcomes: LoadOutcome[];
  readonly companies: JoinedCompanies;
}

/**
 * Loads people within a transaction that holds the store's lock. No suppressed person gets in: a suppression takes the
 * same lock, so it is either visible here or sees what was inserted here.
 */
export async function loadPeople(work: LoadWork, records: readonly PersonRecord[]): Promise<LoadedPeople> {
  const { client, load, isSynthetic, now, suppressionKey } = work;
  const suppressed = await readSuppressed(client, suppressionKey, records);
  const admitted = records.filter((_, position) => !suppressed[position]);
  const batch = new RecordBatch(client, personTable, load, now);
  const known = await batch.read({ profile_key: admitted.map(({ profileKey }) => profileKey) });
  const byProfile = indexBy(known, 'profile_key');
  const { companies, employerOf } = await joinEmployers(work, admitted);
  const outcomes = records.map((record, position): LoadOutcome => {
    if (suppressed[position]) {
      return { kind: 'refused', reason: 'suppressed' };
    }
    const employer = employerOf(record);
    const entry = byProfile.get(record.profileKey);
    if ((employer ?? entry ?? { isSynthetic }).isSynthetic !== isSynthetic) {
      return { kind: 'refused', reason: 'synthetic_and_real' };
    }
    const fields = {
      ...fieldsOf(record, personColumns),
      company_name: record.companyName ?? employer?.name ?? null,
      company_no: employer?.no ?? null,
    };
    if (!entry) {
      const fresh = batch.add({ profile_key: record.profileKey }, fields, isSynthetic);
      byProfile.set(record.profileKey, fresh);
      return { kind: 'added' };
    }
    if (entry.isSynthetic !== isSynthetic) {
      return { kind: 'refused', reason: 'synthetic_and_real' };
    }
    return { kind: batch.merge(entry, fields) ? 'merged' : 'unchanged' };
  });
  await batch.write();
  return { outcomes, companies };
}

/** Finds the companies of people, adds unknown ones, and merges what the people's rows state about them. */
async function joinEmployers(work: LoadWork, people: readonly PersonRecord[]) {
  const described = new Map(
    people.flatMap(person => companyOf(person) ?? []).map(each => [JSON.stringify(each), each]),
  );
  if (described.size === 0) {
    return { companies: { added: 0, merged: 0 }, employerOf: () => undefined };
  }
  const companies = [...described.values()];
  const known = await readEmployers(work, companies);
  const stated = companies.flatMap((company): CompanyRecord | [] => {
    const employer = known(company);
    if (employer === undefined) {
      return company;
    }
    // Without a name, the record keeps the name that is known, unless only a key is known in its place.
    const isUnnamed = employer.name === company.domain || employer.name === company.profileKey;
    const name = isUnnamed ? company.name : '';
    return saysMore(company) || name !== '' ? { ...company, name } : [];
  });
  const outcomes = await loadCompanies(work, stated);
  const count = (kind: LoadOutcome['kind']) => outcomes.filter(outcome => outcome.kind === kind).length;
  const joined = stated.length === 0 ? known : await readEmployers(work, companies);
  return {
    companies: { added: count('added'), merged: count('merged') },
    employerOf(person: PersonRecord): Employer | undefined {
      const company = companyOf(person);
      return company && joined(company);
    },
  };
}

/** Returns the company of a person as the person's source describes it. */
function companyOf({ employer, companyDomain, companyName }: PersonRecord): CompanyRecord | undefined {
  if (employer !== null) {
    return employer;
  }
  return companyDomain === null
    ? undefined
    : { ...unknownCompany, domain: companyDomain, profileKey: null, name: companyName ?? companyDomain };
}

/** Whether a record states more about a company than its keys and its name. */
function saysMore({ domain: _domain, name: _name, ...rest }: CompanyRecord): boolean {
  return Object.values(rest).some(value => !isBlank(value));
}

async function readEmployers({ client }: LoadWork, companies: readonly CompanyRecord[]) {
  const { rows } = await sql.find_employers(client, {
    domains: companies.flatMap(({ domain }) => domain ?? []),
    profile_keys: companies.flatMap(({ profileKey }) => profileKey ?? []),
  });
  const byDomain = new Map<string | null, Employer>();
  const byProfile = new Map<string | null, Employer>();
  for (const { domain, profile_key: profileKey, company_no: no, name, is_synthetic: isOfDemo } of rows) {
    const employer = { no, name, isSynthetic: isOfDemo };
    byDomain.set(domain, employer);
    byProfile.set(profileKey, employer);
  }
  return ({ domain, profileKey }: CompanyRecord): Employer | undefined =>
    (domain === null ? undefined : byDomain.get(domain)) ??
    (profileKey === null ? undefined : byProfile.get(profileKey));
}
