import { openPostgres } from '@mailproof/service-kit';
import type { AccountId } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { createAuditRuns } from '../adapters/postgres/audit/audit-runs.ts';
import { createAuditor } from '../adapters/postgres/audit/create-auditor.ts';
import type { Config } from '../config.ts';
import { type AuditReport, auditLedger } from '../domain/audit/audit.ts';
import { auditWhenDue } from '../domain/audit/audit-when-due.ts';
import type { Events } from '../events.ts';
import { startAuditing } from '../workers/audit-ledger.ts';
import { schema } from './open-ledger.ts';

/** Begins to audit the ledger on its schedule. */
export function startAudits(config: Config, pool: Pool, events: Events): { close(): Promise<void> } {
  const port = createAuditor(pool, config.AUDIT_STATEMENT_TIMEOUT_MS);
  const runs = createAuditRuns(pool);
  const schedule = { intervalMs: config.AUDIT_INTERVAL_MS, fullIntervalMs: config.AUDIT_FULL_INTERVAL_MS };
  return startAuditing({
    audit: signal => auditWhenDue({ port, runs, now: () => new Date() }, schedule, signal),
    runs,
    events,
    intervalMs: schedule.intervalMs,
  });
}

/** What the operator's commands work with. */
export function composeOperator(config: Pick<Config, 'DATABASE_URL' | 'AUDIT_STATEMENT_TIMEOUT_MS'>): {
  /** Looks at everything, or at the accounts that are named. */
  audit(accountIds?: readonly AccountId[]): Promise<AuditReport>;
  close(): Promise<void>;
} {
  const pool = openPostgres({
    connectionString: config.DATABASE_URL,
    schema,
    applicationName: 'mailproof-credit-ledger-operator',
    connectionsMax: 1,
    onIdleError: () => undefined,
  });
  const port = createAuditor(pool, config.AUDIT_STATEMENT_TIMEOUT_MS);
  return {
    audit: accountIds => auditLedger(port, { depth: 'full', ...(accountIds && { accountIds }) }),
    close: () => pool.end(),
  };
}
