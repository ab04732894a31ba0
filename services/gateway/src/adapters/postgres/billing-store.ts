import { onlyRow } from '@mailproof/service-kit';
import { type AccountId, plans, reconcilePaymentsJob } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { BillingFault, type BillingStep, nextCheckAt } from '../../domain/billing/billing.ts';
import {
  type BillingChange,
  type BillingStore,
  type ChangeOptions,
  type HasPaid,
  invoiceReferencePrefix,
} from '../../domain/billing/billing-store.ts';
import { displayPrefixOf } from '../../domain/keys/api-key.ts';
import type { KeySealer } from '../../domain/keys/key-sealer.ts';
import { sql } from './accounts.sql.ts';
import {
  accountBillingOf,
  alignSubscriptionsRow,
  billingColumns,
  openCycleRow,
  writeConsequences,
} from './billing-row.ts';
import type { Prisma, PrismaClient } from './generated/client.ts';
import { newKey } from './key-store.ts';
import { within } from './open.ts';

/** The most payments that one reconciliation looks up. */
const recordedMax = 100_000;

/** Billing on Postgres: a step locks its account's row and commits together with all its consequences. */
export function createBillingStore(
  { pool, prisma }: { readonly pool: Pool; readonly prisma: PrismaClient },
  sealer: KeySealer | undefined,
): BillingStore {
  return {
    async read(accountId) {
      const row = await prisma.account.findUnique({ where: { accountId } });
      return row ? accountBillingOf(row) : undefined;
    },

    async list(after, limit) {
      const rows = await prisma.account.findMany({
        ...(after && { where: { accountId: { gt: after } } }),
        orderBy: { accountId: 'asc' },
        take: limit,
      });
      return rows.map(accountBillingOf);
    },

    change: (accountId, decide, options) =>
      prisma.$transaction(async transaction => {
        const { rowCount } = await sql.lock_account(within(transaction), { account_id: accountId });
        return rowCount === 0 ? undefined : applyStep(transaction, sealer, accountId, decide, options);
      }),

    async due(now, limit) {
      // Runs every few seconds, so not with Prisma: its first query takes 10 MB.
      const { rows } = await sql.accounts_due(pool, { now, accounts_max: limit });
      return rows.map(row => row.account_id as AccountId);
    },

    changeDue: (accountId, decide, options) =>
      prisma.$transaction(async transaction => {
        const due = { account_id: accountId, now: options.now };
        const { rowCount } = await sql.lock_account_due(within(transaction), due);
        return rowCount === 0 ? undefined : applyStep(transaction, sealer, accountId, decide, options);
      }),

    async recordedReferences(references) {
      const rows = await prisma.payment.findMany({
        where: { reference: { in: [...references] } },
        select: { reference: true },
      });
      return new Set(rows.map(referenceOf));
    },

    async recordedSince(since) {
      const rows = await prisma.payment.findMany({
        where: { recordedAt: { gte: since }, reference: { startsWith: invoiceReferencePrefix } },
        select: { reference: true },
        orderBy: { recordedAt: 'asc' },
        take: recordedMax,
      });
      return rows.map(referenceOf);
    },

    async reopenCycle(accountId) {
      const row = await prisma.account.findUnique({ where: { accountId } });
      const billing = row && accountBillingOf(row).billing;
      if (!billing?.cycle) {
        return false;
      }
      await prisma.outbox.create({ data: openCycleRow(accountId, billing.plan, billing.cycle) });
      return true;
    },
  };
}

export function createHasPaid(pool: Pool): HasPaid {
  return async accountId => (await onlyRow(sql.has_paid(pool, { account_id: accountId }))).paid;
}

/** Queues the reconciliation of the next night, unless one is waiting. */
export async function queueReconciliation(pool: Pool): Promise<void> {
  await sql.queue_reconciliation(pool, { job_type: reconcilePaymentsJob.name, trace_parent: null });
}

async function applyStep(
  transaction: Prisma.TransactionClient,
  sealer: KeySealer | undefined,
  accountId: AccountId,
  decide: (billing: BillingStep['billing']) => BillingStep | undefined,
  options: ChangeOptions,
): Promise<BillingChange | undefined> {
  const row = await transaction.account.findUniqueOrThrow({ where: { accountId } });
  const before = accountBillingOf(row).billing;
  await assertNew(transaction, options.paymentReference);
  const step = decide(before);
  if (!step) {
    const billingDueAt = nextCheckAt(before, options.now, options.graceDays);
    await transaction.account.update({ where: { accountId }, data: { billingDueAt } });
    return undefined;
  }
  await transaction.account.update({ where: { accountId }, data: billingColumns(step.billing, options) });
  await writeConsequences(transaction, accountId, step, options.paymentReference);
  const madeKey = plans[step.billing.plan].apiAccess
    ? await makeFirstKey(transaction, sealer, accountId)
    : undefined;
  await writeEvents(transaction, accountId, { before, after: step.billing, madeKey }, options);
  const hasChanged = before.plan !== step.billing.plan || before.pending !== step.billing.pending;
  if (row.stripeCustomerId && (hasChanged || step.paid)) {
    await transaction.outbox.create({ data: alignSubscriptionsRow(accountId, row.stripeCustomerId) });
  }
  return { before, after: step.billing, madeKey };
}

/** The lock of the account makes a second report of an invoice wait; the unique index covers other accounts. */
async function assertNew(
  transaction: Prisma.TransactionClient,
  reference: string | undefined,
): Promise<void> {
  if (
    reference?.startsWith(invoiceReferencePrefix) &&
    (await transaction.payment.findFirst({ where: { reference }, select: { paymentId: true } }))
  ) {
    throw new BillingFault('already_recorded', `The payment ${reference} is recorded already.`);
  }
}

function referenceOf({ reference }: { readonly reference: string | null }): string {
  return reference ?? '';
}

/** Writes the account's security events in the same transaction as the step. */
async function writeEvents(
  transaction: Prisma.TransactionClient,
  accountId: AccountId,
  { before, after, madeKey }: BillingChange,
  { now, by = 'schedule' }: ChangeOptions,
): Promise<void> {
  const event = { accountId, at: now, clientNetwork: by, userAgent: '' };
  if (before.plan !== after.plan) {
    const details = { from: before.plan, plan: after.plan, lapsed: after.lapsed !== undefined };
    await transaction.securityEvent.create({ data: { ...event, kind: 'plan_changed', details } });
  }
  if (madeKey) {
    const details = { display_prefix: displayPrefixOf(madeKey.apiKey) };
    await transaction.securityEvent.create({ data: { ...event, kind: 'api_key_generated', details } });
  }
}

/** Creates the first key of a plan with API access; an existing key stays valid. */
async function makeFirstKey(
  transaction: Prisma.TransactionClient,
  sealer: KeySealer | undefined,
  accountId: AccountId,
) {
  if (await transaction.apiKey.findFirst({ where: { accountId, revokedAt: null } })) {
    return undefined;
  }
  const { row, ...made } = await newKey(accountId, sealer);
  await transaction.apiKey.create({ data: row });
  return made;
}
