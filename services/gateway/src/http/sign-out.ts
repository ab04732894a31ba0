import { type Route, route } from '@mailproof/service-kit';
import { signOut } from '@mailproof/shared-types';
import { noSessionCookie } from './cookies.ts';
import type { SessionGuard, SignedInCaller } from './session-guard.ts';

export function signOutRoute(guard: SessionGuard, end: (caller: SignedInCaller) => Promise<void>): Route {
  return route(signOut, guard(signOut), async (_input, { caller, setHeader }) => {
    await end(caller);
    setHeader('set-cookie', noSessionCookie);
    return { done: true as const };
  });
}
