import type { AccountId } from '@mailproof/shared-types';
import type { PoolClient } from 'pg';
import { startPlan } from '../../domain/billing/billing.ts';
import { billingColumns, openCycleRow } from './billing-row.ts';

/** Creates an account on the free plan within a transaction, and opens its first cycle. */
export async function insertFreeAccount(
  client: PoolClient,
  { accountId, name, now }: { accountId: AccountId; name: string; now: Date },
): Promise<void> {
  const { billing, opens } = startPlan('free', now);
  const columns = billingColumns(billing, { now, graceDays: 0 });
  await client.query(
    `INSERT INTO account (account_id, name, plan, created_at, billing_anchor, cycle_starts_at, cycle_ends_at,
       billing_due_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      accountId,
      name,
      columns.plan,
      now,
      columns.billingAnchor,
      columns.cycleStartsAt,
      columns.cycleEndsAt,
      columns.billingDueAt,
    ],
  );
  if (opens) {
    const { jobType, payload, traceParent } = openCycleRow(accountId, billing.plan, opens);
    await client.query('INSERT INTO outbox (job_type, payload, trace_parent) VALUES ($1, $2, $3)', [
      jobType,
      payload,
      traceParent,
    ]);
  }
}
