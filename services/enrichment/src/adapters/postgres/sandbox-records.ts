import { inTransaction, onlyRow } from '@mailproof/service-kit';
import type { Pool } from 'pg';
import { sandboxCompanies, sandboxPeople } from '../../domain/sandbox/sandbox-records.ts';
import { keepLoad } from './profile-store/loads.ts';
import { sql } from './profiles.sql.ts';

const load = {
  kind: 'synthetic',
  name: 'Sandbox',
  licence: 'CC0-1.0',
  retrievedOn: '2026-01-01',
  fingerprint: '',
} as const;

/** Writes the records of the sandbox that the store does not have yet. Replicas may do so concurrently. */
export async function keepSandboxRecords(pool: Pool): Promise<void> {
  // A start waits for the store's writers, such as an import, only if something is missing.
  const { records } = await onlyRow(sql.count_sandbox_records(pool, {}));
  if (records === sandboxCompanies.length + sandboxPeople.length) return;
  await inTransaction(pool, async client => {
    await sql.lock_profile_store(client, {});
    const { sourceId } = await keepLoad(client, load);
    const source = { source_id: sourceId };
    await sql.keep_sandbox_companies(client, { ...source, rows: JSON.stringify(sandboxCompanies) });
    await sql.keep_sandbox_people(client, { ...source, rows: JSON.stringify(sandboxPeople) });
  });
}
