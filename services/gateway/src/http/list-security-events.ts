import { type Route, route } from '@mailproof/service-kit';
import { type AccountId, listSecurityEvents } from '@mailproof/shared-types';
import type { RecordedSecurityEvent } from '../domain/users/security-event.ts';
import type { SessionGuard } from './guards/session-guard.ts';
import { withOpenCursor, withSealedCursor } from './page-cursors.ts';

export function listSecurityEventsRoute(
  guard: SessionGuard,
  list: (
    accountId: AccountId,
    page: { before?: number; limit: number },
  ) => Promise<readonly RecordedSecurityEvent[]>,
): Route {
  return route(listSecurityEvents, guard(listSecurityEvents), async ({ query }, { caller }) => {
    const { cursor, limit } = await withOpenCursor(query, caller.cursors);
    // One more than the page has tells whether there is a next one.
    const found = await list(caller.account.accountId, {
      ...(cursor !== undefined && { before: Number(cursor) }),
      limit: limit + 1,
    });
    const events = found.slice(0, limit);
    const last = events.at(-1);
    const page = {
      events: events.map(({ kind, at, userId, client, details }) => ({
        kind,
        at: at.toISOString(),
        user_id: userId ?? null,
        client_network: client.network,
        user_agent: client.userAgent,
        details: { ...details },
      })),
      next_cursor: found.length > limit && last ? String(last.securityEventId) : undefined,
    };
    return withSealedCursor(page, caller.cursors);
  });
}
