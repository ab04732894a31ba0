import { type Route, route } from '@mailproof/service-kit';
import { getSession } from '@mailproof/shared-types';
import type { SessionGuard } from './guards/session-guard.ts';
import { signedInAnswer } from './signed-in-answer.ts';

export function getSessionRoute(guard: SessionGuard): Route {
  return route(getSession, guard(getSession), async (_input, { caller }) => signedInAnswer(caller));
}
