import type { Pool } from 'pg';
import { createAuditor } from '../src/adapters/postgres/audit/create-auditor.ts';
import { auditLedger } from '../src/domain/audit/audit.ts';

const statementTimeoutMs = 60_000;

/** Audits the whole ledger and lists every violated invariant with its location. */
export async function faultsOfLedger(pool: Pool): Promise<string[]> {
  const { faults, unexamined } = await auditLedger(createAuditor(pool, statementTimeoutMs), {
    depth: 'full',
  });
  return [
    ...faults.map(({ invariant, accountId, subject }) => `${invariant}: ${accountId} at ${subject}`),
    ...unexamined.map(accountId => `${accountId} was not examined`),
  ];
}
