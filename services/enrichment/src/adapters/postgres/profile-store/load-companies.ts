import { newId } from '@mailproof/shared-types';
import type { PoolClient } from 'pg';
import { type CompanyRecord, companyColumns } from '../../../domain/profile-store/company-record.ts';
import type { LoadOrder } from '../../../domain/profile-store/merge.ts';
import type { LoadOutcome } from '../../../domain/profile-store/profile-store.ts';
import { readSuppressed } from '../privacy/suppression-check.ts';
import { type Entry, fieldsOf, RecordBatch, type RecordTable } from './record-batch.ts';

export const companyTable: RecordTable = {
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

export interface LoadWork {
  readonly client: PoolClient;
  readonly load: LoadOrder;
  readonly isSynthetic: boolean;
  readonly suppressionKey: Uint8Array;
  readonly now: Date;
}

/**
 * Loads companies within a transaction that holds the lock of the store. A profile whose URL does not tell whom it is of
 * can be a person's who asked to be left out, so it is not kept here either.
 */
export async function loadCompanies(
  { client, load, isSynthetic, suppressionKey, now }: LoadWork,
  given: readonly CompanyRecord[],
): Promise<LoadOutcome[]> {
  const profiles = given.map(({ profileKey }) => ({ profileKey: profileKey ?? undefined }));
  const suppressed = await readSuppressed(client, suppressionKey, profiles);
  const records = given.map((record, place) =>
    suppressed[place] ? { ...record, profileKey: null, profileUrl: null } : record,
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
    // The domain goes first: a company can have several profiles, but its domain is its own.
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

/** A company that was known by one key alone is known by the other too from now on, unless that is another company's. */
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

export function indexBy(entries: readonly Entry[], key: string): Map<string, Entry> {
  return new Map(
    entries.flatMap(entry => {
      const value = entry.keys[key];
      return value ? [[value, entry] as const] : [];
    }),
  );
}
