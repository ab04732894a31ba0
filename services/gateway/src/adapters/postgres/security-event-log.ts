import type { AccountId, SecurityEventKind, UserId } from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import type {
  RecordedSecurityEvent,
  SecurityEvent,
  SecurityEventLog,
} from '../../domain/users/security-event.ts';

interface EventRow {
  readonly security_event_id: string;
  readonly account_id: AccountId;
  readonly user_id: UserId | null;
  readonly kind: SecurityEventKind;
  readonly at: Date;
  readonly client_network: string;
  readonly user_agent: string;
  readonly details: NonNullable<RecordedSecurityEvent['details']>;
}

export function createSecurityEventLog(pool: Pool): SecurityEventLog {
  return {
    async record(event) {
      await writeSecurityEvent(pool, event);
    },

    async list(accountId, { before, limit }) {
      const { rows } = await pool.query<EventRow>(
        `SELECT * FROM security_event
         WHERE account_id = $1 AND security_event_id < coalesce($2, 9223372036854775807)
         ORDER BY security_event_id DESC LIMIT $3`,
        [accountId, before ?? null, limit],
      );
      return rows.map(row => ({
        securityEventId: Number(row.security_event_id),
        accountId: row.account_id,
        ...(row.user_id !== null && { userId: row.user_id }),
        kind: row.kind,
        at: row.at,
        client: { network: row.client_network, userAgent: row.user_agent },
        details: row.details,
      }));
    },

    async sweep(olderThan) {
      await pool.query('DELETE FROM security_event WHERE at < $1', [olderThan]);
    },
  };
}

/** Records an event and returns its number; given a transaction's connection, as part of that transaction. */
export async function writeSecurityEvent(
  database: Pool | PoolClient,
  { accountId, userId, kind, at, client, details = {} }: SecurityEvent,
): Promise<string> {
  const { rows } = await database.query<{ security_event_id: string }>(
    `INSERT INTO security_event (account_id, user_id, kind, at, client_network, user_agent, details)
     VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING security_event_id`,
    [accountId, userId ?? null, kind, at, client.network, client.userAgent, details],
  );
  return rows[0]?.security_event_id ?? '';
}
