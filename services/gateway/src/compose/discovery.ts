import type { OperationClient, Route } from '@mailproof/service-kit';
import type { SessionGuard } from '../http/guards/session-guard.ts';

export interface DiscoveryOptions {
  readonly sessionGuard: SessionGuard;
  readonly enrichmentPeer: OperationClient;
}

/** Profiles and leads: operations that the enrichment service answers whole (ADR 0028). */
export function composeDiscovery(_options: DiscoveryOptions): { readonly routes: readonly Route[] } {
  return { routes: [] };
}
