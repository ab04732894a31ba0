import { inTransaction, type RowOf } from '@mailproof/service-kit';
import {
  type AccountId,
  type AssistantId,
  limits,
  type OauthScope,
  oauthScopeNames,
  type UserId,
} from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { EndAssistants, ListAssistants } from '../../domain/assistant.ts';
import type { AssistantStore, ConnectedAssistant } from '../../domain/oauth/assistant-store.ts';
import { lifetimes } from '../../domain/oauth/lifetimes.ts';
import { sql } from './oauth.sql.ts';

type AssistantRow = RowOf<typeof sql.find_assistant>;

export function createAssistantStore(pool: Pool, now: () => Date): AssistantStore {
  const endAssistants = createEndAssistants(pool);
  async function findRow(assistantId: AssistantId, refresh?: Buffer): Promise<AssistantRow | undefined> {
    const { rows } = await sql.find_assistant(pool, {
      assistant_id: assistantId,
      now: now(),
      refresh_sha256: refresh,
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
        await sql.note_token_received(pool, { sha256: octetsOf(receivedRefreshSha256), now: at });
      }
      if (lastUsedAt && minuteOf(lastUsedAt) >= minuteOf(at)) {
        return;
      }
      await sql.note_assistant_use(pool, { assistant_id: assistantId, now: at });
    },

    connect({ user, clientId, clientName, redirectHost: host, scopes, ...given }, assistantId, at) {
      const others = { user_id: user.userId, kept_id: assistantId };
      const browser = { client_id: clientId, host, device_sha256: given.deviceSha256 };
      return inTransaction(pool, async client => {
        await sql.connect_assistant(client, {
          ...browser,
          assistant_id: assistantId,
          account_id: user.accountId,
          user_id: user.userId,
          client_name: clientName,
          scopes,
          now: at,
          expires_at: new Date(at.getTime() + lifetimes.firstExchangeSeconds * 1_000),
          user_agent: given.userAgent,
        });
        const inBrowserMax = limits.grantsPerAssistantMax - 1;
        await sql.end_overflow_in_browser(client, { ...others, ...browser, others_max: inBrowserMax });
        await sql.end_overflow_of_user(client, { ...others, others_max: limits.assistantsPerUserMax - 1 });
        await sql.note_client_connected(client, { client_id: clientId, now: at });
      });
    },

    end: async assistantId => (await endAssistants({ assistantId })) === 1,

    async sweep(at) {
      return (await sql.sweep_assistants(pool, { now: at })).rowCount ?? 0;
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
    assistantId: row.assistant_id as AssistantId,
    accountId: row.account_id as AccountId,
    userId: row.user_id as UserId,
    clientId: row.client_id,
    scopes: row.scopes as OauthScope[],
    connectedAt: row.connected_at,
    lastUsedAt: row.last_used_at ?? undefined,
    expiresAt: row.expires_at,
  };
}

export function createListAssistants(pool: Pool): ListAssistants {
  return async (accountId, userId, now) => {
    const { rows } = await sql.list_assistants(pool, {
      account_id: accountId,
      user_id: userId,
      now,
      assistants_max: limits.assistantsListedMax,
    });
    return rows.map(row => ({
      assistantId: row.assistant_id as AssistantId,
      accountId: row.account_id as AccountId,
      userId: row.user_id as UserId,
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

/** The one function that ends assistants (ADR 0027). */
export function createEndAssistants(pool: Pool): EndAssistants {
  return async which => {
    const assistantId = 'assistantId' in which ? which.assistantId : undefined;
    const listedAs = 'listedAs' in which ? which.listedAs : undefined;
    const { accountId, userId, connectedUntil } = which;
    if (assistantId === undefined && accountId === undefined) {
      throw new Error('Pass the assistant or the account whose assistants end.');
    }
    const { rowCount } = await sql.end_assistants(pool, {
      assistant_id: assistantId,
      account_id: accountId,
      user_id: userId,
      connected_until: connectedUntil,
      listed_as: listedAs,
    });
    return rowCount ?? 0;
  };
}
