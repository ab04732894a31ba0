import type { Guard, OperationClient, Route } from '@mailproof/service-kit';
import type { Pool } from 'pg';
import { createProfileKeeper } from '../adapters/peers/profile-keeper.ts';
import { createOptOutLinks } from '../adapters/postgres/opt-out-links.ts';
import { askOptOut, confirmOptOut, type OptOutPorts } from '../domain/opt-outs/opt-out.ts';
import type { Visitor } from '../domain/users/sign-in.ts';
import { confirmOptOutRoute } from '../http/confirm-opt-out.ts';
import { requestOptOutRoute } from '../http/request-opt-out.ts';

export interface OptOutsOptions {
  readonly pool: Pool;
  readonly enrichmentPeer: OperationClient;
  readonly visitorGuard: Guard<Visitor>;
  readonly mailing: Omit<OptOutPorts, 'links' | 'profiles'>;
}

/** People who ask to be left out. */
export function composeOptOuts(options: OptOutsOptions): { readonly routes: readonly Route[] } {
  const { pool, enrichmentPeer, visitorGuard, mailing } = options;
  const ports: OptOutPorts = {
    ...mailing,
    links: createOptOutLinks(pool),
    profiles: createProfileKeeper(enrichmentPeer),
  };
  return {
    routes: [
      requestOptOutRoute(visitorGuard, askOptOut.bind(undefined, ports)),
      confirmOptOutRoute(visitorGuard, confirmOptOut.bind(undefined, ports)),
    ],
  };
}
