import { type Guard, type Route, route } from '@mailproof/service-kit';
import { listGrants } from '@mailproof/shared-types';
import type { StatementStore } from '../domain/statement.ts';

export function listGrantsRoute(guard: Guard<unknown>, store: Pick<StatementStore, 'grantsOf'>): Route {
  return route(listGrants, guard, async ({ params }) => ({
    grants: (await store.grantsOf(params.accountId)).map(grant => ({
      ...grant,
      grantedAt: grant.grantedAt.toISOString(),
      expiresAt: grant.expiresAt?.toISOString() ?? null,
    })),
  }));
}
