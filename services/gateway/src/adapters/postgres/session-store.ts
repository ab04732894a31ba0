import { inTransaction } from '@mailproof/service-kit';
import { type AccountId, newId, type Role, type SessionId, type UserId } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { AccountDeleted, planOf, rateOf } from '../../domain/accounts/account.ts';
import type { SignedIn } from '../../domain/accounts/signed-in.ts';
import { hashSessionToken, type SessionLifetime, type SessionStore } from '../../domain/users/session.ts';
import { holdUser } from './hold-user.ts';
import { queueDisconnectUser } from './queue-disconnect-user.ts';
import { writeSecurityEvent } from './security-event-log.ts';

/** The most open sessions of one user. */
const sessionsPerUserMax = 50;

interface SessionRow {
  readonly session_id: SessionId;
  readonly user_id: UserId;
  readonly email: string;
  readonly role: Role;
  readonly account_id: AccountId;
  readonly name: string;
  readonly plan: string;
  readonly requests_per_second: number | null;
}

const open = `
  WITH overflow AS (
    DELETE FROM session WHERE session_id IN (
      SELECT session_id FROM session WHERE user_id = $2
      ORDER BY last_seen_at DESC OFFSET ${sessionsPerUserMax - 1}))
  INSERT INTO session (session_id, user_id, token_sha256, user_agent, created_at, last_seen_at)
  SELECT $1, user_id, $3, $4, $5, $5 FROM app_user
  WHERE user_id = $2 AND password_hash = coalesce($6, password_hash)
  -- A change of password that runs at the same time is waited for, or waits and then ends this session.
  FOR SHARE`;

// The second statement writes only if a minute has passed since the last write.
const find = `
  WITH found AS (
    SELECT session_id, last_seen_at, user_id, email, role, account_id, name, plan, requests_per_second
    FROM session JOIN app_user USING (user_id) JOIN account USING (account_id)
    WHERE token_sha256 = $1 AND session.last_seen_at > $3 AND session.created_at > $4),
  noted AS (
    UPDATE session SET last_seen_at = $2 FROM found
    WHERE session.session_id = found.session_id AND found.last_seen_at < $2::timestamptz - interval '1 minute')
  SELECT * FROM found`;

export function createSessionStore(pool: Pool, lifetime: SessionLifetime): SessionStore {
  const idleSince = (now: Date) => new Date(now.getTime() - lifetime.idleMs);
  const startedSince = (now: Date) => new Date(now.getTime() - lifetime.absoluteMs);
  return {
    async open({ userId, token, userAgent, now, passwordHash }) {
      const sessionId = newId('session');
      const values = [sessionId, userId, hashSessionToken(token), userAgent, now, passwordHash ?? null];
      const { rowCount } = await pool.query(open, values);
      return rowCount === 1 ? sessionId : undefined;
    },

    async find(token, now) {
      const { rows } = await pool.query<SessionRow>({
        name: 'find-session',
        text: find,
        values: [hashSessionToken(token), now, idleSince(now), startedSince(now)],
      });
      return rows[0] && signedInOf(rows[0]);
    },

    async list(userId, now) {
      const { rows } = await pool.query<{
        session_id: SessionId;
        created_at: Date;
        last_seen_at: Date;
        user_agent: string;
      }>(
        `SELECT session_id, created_at, last_seen_at, user_agent FROM session
         WHERE user_id = $1 AND last_seen_at > $2 AND created_at > $3
         ORDER BY last_seen_at DESC, session_id`,
        [userId, idleSince(now), startedSince(now)],
      );
      return rows.map(row => ({
        sessionId: row.session_id,
        createdAt: row.created_at,
        lastSeenAt: row.last_seen_at,
        userAgent: row.user_agent,
      }));
    },

    async end(userId, sessionId) {
      const { rowCount } = await pool.query('DELETE FROM session WHERE user_id = $1 AND session_id = $2', [
        userId,
        sessionId,
      ]);
      return rowCount === 1;
    },

    async endByToken(token) {
      await pool.query('DELETE FROM session WHERE token_sha256 = $1', [hashSessionToken(token)]);
    },

    endAll: ({ userId, account: { accountId } }, from, now) =>
      inTransaction(pool, async client => {
        if (!(await holdUser(client, userId))) {
          throw new AccountDeleted(accountId);
        }
        const { rowCount } = await client.query('DELETE FROM session WHERE user_id = $1', [userId]);
        const event = { accountId, userId, kind: 'signed_out_everywhere', at: now, client: from } as const;
        await writeSecurityEvent(client, event);
        await queueDisconnectUser(client, accountId, userId);
        return rowCount ?? 0;
      }),

    async sweep(now) {
      await pool.query('DELETE FROM session WHERE last_seen_at < $1 OR created_at < $2', [
        idleSince(now),
        startedSince(now),
      ]);
    },
  };
}

function signedInOf(row: SessionRow): SignedIn {
  const plan = planOf(row.account_id, row.plan);
  return {
    userId: row.user_id,
    sessionId: row.session_id,
    email: row.email,
    role: row.role,
    account: {
      accountId: row.account_id,
      name: row.name,
      plan,
      requestsPerSecond: rateOf(plan, row.requests_per_second),
    },
  };
}
