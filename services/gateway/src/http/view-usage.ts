import { type Route, route } from '@mailproof/service-kit';
import { limits, viewUsage } from '@mailproof/shared-types';
import type { StatementPort } from '../domain/statement/statement-port.ts';
import type { SessionGuard } from './guards/session-guard.ts';

export function viewUsageRoute(
  guardOf: SessionGuard,
  ledger: Pick<StatementPort, 'usage'>,
  now: () => Date,
): Route {
  return route(viewUsage, guardOf(viewUsage), async ({ query }, { caller }) => {
    const last = lastDays(now());
    const { from = last.from, until = last.until } = query;
    const days = await ledger.usage(caller.account.accountId, { from, until });
    return {
      from,
      until,
      spent: days.reduce((sum, { spent }) => sum + spent, 0),
      days: days.map(({ day, cause, spent }) => ({ day, operation: cause, spent })),
    };
  });
}

const dayMs = 86_400_000;

/** The days, today included, that are shown to whoever names none. */
function lastDays(now: Date): { from: string; until: string } {
  const dayOf = (atMs: number) => new Date(atMs).toISOString().slice(0, 10);
  return { from: dayOf(now.getTime() - (limits.usageDaysDefault - 1) * dayMs), until: dayOf(now.getTime()) };
}
