import { newId } from '@mailproof/shared-types';
import type { PoolClient } from 'pg';
import type { LoadOrder } from '../../../domain/profile-store/merge.ts';
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
      const fresh = batch.add(keys, fieldsOf(record, companyColumns), isSynthetic);
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

/**
 * Loads people within a transaction that holds the store's lock. No suppressed person gets in: a suppression takes the
 * same lock, so it is either visible here or sees what was inserted here.
 */
export async function loadPeople(work: LoadWork, records: readonly PersonRecord[]): Promise<LoadOutcome[]> {
  const { client, load, isSynthetic, now, suppressionKey } = work;
  const suppressed = await readSuppressed(client, suppressionKey, records);
  const admitted = records.filter((_, position) => !suppressed[position]);
  const batch = new RecordBatch(client, personTable, load, now);
  const known = await batch.read({ profile_key: admitted.map(({ profileKey }) => profileKey) });
  const byProfile = indexBy(known, 'profile_key');
  const employers = await findEmployers(work, admitted);
  const outcomes = records.map((record, position): LoadOutcome => {
    if (suppressed[position]) {
      return { kind: 'refused', reason: 'suppressed' };
    }
    const employer = record.companyDomain === null ? undefined : employers.get(record.companyDomain);
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
  return outcomes;
}

/** Returns people's employers by domain; creates unknown ones from the people's records. */
async function findEmployers(
  work: LoadWork,
  people: readonly PersonRecord[],
): Promise<Map<string, Employer>> {
  const names = new Map(
    people.flatMap(({ companyDomain, companyName }) =>
      companyDomain === null ? [] : [[companyDomain, companyName ?? companyDomain] as const],
    ),
  );
  if (names.size === 0) {
    return new Map();
  }
  const employers = await readEmployers(work, [...names.keys()]);
  const missing = [...names].filter(([domain]) => !employers.has(domain));
  if (missing.length === 0) {
    return employers;
  }
  const stubs = missing.map(
    ([domain, name]): CompanyRecord => ({ ...unknownCompany, domain, profileKey: null, name }),
  );
  await loadCompanies(work, stubs);
  return readEmployers(work, [...names.keys()]);
}

async function readEmployers(
  { client }: LoadWork,
  domains: readonly string[],
): Promise<Map<string, Employer>> {
  const { rows } = await sql.find_employers(client, { domains });
  return new Map(
    rows.map(row => [row.domain, { no: row.company_no, name: row.name, isSynthetic: row.is_synthetic }]),
  );
}
