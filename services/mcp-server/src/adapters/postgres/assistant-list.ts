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

interface AssistantRow {
  readonly assistant_id: AssistantId;
  readonly account_id: AccountId;
  readonly user_id: UserId;
  readonly client_name: string;
  readonly redirect_host: string;
  readonly scopes: readonly string[];
  readonly connected_at: Date;
  readonly last_used_at: Date | null;
}

/** One whose time is over is not connected any more, although it may still wait to be swept. */
const list = `
  SELECT assistant_id, account_id, user_id, client_name, redirect_host, scopes, connected_at, last_used_at
  FROM assistant
  WHERE account_id = $1 AND ($2::text IS NULL OR user_id = $2) AND expires_at > $3
  ORDER BY connected_at DESC, assistant_id DESC LIMIT ${limits.assistantsListedMax}`;

export function createListAssistants(pool: Pool): ListAssistants {
  return async (accountId, userId, now) => {
    const { rows } = await pool.query<AssistantRow>(list, [accountId, userId ?? null, now]);
    return rows.map(row => ({
      assistantId: row.assistant_id,
      accountId: row.account_id,
      userId: row.user_id,
      clientName: row.client_name,
      redirectHost: row.redirect_host,
      scopes: row.scopes.filter(isScope),
      connectedAt: row.connected_at,
      lastUsedAt: row.last_used_at ?? undefined,
    }));
  };
}

/** A newer release may have granted scopes that this one does not know. */
function isScope(name: string): name is OauthScope {
  return (oauthScopeNames as readonly string[]).includes(name);
}
