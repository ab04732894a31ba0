import { Problem } from '@mailproof/service-kit';
import {
  choosablePlanNames,
  type getPlan,
  type OperationResult,
  type PlanName,
  plans,
} from '@mailproof/shared-types';
import { AccountDeleted, rateOf } from '../domain/accounts/account.ts';
import { BillingFault, lapsesAt, type PendingChange, paymentState } from '../domain/billing/billing.ts';
import type { AccountBilling } from '../domain/billing/billing-store.ts';
import type { PaymentProvider } from '../domain/billing/payment-port.ts';
import {
  cancelPlanChange,
  type PlanChangePorts,
  requestPlanChange,
} from '../domain/billing/request-plan-change.ts';
import type { AccountCaller, GatewayHandlers } from './guards/gateway-callers.ts';

/** The account’s plan, and plan changes. */
export function planHandlers(ports: PlanChangePorts, provider: PaymentProvider | undefined) {
  const answerOf = (account: AccountBilling) =>
    planAnswer(account, { now: ports.now(), graceDays: ports.graceDays, provider });
  return {
    async getPlan(_input, { caller }: { readonly caller: AccountCaller }) {
      const account = await ports.billing.read(caller.account.accountId);
      if (!account) {
        throw new AccountDeleted(caller.account.accountId);
      }
      return answerOf(account);
    },

    async changePlan({ body }, { caller }) {
      const { account, payment } = await requestPlanChange(ports, caller, body.plan).catch(error => {
        throw error instanceof BillingFault ? problemOf(error) : error;
      });
      return {
        state: payment ? ('requested' as const) : ('scheduled' as const),
        payment: payment ?? null,
        account_plan: answerOf(account),
      };
    },

    cancelPlanChange: async (_input, { caller }) => answerOf(await cancelPlanChange(ports, caller)),
  } satisfies Partial<GatewayHandlers>;
}

function problemOf(fault: BillingFault): Problem {
  return new Problem('plan_change_not_possible', { detail: fault.message, cause: fault });
}

interface PlanFacts {
  readonly now: Date;
  readonly graceDays: number;
  readonly provider: Pick<PaymentProvider, 'topUps'> | undefined;
}

type PlanAnswer = OperationResult<typeof getPlan>;

/** Converts the state of an account's plan to the contract's terms. */
function planAnswer(
  { billing, requestsPerSecondAgreed, hasOrderedOnline }: AccountBilling,
  { now, graceDays, provider }: PlanFacts,
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
    online_payment: provider ? { has_portal: hasOrderedOnline, top_ups: [...provider.topUps] } : null,
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
