import type { Route } from '@mailproof/service-kit';

/** People searches, runs of both kinds, saved people and lists. */
export function composeDiscovery(): { readonly routes: readonly Route[] } {
  return { routes: [] };
}
