import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { type AccountId, type CrmConnectionId, disconnectCrm, forwarded } from '@mailproof/shared-types';

export function disconnectCrmRoute(
  guard: Guard<unknown>,
  disconnect: (
    accountId: AccountId,
    connectionId: CrmConnectionId,
  ) => Promise<{ readonly isRevoked: boolean } | undefined>,
): Route {
  return route(forwarded(disconnectCrm), guard, async ({ params }) => {
    const disconnected = await disconnect(params.accountId, params.connection_id);
    if (!disconnected) {
      throw new Problem('crm_connection_not_found');
    }
    return { is_revoked: disconnected.isRevoked };
  });
}
