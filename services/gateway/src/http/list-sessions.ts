import { type Route, route } from '@mailproof/service-kit';
import { listSessions, type UserId } from '@mailproof/shared-types';
import type { ListedSession } from '../domain/users/session.ts';
import type { SessionGuard } from './guards/session-guard.ts';

export function listSessionsRoute(
  guard: SessionGuard,
  list: (userId: UserId) => Promise<readonly ListedSession[]>,
): Route {
  return route(listSessions, guard(listSessions), async (_input, { caller }) => ({
    sessions: (await list(caller.userId)).map(({ sessionId, createdAt, lastSeenAt, userAgent }) => ({
      session_id: sessionId,
      created_at: createdAt.toISOString(),
      last_seen_at: lastSeenAt.toISOString(),
      user_agent: userAgent,
      current: sessionId === caller.sessionId,
    })),
  }));
}
