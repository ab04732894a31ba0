import type { OperationClient, Route } from '@mailproof/service-kit';
import type { SessionGuard } from '../http/guards/session-guard.ts';

export interface ListsOptions {
  readonly sessionGuard: SessionGuard;
  readonly enginePeer: OperationClient;
  readonly dispatcherPeer: OperationClient;
}

/**
 * Lists that are validated, and what leaves for somebody else's system: operations that the validation engine and the
 * webhook dispatcher answer whole (ADR 0028).
 */
export function composeLists(_options: ListsOptions): { readonly routes: readonly Route[] } {
  return {
    routes: [],
  };
}
