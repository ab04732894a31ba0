import { type Route, route } from '@mailproof/service-kit';
import { signOut } from '@mailproof/shared-types';
import { noSessionCookie } from './guards/cookies.ts';
import type { SessionGuard } from './guards/session-guard.ts';
import { type SignedInRequest, signedInRequest } from './signed-in-request.ts';

export function signOutRoute(guard: SessionGuard, end: (request: SignedInRequest) => Promise<void>): Route {
  return route(signOut, guard(signOut), async (_input, context) => {
    await end(signedInRequest(context));
    context.setHeader('set-cookie', noSessionCookie);
    return { done: true as const };
  });
}
