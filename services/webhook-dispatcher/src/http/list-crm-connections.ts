import { type Guard, type Route, route } from '@mailproof/service-kit';
import { type CrmProvider, forwarded, listCrmConnections } from '@mailproof/shared-types';
import type { CrmConnectionStore } from '../domain/crm/connections/crm-connection.ts';
import { crmConnectionAnswer } from './crm-connection-answer.ts';

export function listCrmConnectionsRoute(
  guard: Guard<unknown>,
  { list }: Pick<CrmConnectionStore, 'list'>,
  providers: readonly CrmProvider[],
): Route {
  return route(forwarded(listCrmConnections), guard, async ({ params: { accountId } }) => ({
    connections: (await list(accountId)).map(crmConnectionAnswer),
    providers: [...providers],
  }));
}
