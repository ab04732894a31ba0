import { type Route, route } from '@mailproof/service-kit';
import { signOutEverywhere } from '@mailproof/shared-types';
import { noSessionCookie } from './guards/cookies.ts';
import type { SessionGuard } from './guards/session-guard.ts';
import { type SignedInRequest, signedInRequest } from './signed-in-request.ts';

export function signOutEverywhereRoute(
  guard: SessionGuard,
  endAll: (request: SignedInRequest) => Promise<number>,
): Route {
  return route(signOutEverywhere, guard(signOutEverywhere), async (_input, context) => {
    const ended = await endAll(signedInRequest(context));
    context.setHeader('set-cookie', noSessionCookie);
    return { ended };
  });
}
