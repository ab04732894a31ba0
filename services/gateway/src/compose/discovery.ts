import type { OperationClient, Route } from '@mailproof/service-kit';
import {
  deleteProfileProvider,
  getProfileProvider,
  putProfileProvider,
  testProfileProvider,
} from '@mailproof/shared-types';
import { forwardedRoute } from '../http/forwarded-route.ts';
import type { SessionGuard } from '../http/guards/session-guard.ts';

export interface DiscoveryOptions {
  readonly sessionGuard: SessionGuard;
  readonly enrichmentPeer: OperationClient;
}

/** Profiles and leads: operations that the enrichment service answers whole (ADR 0028). */
export function composeDiscovery({ sessionGuard, enrichmentPeer }: DiscoveryOptions): {
  readonly routes: readonly Route[];
} {
  return {
    routes: [
      forwardedRoute(getProfileProvider, sessionGuard, enrichmentPeer),
      forwardedRoute(putProfileProvider, sessionGuard, enrichmentPeer),
      forwardedRoute(deleteProfileProvider, sessionGuard, enrichmentPeer),
      forwardedRoute(testProfileProvider, sessionGuard, enrichmentPeer),
    ],
  };
}
