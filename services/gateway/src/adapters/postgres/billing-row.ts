import { traceParent } from '@mailproof/service-kit';
import {
  type AccountId,
  allowancesPerCycle,
  newId,
  openBillingCycleJob,
  type PlanName,
  plans,
} from '@mailproof/shared-types';
import { planOf } from '../../domain/accounts/account.ts';
import type { Billing, BillingStep, PaidPeriod } from '../../domain/billing/billing.ts';
import { nextCheckAt } from '../../domain/billing/billing.ts';
import type { AccountBilling, ChangeOptions } from '../../domain/billing/billing-store.ts';
import type { Cycle } from '../../domain/billing/cycle.ts';
import type { Prisma } from './generated/client.ts';

/** The columns of an account that hold its billing. */
export interface BillingRow {
  readonly accountId: string;
  readonly name: string;
  readonly plan: string;
  readonly requestsPerSecond: number | null;
  readonly createdAt: Date;
  readonly billingAnchor: Date;
  readonly cycleStartsAt: Date | null;
  readonly cycleEndsAt: Date | null;
  readonly paidUntil: Date | null;
  readonly pendingPlan: string | null;
  readonly pendingTakesEffect: string | null;
  readonly pendingRequestedAt: Date | null;
  readonly lapsedPlan: string | null;
  readonly lapsedAt: Date | null;
}

export function accountBillingOf(row: BillingRow): AccountBilling {
  return {
    accountId: row.accountId as AccountId,
    name: row.name,
    requestsPerSecondAgreed: row.requestsPerSecond ?? undefined,
    createdAt: row.createdAt,
    billing: {
      plan: planOf(row.accountId, row.plan),
      anchor: row.billingAnchor,
      cycle:
        row.cycleStartsAt && row.cycleEndsAt
          ? { startsAt: row.cycleStartsAt, endsAt: row.cycleEndsAt }
          : undefined,
      paidUntil: row.paidUntil ?? undefined,
      pending:
        row.pendingPlan && row.pendingRequestedAt
          ? {
              plan: planOf(row.accountId, row.pendingPlan),
              takesEffect: row.pendingTakesEffect === 'on_payment' ? 'on_payment' : 'at_cycle_end',
              requestedAt: row.pendingRequestedAt,
            }
          : undefined,
      lapsed:
        row.lapsedPlan && row.lapsedAt
          ? { plan: planOf(row.accountId, row.lapsedPlan), at: row.lapsedAt }
          : undefined,
    },
  };
}

export function billingColumns(billing: Billing, { now, graceDays }: ChangeOptions) {
  return {
    plan: billing.plan,
    billingAnchor: billing.anchor,
    cycleStartsAt: billing.cycle?.startsAt ?? null,
    cycleEndsAt: billing.cycle?.endsAt ?? null,
    paidUntil: billing.paidUntil ?? null,
    pendingPlan: billing.pending?.plan ?? null,
    pendingTakesEffect: billing.pending?.takesEffect ?? null,
    pendingRequestedAt: billing.pending?.requestedAt ?? null,
    lapsedPlan: billing.lapsed?.plan ?? null,
    lapsedAt: billing.lapsed?.at ?? null,
    billingDueAt: nextCheckAt(billing, now, graceDays),
  };
}

/**
 * The outbox row that opens a cycle in the ledger. It holds the plan's current figures, so that it can be sent again.
 */
export function openCycleRow(accountId: AccountId, plan: PlanName, cycle: Cycle): Prisma.OutboxCreateInput {
  const payload = openBillingCycleJob.payload.parse({
    accountId,
    startsAt: cycle.startsAt.toISOString(),
    endsAt: cycle.endsAt.toISOString(),
    credits: plans[plan].creditsPerCycle,
    allowances: allowancesPerCycle,
    cause: 'open-billing-cycle',
  });
  return { jobType: openBillingCycleJob.name, payload, traceParent: traceParent() };
}

export function paymentRow(
  accountId: AccountId,
  { plan, from, until }: PaidPeriod,
  reference: string | undefined,
): Prisma.PaymentUncheckedCreateInput {
  return {
    paymentId: newId('payment'),
    accountId,
    plan,
    paidFrom: from,
    paidUntil: until,
    reference: reference ?? null,
  };
}

/** Writes what a step adds outside the account's own columns. */
export async function writeConsequences(
  transaction: Prisma.TransactionClient,
  accountId: AccountId,
  { billing, opens, paid }: BillingStep,
  reference: string | undefined,
): Promise<void> {
  if (opens) {
    await transaction.outbox.create({ data: openCycleRow(accountId, billing.plan, opens) });
  }
  if (paid) {
    await transaction.payment.create({ data: paymentRow(accountId, paid, reference) });
  }
}
