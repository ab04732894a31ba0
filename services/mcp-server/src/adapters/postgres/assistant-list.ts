import {
  type AccountId,
  type AssistantId,
  limits,
  type OauthScope,
  oauthScopeNames,
  type UserId,
} from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { ListAssistants } from '../../domain/assistant-list.ts';

/** The host that a row names; the migration says what can follow it. */
export const redirectHost = "split_part(redirect_host, ' ', 1)";

interface AssistantRow {
  readonly assistant_id: AssistantId;
  readonly account_id: AccountId;
  readonly user_id: UserId;
  readonly client_name: string;
  readonly host: string;
  /** Of all its grants, separated by spaces. */
  readonly scopes: string;
  readonly user_agent: string;
  readonly connected_at: Date;
  readonly last_used_at: Date | null;
}

const ofNewest = (column: string) => `(array_agg(${column} ORDER BY assistant_id DESC))[1] AS ${column}`;

/**
 * One row for the grants of one client in one browser. A grant without a known browser is a row of its own. An expired
 * grant is no longer connected, although the sweep may not have deleted it yet.
 */
const list = `
  SELECT max(assistant_id) AS assistant_id, account_id, user_id, ${ofNewest('client_name')}, ${redirectHost} AS host,
    string_agg(array_to_string(scopes, ' '), ' ') AS scopes, ${ofNewest('user_agent')},
    max(connected_at) AS connected_at, max(last_used_at) AS last_used_at
  FROM assistant
  WHERE account_id = $1 AND ($2::text IS NULL OR user_id = $2) AND expires_at > $3
  GROUP BY account_id, user_id, client_id, host, coalesce(encode(device_sha256, 'hex'), assistant_id)
  ORDER BY connected_at DESC, assistant_id DESC LIMIT ${limits.assistantsListedMax}`;

export function createListAssistants(pool: Pool): ListAssistants {
  return async (accountId, userId, now) => {
    const { rows } = await pool.query<AssistantRow>(list, [accountId, userId ?? null, now]);
    return rows.map(row => ({
      assistantId: row.assistant_id,
      accountId: row.account_id,
      userId: row.user_id,
      clientName: row.client_name,
      redirectHost: row.host,
      scopes: knownScopes(row.scopes),
      userAgent: row.user_agent,
      connectedAt: row.connected_at,
      lastUsedAt: row.last_used_at ?? undefined,
    }));
  };
}

/** A newer release may have granted scopes that this one does not know. */
function knownScopes(granted: string): readonly OauthScope[] {
  const names = new Set(granted.split(' '));
  return oauthScopeNames.filter(name => names.has(name));
}
