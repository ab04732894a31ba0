import type { RequestContext } from '@mailproof/service-kit';
import type { SignedInRequest } from '../domain/users/account-access.ts';
import type { SignedInCaller } from './guards/session-guard.ts';

export type { SignedInRequest };

/** A request of somebody who has signed in, as the domain takes it. */
export function signedInRequest({ caller, requestId }: RequestContext<SignedInCaller>): SignedInRequest {
  const { client, ...signedIn } = caller;
  return { signedIn, client, requestId };
}
