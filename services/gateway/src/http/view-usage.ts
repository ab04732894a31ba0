import { type Route, route } from '@mailproof/service-kit';
import { viewUsage } from '@mailproof/shared-types';
import type { StatementPort } from '../domain/statement-port.ts';
import type { SessionGuard } from './session-guard.ts';

export function viewUsageRoute(guardOf: SessionGuard, ledger: Pick<StatementPort, 'usage'>): Route {
  return route(viewUsage, guardOf(viewUsage), async ({ query }, { caller }) => {
    const days = await ledger.usage(caller.account.accountId, query);
    return {
      ...query,
      spent: days.reduce((sum, { spent }) => sum + spent, 0),
      days: days.map(({ day, cause, spent }) => ({ day, operation: cause, spent })),
    };
  });
}
