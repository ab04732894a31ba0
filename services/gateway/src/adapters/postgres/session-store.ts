import { inTransaction } from '@mailproof/service-kit';
import { newId, type Role, type SessionId, type UserId } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { AccountDeleted } from '../../domain/accounts/account.ts';
import { hashSessionToken, type SessionLifetime, type SessionStore } from '../../domain/users/session.ts';
import { sql } from './access.sql.ts';
import { accountOf } from './account-store.ts';
import { queueDisconnectUser } from './assistant-store.ts';
import { writeSecurityEvent } from './security-event-log.ts';
import { holdUser } from './user-store.ts';

/** The most open sessions of one user. */
const sessionsPerUserMax = 50;

export function createSessionStore(pool: Pool, lifetime: SessionLifetime): SessionStore {
  const oldest = (now: Date) => ({
    idle_since: new Date(now.getTime() - lifetime.idleMs),
    started_since: new Date(now.getTime() - lifetime.absoluteMs),
  });
  return {
    async open({ userId, token, userAgent, now, passwordHash }) {
      const sessionId = newId('session');
      const { rowCount } = await sql.open_session(pool, {
        session_id: sessionId,
        user_id: userId,
        token_sha256: hashSessionToken(token),
        user_agent: userAgent,
        now,
        password_hash: passwordHash,
        others_max: sessionsPerUserMax - 1,
      });
      return rowCount === 1 ? sessionId : undefined;
    },

    async find(token, now) {
      const { rows } = await sql.find_session(pool, {
        token_sha256: hashSessionToken(token),
        now,
        ...oldest(now),
      });
      const [row] = rows;
      return (
        row && {
          userId: row.user_id as UserId,
          sessionId: row.session_id as SessionId,
          email: row.email,
          role: row.role as Role,
          account: accountOf(row),
        }
      );
    },

    async list(userId, now) {
      const { rows } = await sql.list_sessions(pool, { user_id: userId, ...oldest(now) });
      return rows.map(row => ({
        sessionId: row.session_id as SessionId,
        createdAt: row.created_at,
        lastSeenAt: row.last_seen_at,
        userAgent: row.user_agent,
      }));
    },

    async end(userId, sessionId) {
      const { rowCount } = await sql.end_session(pool, { user_id: userId, session_id: sessionId });
      return rowCount === 1;
    },

    async endByToken(token) {
      await sql.end_session_of_token(pool, { token_sha256: hashSessionToken(token) });
    },

    endAll: ({ userId, account: { accountId } }, from, now) =>
      inTransaction(pool, async client => {
        if (!(await holdUser(client, userId))) {
          throw new AccountDeleted(accountId);
        }
        const { rowCount } = await sql.end_sessions(client, { user_id: userId });
        const event = { accountId, userId, kind: 'signed_out_everywhere', at: now, client: from } as const;
        await writeSecurityEvent(client, event);
        await queueDisconnectUser(client, accountId, userId);
        return rowCount ?? 0;
      }),

    async sweep(now) {
      await sql.sweep_sessions(pool, oldest(now));
    },
  };
}
