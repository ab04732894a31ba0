import { openIfPossible, resealColumn, type Sealer } from '@mailproof/service-kit';
import type { CrmConnectionFault, CrmConnectionId, CrmProvider } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { z } from 'zod';
import type { CrmTokenStore, CrmTokens } from '../../domain/crm/connections/crm-connection.ts';
import { sql } from './crm.sql.ts';

export function createCrmTokenStore(pool: Pool, sealer: Sealer): CrmTokenStore {
  return {
    async find(connectionId) {
      const { rows } = await sql.find_access(pool, { connection_id: connectionId });
      const [row] = rows;
      return (
        row && {
          provider: row.provider as CrmProvider,
          apiBaseUrl: row.api_base_url,
          fault: row.fault as CrmConnectionFault | null,
          lastUsedAt: row.last_used_at,
          version: row.tokens_version,
          tokens: await openTokens(sealer, row),
        }
      );
    },
    async lease(connectionId, version, leaseMs) {
      const wanted = { connection_id: connectionId, version, lease_ms: leaseMs };
      const { rowCount } = await sql.lease_renewal(pool, wanted);
      return rowCount === 1;
    },
    async release(connectionId, version) {
      await sql.release_renewal(pool, { connection_id: connectionId, version });
    },
    async replace(connectionId, version, tokens, apiBaseUrl) {
      const { rowCount } = await sql.replace_tokens(pool, {
        connection_id: connectionId,
        version,
        sealed_tokens: await sealTokens(sealer, connectionId, tokens),
        access_ends_at: tokens.accessEndsAt,
        api_base_url: apiBaseUrl,
      });
      if (rowCount === 1) {
        return 'replaced';
      }
      const { rows } = await sql.find_access(pool, { connection_id: connectionId });
      return rows.length === 0 ? 'gone' : 'superseded';
    },
    async noteFault(connectionId, version, fault) {
      await sql.note_connection_fault(pool, { connection_id: connectionId, version, fault });
    },
    async noteUse(connectionId, at) {
      await sql.note_connection_use(pool, { connection_id: connectionId, at });
    },
  };
}

/** The type with which tokens are sealed, so that data sealed for another purpose is not accepted as tokens. */
export const sealedCrmTokensType = 'mailproof-crm-tokens';

/** The sealed content. */
const sealedForm = z.object({ access: z.string(), refresh: z.string() });

interface SealedTokens {
  readonly connection_id: string;
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
  const text = await openIfPossible(sealer, row.sealed_tokens, row.connection_id);
  if (text === undefined) {
    return undefined;
  }
  const { access, refresh } = sealedForm.parse(JSON.parse(text));
  return { accessToken: access, refreshToken: refresh, accessEndsAt: row.access_ends_at };
}

/** Reseals the tokens of CRMs with the ring's first key. Returns how many needed it. */
export function resealCrmTokens(pool: Pool, sealer: Sealer): Promise<number> {
  return resealColumn(pool, sealer, {
    table: 'crm_connection',
    subject: 'connection_id',
    column: 'sealed_tokens',
  });
}
