import { type Route, route } from '@mailproof/service-kit';
import { viewBalance } from '@mailproof/shared-types';
import type { StatementPort } from '../domain/statement/statement-port.ts';
import type { SessionGuard } from './guards/session-guard.ts';

export function viewBalanceRoute(
  guardOf: SessionGuard,
  ledger: Pick<StatementPort, 'balance' | 'grants' | 'allowances'>,
): Route {
  return route(viewBalance, guardOf(viewBalance), async (_input, { caller }) => {
    const { accountId } = caller.account;
    const [{ available, held }, grants, allowances] = await Promise.all([
      ledger.balance(accountId),
      ledger.grants(accountId),
      ledger.allowances(accountId),
    ]);
    return {
      available,
      held,
      grants: grants.map(grant => ({
        grant_id: grant.grantId,
        kind: grant.kind,
        amount: grant.amount,
        available: grant.available,
        held: grant.held,
        spent: grant.spent,
        expired: grant.expired,
        granted_at: grant.grantedAt,
        expires_at: grant.expiresAt,
      })),
      allowances: allowances.map(({ allowance, limit, used, cycleStartsAt, cycleEndsAt }) => ({
        allowance,
        limit,
        used,
        cycle_starts_at: cycleStartsAt,
        cycle_ends_at: cycleEndsAt,
      })),
    };
  });
}
