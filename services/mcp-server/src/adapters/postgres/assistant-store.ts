import { inTransaction } from '@mailproof/service-kit';
import {
  type AccountId,
  type AssistantId,
  limits,
  type OauthScope,
  type UserId,
} from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { AssistantStore, ConnectedAssistant } from '../../domain/oauth/assistant-store.ts';
import { lifetimes } from '../../domain/oauth/lifetimes.ts';
import { createEndAssistants } from './end-assistants.ts';

interface AssistantRow {
  readonly assistant_id: AssistantId;
  readonly account_id: AccountId;
  readonly user_id: UserId;
  readonly client_id: string;
  readonly scopes: OauthScope[];
  readonly connected_at: Date;
  readonly last_used_at: Date | null;
  readonly expires_at: Date;
}

const find = `
  SELECT assistant_id, account_id, user_id, client_id, scopes, connected_at, last_used_at, expires_at
  FROM assistant WHERE assistant_id = $1 AND expires_at > $2`;

const connect = `
  INSERT INTO assistant AS kept (assistant_id, account_id, user_id, client_id, client_name, redirect_host, scopes,
    connected_at, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  ON CONFLICT (user_id, client_id, redirect_host) DO UPDATE SET
    account_id = EXCLUDED.account_id,
    client_name = EXCLUDED.client_name,
    scopes = ARRAY(SELECT DISTINCT unnest(kept.scopes || EXCLUDED.scopes) ORDER BY 1),
    expires_at = greatest(kept.expires_at, EXCLUDED.expires_at)
  RETURNING assistant_id`;

const endOverflow = `
  DELETE FROM assistant WHERE assistant_id IN (
    SELECT assistant_id FROM assistant WHERE user_id = $1 AND assistant_id <> $2
    ORDER BY coalesce(last_used_at, connected_at) DESC, assistant_id DESC OFFSET $3)`;

const noteClient = 'UPDATE oauth_client SET connected_at = $2 WHERE client_id = $1';

// Calls that come at once in a new minute write it once.
const noteUse = `
  UPDATE assistant SET last_used_at = date_trunc('minute', $2::timestamptz)
  WHERE assistant_id = $1 AND (last_used_at IS NULL OR last_used_at < date_trunc('minute', $2::timestamptz))`;

export function createAssistantStore(pool: Pool, now: () => Date): AssistantStore {
  const endAssistants = createEndAssistants(pool);
  async function findGrant(assistantId: AssistantId): Promise<ConnectedAssistant | undefined> {
    const { rows } = await pool.query<AssistantRow>({
      name: 'find-assistant',
      text: find,
      values: [assistantId, now()],
    });
    return rows[0] && assistantOf(rows[0]);
  }
  return {
    find: findGrant,
    findGrant,

    async noteUse({ assistantId, lastUsedAt }) {
      const at = now();
      if (lastUsedAt && minuteOf(lastUsedAt) >= minuteOf(at)) {
        return;
      }
      await pool.query({ name: 'note-assistant-use', text: noteUse, values: [assistantId, at] });
    },

    async findConnected({ user, clientId, redirectHost }) {
      const { rows } = await pool.query<{ assistant_id: AssistantId }>(
        'SELECT assistant_id FROM assistant WHERE user_id = $1 AND client_id = $2 AND redirect_host = $3',
        [user.userId, clientId, redirectHost],
      );
      return rows[0]?.assistant_id;
    },

    connect({ user, clientId, clientName, redirectHost, scopes }, assistantId, at) {
      const expiresAt = new Date(at.getTime() + lifetimes.firstExchangeSeconds * 1_000);
      return inTransaction(pool, async client => {
        const { rows } = await client.query<{ assistant_id: AssistantId }>(connect, [
          assistantId,
          user.accountId,
          user.userId,
          clientId,
          clientName,
          redirectHost,
          scopes,
          at,
          expiresAt,
        ]);
        const connected = rows[0]?.assistant_id ?? assistantId;
        await client.query(endOverflow, [user.userId, connected, limits.assistantsPerUserMax - 1]);
        await client.query(noteClient, [clientId, at]);
        return connected;
      });
    },

    end: async assistantId => (await endAssistants({ assistantId })) === 1,

    async sweep(at) {
      const { rowCount } = await pool.query('DELETE FROM assistant WHERE expires_at < $1', [at]);
      return rowCount ?? 0;
    },
  };
}

function minuteOf(moment: Date): number {
  return Math.floor(moment.getTime() / 60_000);
}

function assistantOf(row: AssistantRow): ConnectedAssistant {
  return {
    assistantId: row.assistant_id,
    accountId: row.account_id,
    userId: row.user_id,
    clientId: row.client_id,
    scopes: row.scopes,
    connectedAt: row.connected_at,
    lastUsedAt: row.last_used_at ?? undefined,
    expiresAt: row.expires_at,
  };
}
