import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { beginCrmConnection, type CrmProvider, crmProviders, forwarded } from '@mailproof/shared-types';
import type { Connecting, ConnectionBegun } from '../domain/crm/connections/connect.ts';

export function beginCrmConnectionRoute(
  guard: Guard<unknown>,
  begin: (connecting: Connecting, provider: CrmProvider) => Promise<ConnectionBegun>,
): Route {
  return route(
    forwarded(beginCrmConnection),
    guard,
    async ({ params: { accountId, userId }, body: { provider } }) => {
      const begun = await begin({ accountId, userId }, provider);
      if (begun.kind === 'not_configured') {
        throw new Problem('crm_not_configured', {
          detail: `Ask your administrator to configure ${crmProviders[provider]} for this installation.`,
        });
      }
      return { authorization_url: begun.authorizationUrl, expires_at: begun.expiresAt.toISOString() };
    },
  );
}
