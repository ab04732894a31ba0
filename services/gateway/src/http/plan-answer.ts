import {
  choosablePlanNames,
  type getPlan,
  type OperationResult,
  type PlanName,
  plans,
} from '@mailproof/shared-types';
import { rateOf } from '../domain/accounts/account.ts';
import { lapsesAt, type PendingChange, paymentState } from '../domain/billing/billing.ts';
import type { AccountBilling } from '../domain/billing/billing-store.ts';

type PlanAnswer = OperationResult<typeof getPlan>;

/** How an account stands with its plan, in the contract's words. */
export function planAnswer(
  { billing, requestsPerSecondAgreed }: AccountBilling,
  { now, graceDays }: { readonly now: Date; readonly graceDays: number },
): PlanAnswer {
  const { cycle, paidUntil, pending, lapsed } = billing;
  return {
    plan: planShown(billing.plan),
    requests_per_second: rateOf(billing.plan, requestsPerSecondAgreed ?? null),
    cycle: cycle ? { starts_at: cycle.startsAt.toISOString(), ends_at: cycle.endsAt.toISOString() } : null,
    payment: {
      state: paymentState(billing, now),
      paid_until: paidUntil?.toISOString() ?? null,
      lapses_at: lapsesAt(billing, graceDays)?.toISOString() ?? null,
      lapsed_plan: lapsed?.plan ?? null,
    },
    pending_change: pending ? pendingShown(pending, cycle?.endsAt) : null,
    choices: billing.plan === 'custom' ? [] : choosablePlanNames.map(planShown),
  };
}

function pendingShown({ plan, takesEffect, requestedAt }: PendingChange, cycleEndsAt: Date | undefined) {
  return {
    plan,
    takes_effect: takesEffect,
    requested_at: requestedAt.toISOString(),
    effective_at: takesEffect === 'at_cycle_end' ? (cycleEndsAt?.toISOString() ?? null) : null,
  };
}

function planShown(name: PlanName): PlanAnswer['plan'] {
  const { title, apiAccess, creditsPerCycle, requestsPerSecond, membersMax } = plans[name];
  return {
    name,
    title,
    api_access: apiAccess,
    credits_per_cycle: creditsPerCycle,
    requests_per_second: requestsPerSecond,
    members_max: membersMax,
  };
}
