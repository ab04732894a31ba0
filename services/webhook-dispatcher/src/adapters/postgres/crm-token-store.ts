import { resealColumn, type Sealer, SealFault } from '@mailproof/service-kit';
import type { CrmConnectionFault, CrmConnectionId, CrmProvider } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { z } from 'zod';
import type { CrmTokenStore, CrmTokens } from '../../domain/crm/connections/crm-connection.ts';

interface AccessRow {
  readonly connection_id: CrmConnectionId;
  readonly provider: CrmProvider;
  readonly api_base_url: string;
  readonly fault: CrmConnectionFault | null;
  readonly last_used_at: Date | null;
  readonly tokens_version: number;
  readonly sealed_tokens: string;
  readonly access_ends_at: Date | null;
}

const find = `
  SELECT connection_id, provider, api_base_url, fault, last_used_at, tokens_version, sealed_tokens, access_ends_at
  FROM crm_connection WHERE connection_id = $1`;

const ofVersion = 'connection_id = $1 AND tokens_version = $2';

/** Uses the clock of Postgres: the clocks of machines differ, so two processes could hold the lease at once. */
const lease = `
  UPDATE crm_connection SET renewing_until = clock_timestamp() + make_interval(secs => $3 / 1000.0)
  WHERE ${ofVersion} AND (renewing_until IS NULL OR renewing_until < clock_timestamp())`;

const replace = `
  UPDATE crm_connection SET sealed_tokens = $3, access_ends_at = $4, api_base_url = $5, fault = NULL,
    renewing_until = NULL, tokens_version = tokens_version + 1
  WHERE ${ofVersion}`;

export function createCrmTokenStore(pool: Pool, sealer: Sealer): CrmTokenStore {
  return {
    async find(connectionId) {
      const { rows } = await pool.query<AccessRow>(find, [connectionId]);
      const [row] = rows;
      return (
        row && {
          provider: row.provider,
          apiBaseUrl: row.api_base_url,
          fault: row.fault,
          lastUsedAt: row.last_used_at,
          version: row.tokens_version,
          tokens: await openTokens(sealer, row),
        }
      );
    },
    async lease(connectionId, version, leaseMs) {
      const { rowCount } = await pool.query(lease, [connectionId, version, leaseMs]);
      return rowCount === 1;
    },
    async release(connectionId, version) {
      await pool.query(`UPDATE crm_connection SET renewing_until = NULL WHERE ${ofVersion}`, [
        connectionId,
        version,
      ]);
    },
    async replace(connectionId, version, tokens, apiBaseUrl) {
      const sealed = await sealTokens(sealer, connectionId, tokens);
      const { rowCount } = await pool.query(replace, [
        connectionId,
        version,
        sealed,
        tokens.accessEndsAt,
        apiBaseUrl,
      ]);
      if (rowCount === 1) {
        return 'replaced';
      }
      const { rows } = await pool.query<AccessRow>(find, [connectionId]);
      return rows.length === 0 ? 'gone' : 'superseded';
    },
    async noteFault(connectionId, version, fault) {
      await pool.query(
        `UPDATE crm_connection SET fault = $3, renewing_until = NULL WHERE ${ofVersion} AND fault IS NULL`,
        [connectionId, version, fault],
      );
    },
    async noteUse(connectionId, at) {
      await pool.query(
        `UPDATE crm_connection SET last_used_at = $2
         WHERE connection_id = $1 AND (last_used_at IS NULL OR last_used_at < $2)`,
        [connectionId, at],
      );
    },
  };
}

/** The type with which tokens are sealed, so that data sealed for another purpose is not accepted as tokens. */
export const sealedCrmTokensType = 'mailproof-crm-tokens';

/** The sealed content. */
const sealedForm = z.object({ access: z.string(), refresh: z.string() });

interface SealedTokens {
  readonly connection_id: CrmConnectionId;
  readonly sealed_tokens: string;
  readonly access_ends_at: Date | null;
}

/** Seals tokens for one connection, so that they cannot be moved to another connection's row. */
export function sealTokens(
  sealer: Sealer,
  connectionId: CrmConnectionId,
  { accessToken, refreshToken }: CrmTokens,
): Promise<string> {
  return sealer.seal(JSON.stringify({ access: accessToken, refresh: refreshToken }), connectionId);
}

/** Undefined if they cannot be opened, because their key is not in the ring or they were modified. */
export async function openTokens(sealer: Sealer, row: SealedTokens): Promise<CrmTokens | undefined> {
  try {
    const text = await sealer.open(row.sealed_tokens, row.connection_id);
    const { access, refresh } = sealedForm.parse(JSON.parse(text));
    return { accessToken: access, refreshToken: refresh, accessEndsAt: row.access_ends_at };
  } catch (error) {
    if (error instanceof SealFault) {
      return undefined;
    }
    throw error;
  }
}

/** Reseals the tokens of CRMs with the ring's first key. Returns how many needed it. */
export function resealCrmTokens(pool: Pool, sealer: Sealer): Promise<number> {
  return resealColumn(pool, sealer, {
    table: 'crm_connection',
    subject: 'connection_id',
    column: 'sealed_tokens',
  });
}
