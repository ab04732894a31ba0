import { traceParent } from '@mailproof/service-kit';
import {
  type AccountId,
  alignSubscriptionsJob,
  allowancesPerCycle,
  grantCreditsJob,
  newId,
  openBillingCycleJob,
  type PlanName,
  plans,
} from '@mailproof/shared-types';
import { type GrantTerms, planOf } from '../../domain/accounts/account.ts';
import type { Billing, BillingStep } from '../../domain/billing/billing.ts';
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
  readonly stripeCustomerId: string | null;
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
    hasOrderedOnline: row.stripeCustomerId !== null,
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

/** The record of a payment; undefined if the step has none. */
export function paymentRow(
  accountId: AccountId,
  { paid, toppedUp }: BillingStep,
  reference: string | undefined,
): Prisma.PaymentUncheckedCreateInput | undefined {
  if (!paid && !toppedUp) {
    return undefined;
  }
  return {
    paymentId: newId('payment'),
    accountId,
    ...(paid && { plan: paid.plan, paidFrom: paid.from, paidUntil: paid.until }),
    ...(toppedUp && { credits: toppedUp.credits }),
    reference: reference ?? null,
  };
}

/** Writes what a step adds outside the account's own columns. */
export async function writeConsequences(
  transaction: Prisma.TransactionClient,
  accountId: AccountId,
  step: BillingStep,
  reference: string | undefined,
): Promise<void> {
  const { billing, opens, toppedUp } = step;
  if (opens) {
    await transaction.outbox.create({ data: openCycleRow(accountId, billing.plan, opens) });
  }
  if (toppedUp) {
    const terms = { kind: 'top_up', expiresAt: toppedUp.expiresAt, cause: 'top-up' } as const;
    await transaction.outbox.create({ data: grantRow(accountId, toppedUp.credits, terms) });
  }
  const payment = paymentRow(accountId, step, reference);
  if (payment) {
    await transaction.payment.create({ data: payment });
  }
}

/** The outbox row that grants credits outside a plan. */
export function grantRow(
  accountId: AccountId,
  amount: number,
  { kind, expiresAt, cause }: GrantTerms & { readonly cause: string },
): Prisma.OutboxCreateInput {
  const payload = grantCreditsJob.payload.parse({
    grantId: newId('creditGrant'),
    accountId,
    amount,
    kind: kind === 'top_up' ? kind : undefined,
    expiresAt: expiresAt?.toISOString(),
    cause,
  });
  return { jobType: grantCreditsJob.name, payload, traceParent: traceParent() };
}

/** The outbox row that makes the provider collect what the account's plan costs. */
export function alignSubscriptionsRow(accountId: AccountId, customerId: string): Prisma.OutboxCreateInput {
  const payload = alignSubscriptionsJob.payload.parse({ accountId, customerId });
  return { jobType: alignSubscriptionsJob.name, payload, traceParent: traceParent() };
}
