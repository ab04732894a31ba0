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
import { redirectHost } from './assistant-list.ts';
import { createEndAssistants } from './end-assistants.ts';
import { noteReceived } from './refresh-token-store.ts';

interface AssistantRow {
  readonly assistant_id: AssistantId;
  readonly account_id: AccountId;
  readonly user_id: UserId;
  readonly client_id: string;
  readonly scopes: OauthScope[];
  readonly connected_at: Date;
  readonly last_used_at: Date | null;
  readonly expires_at: Date;
  readonly is_first_sign: boolean;
}

// Everything in one statement, because it runs at each call.
const find = `
  SELECT assistant_id, account_id, user_id, client_id, scopes, connected_at, last_used_at, expires_at,
    EXISTS (SELECT FROM refresh_token WHERE token_sha256 = $3 AND received_at IS NULL) AS is_first_sign
  FROM assistant WHERE assistant_id = $1 AND expires_at > $2`;

// The migration says why the row's id follows the host.
const connect = `
  INSERT INTO assistant (assistant_id, account_id, user_id, client_id, client_name, redirect_host, scopes,
    connected_at, expires_at, device_sha256, user_agent)
  VALUES ($1, $2, $3, $4, $5, $6 || ' ' || $1, $7, $8, $9, decode($10, 'hex'), $11)`;

const endOverflow = (among: string) => `
  DELETE FROM assistant WHERE assistant_id IN (
    SELECT assistant_id FROM assistant WHERE user_id = $1 AND assistant_id <> $2 AND ${among}
    ORDER BY coalesce(last_used_at, connected_at) DESC, assistant_id DESC OFFSET $3)`;
const endOverflowOfUser = endOverflow('true');
const endOverflowInBrowser = endOverflow(
  `client_id = $4 AND ${redirectHost} = $5 AND device_sha256 = decode($6, 'hex')`,
);

const noteClient = 'UPDATE oauth_client SET connected_at = $2 WHERE client_id = $1';

// Calls that come at once in a new minute write it once.
const noteUse = `
  UPDATE assistant SET last_used_at = date_trunc('minute', $2::timestamptz)
  WHERE assistant_id = $1 AND (last_used_at IS NULL OR last_used_at < date_trunc('minute', $2::timestamptz))`;

export function createAssistantStore(pool: Pool, now: () => Date): AssistantStore {
  const endAssistants = createEndAssistants(pool);
  async function findRow(assistantId: AssistantId, refresh?: Buffer): Promise<AssistantRow | undefined> {
    const { rows } = await pool.query<AssistantRow>({
      name: 'find-assistant',
      text: find,
      values: [assistantId, now(), refresh ?? null],
    });
    return rows[0];
  }
  return {
    async find({ assistantId, refreshSha256 }) {
      const row = await findRow(assistantId, refreshSha256 ? octetsOf(refreshSha256) : undefined);
      return (
        row && {
          ...assistantOf(row),
          receivedRefreshSha256: row.is_first_sign ? refreshSha256 : undefined,
        }
      );
    },

    async findGrant(assistantId) {
      const row = await findRow(assistantId);
      return row && assistantOf(row);
    },

    async noteUse({ assistantId, lastUsedAt, receivedRefreshSha256 }) {
      const at = now();
      if (receivedRefreshSha256) {
        await pool.query(noteReceived, [octetsOf(receivedRefreshSha256), at]);
      }
      if (lastUsedAt && minuteOf(lastUsedAt) >= minuteOf(at)) {
        return;
      }
      await pool.query({ name: 'note-assistant-use', text: noteUse, values: [assistantId, at] });
    },

    connect({ user, clientId, clientName, redirectHost: host, scopes, ...given }, assistantId, at) {
      const expiresAt = new Date(at.getTime() + lifetimes.firstExchangeSeconds * 1_000);
      const device = given.deviceSha256 ?? null;
      return inTransaction(pool, async client => {
        await client.query(connect, [
          assistantId,
          user.accountId,
          user.userId,
          clientId,
          clientName,
          host,
          scopes,
          at,
          expiresAt,
          device,
          given.userAgent,
        ]);
        const others = [user.userId, assistantId];
        const inBrowser = [...others, limits.grantsPerAssistantMax - 1, clientId, host, device];
        await client.query(endOverflowInBrowser, inBrowser);
        await client.query(endOverflowOfUser, [...others, limits.assistantsPerUserMax - 1]);
        await client.query(noteClient, [clientId, at]);
      });
    },

    end: async assistantId => (await endAssistants({ assistantId })) === 1,

    async sweep(at) {
      const { rowCount } = await pool.query('DELETE FROM assistant WHERE expires_at < $1', [at]);
      return rowCount ?? 0;
    },
  };
}

function octetsOf(sha256: string): Buffer {
  return Buffer.from(sha256, 'base64url');
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
