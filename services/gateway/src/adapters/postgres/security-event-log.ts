import { onlyRow } from '@mailproof/service-kit';
import type { AccountId, SecurityEventKind, UserId } from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import type {
  RecordedSecurityEvent,
  SecurityEvent,
  SecurityEventLog,
} from '../../domain/users/security-event.ts';
import { sql } from './users.sql.ts';

export function createSecurityEventLog(pool: Pool): SecurityEventLog {
  return {
    async record(event) {
      await writeSecurityEvent(pool, event);
    },

    async list(accountId, { before, limit }) {
      const { rows } = await sql.list_security_events(pool, {
        account_id: accountId,
        before,
        rows_max: limit,
      });
      return rows.map(row => ({
        securityEventId: Number(row.security_event_id),
        accountId: row.account_id as AccountId,
        ...(row.user_id !== null && { userId: row.user_id as UserId }),
        kind: row.kind as SecurityEventKind,
        at: row.at,
        client: { network: row.client_network, userAgent: row.user_agent },
        details: row.details as NonNullable<RecordedSecurityEvent['details']>,
      }));
    },

    async sweep(olderThan) {
      await sql.sweep_security_events(pool, { older_than: olderThan });
    },
  };
}

/** Records an event and returns its number; given a transaction's connection, as part of that transaction. */
export async function writeSecurityEvent(
  database: Pool | PoolClient,
  { accountId, userId, kind, at, client, details = {} }: SecurityEvent,
): Promise<string> {
  const event = sql.write_security_event(database, {
    account_id: accountId,
    user_id: userId,
    kind,
    at,
    network: client.network,
    user_agent: client.userAgent,
    details: JSON.stringify(details),
  });
  return (await onlyRow(event)).security_event_id;
}
