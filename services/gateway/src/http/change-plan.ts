import { Problem, type Route, route } from '@mailproof/service-kit';
import { changePlan, type PlanName } from '@mailproof/shared-types';
import { BillingFault } from '../domain/billing/billing.ts';
import type { PlanChangeRequested } from '../domain/billing/request-plan-change.ts';
import type { SessionGuard, SignedInCaller } from './guards/session-guard.ts';
import { planAnswer } from './plan-answer.ts';

export interface PlanClock {
  readonly now: () => Date;
  readonly graceDays: number;
}

export function changePlanRoute(
  guardOf: SessionGuard,
  request: (caller: SignedInCaller, plan: PlanName) => Promise<PlanChangeRequested>,
  { now, graceDays }: PlanClock,
): Route {
  return route(changePlan, guardOf(changePlan), async ({ body }, { caller }) => {
    const { account, payment } = await request(caller, body.plan).catch(error => {
      throw error instanceof BillingFault ? problemOf(error) : error;
    });
    return {
      state: payment ? ('requested' as const) : ('scheduled' as const),
      payment: payment ?? null,
      account_plan: planAnswer(account, { now: now(), graceDays }),
    };
  });
}

function problemOf(fault: BillingFault): Problem {
  return new Problem('plan_change_not_possible', { detail: fault.message, cause: fault });
}
