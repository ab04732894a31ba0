import { newId } from '@mailproof/shared-types';
import { type CompanyRecord, unknownCompany } from '../../../domain/profile-store/company-record.ts';
import { type PersonRecord, personColumns } from '../../../domain/profile-store/person-record.ts';
import type { LoadOutcome } from '../../../domain/profile-store/profile-store.ts';
import { readSuppressed } from '../privacy/suppression-check.ts';
import { indexBy, type LoadWork, loadCompanies } from './load-companies.ts';
import { fieldsOf, RecordBatch, type RecordTable } from './record-batch.ts';

export const personTable: RecordTable = {
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
 * Loads people within a transaction that holds the lock of the store. Nobody who is suppressed gets in: who suppresses
 * holds the same lock, so either is seen here or finds what was inserted here.
 */
export async function loadPeople(work: LoadWork, records: readonly PersonRecord[]): Promise<LoadOutcome[]> {
  const { client, load, isSynthetic, now, suppressionKey } = work;
  const suppressed = await readSuppressed(client, suppressionKey, records);
  const admitted = records.filter((_, place) => !suppressed[place]);
  const batch = new RecordBatch(client, personTable, load, now);
  const known = await batch.read({ profile_key: admitted.map(({ profileKey }) => profileKey) });
  const byProfile = indexBy(known, 'profile_key');
  const employers = await findEmployers(work, admitted);
  const outcomes = records.map((record, place): LoadOutcome => {
    if (suppressed[place]) {
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

/** The companies that people work for, by domain; those that nobody knows yet are made, with what the people say of them. */
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
  const { rows } = await client.query<{
    domain: string;
    company_no: number;
    name: string;
    is_synthetic: boolean;
  }>('SELECT domain, company_no, name, is_synthetic FROM company WHERE domain = ANY ($1)', [domains]);
  return new Map(
    rows.map(row => [row.domain, { no: row.company_no, name: row.name, isSynthetic: row.is_synthetic }]),
  );
}
