import { type Route, route } from '@mailproof/service-kit';
import { getPlan } from '@mailproof/shared-types';
import type { BillingStore } from '../domain/billing/billing-store.ts';
import type { SessionGuard } from './guards/session-guard.ts';
import { planAnswer } from './plan-answer.ts';

export function getPlanRoute(
  guardOf: SessionGuard,
  ports: {
    readonly billing: Pick<BillingStore, 'read'>;
    readonly now: () => Date;
    readonly graceDays: number;
  },
): Route {
  return route(getPlan, guardOf(getPlan), async (_input, { caller }) => {
    const account = await ports.billing.read(caller.account.accountId);
    if (!account) {
      throw new Error('The account of an open session is gone.');
    }
    return planAnswer(account, { now: ports.now(), graceDays: ports.graceDays });
  });
}
