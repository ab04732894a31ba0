import { type Route, route } from '@mailproof/service-kit';
import { cancelPlanChange } from '@mailproof/shared-types';
import type { AccountBilling } from '../domain/billing/billing-store.ts';
import type { PlanClock } from './change-plan.ts';
import type { SessionGuard, SignedInCaller } from './guards/session-guard.ts';
import { planAnswer } from './plan-answer.ts';

export function cancelPlanChangeRoute(
  guardOf: SessionGuard,
  cancel: (caller: SignedInCaller) => Promise<AccountBilling>,
  { now, graceDays }: PlanClock,
): Route {
  return route(cancelPlanChange, guardOf(cancelPlanChange), async (_input, { caller }) =>
    planAnswer(await cancel(caller), { now: now(), graceDays }),
  );
}
