import { inTransaction, type Sealer, SealFault } from '@mailproof/service-kit';
import type {
  AccountId,
  CrmConnectionFault,
  CrmConnectionId,
  CrmProvider,
  UserId,
} from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type {
  CrmConnection,
  CrmConnectionStore,
  CrmSignInStore,
  RemovedConnection,
} from '../../domain/crm/connections/crm-connection.ts';
import { openTokens, sealTokens } from './crm-token-store.ts';

/** A row of `crm_connection`, without its tokens. */
interface ConnectionRow {
  readonly connection_id: CrmConnectionId;
  readonly account_id: AccountId;
  readonly provider: CrmProvider;
  readonly organisation_id: string;
  readonly organisation_name: string;
  readonly connected_by: UserId;
  readonly connected_at: Date;
  readonly last_used_at: Date | null;
  readonly fault: CrmConnectionFault | null;
}

interface RemovedRow extends ConnectionRow {
  readonly sealed_tokens: string;
  readonly access_ends_at: Date | null;
  readonly is_shared: boolean;
}

const columns = `connection_id, account_id, provider, organisation_id, organisation_name, connected_by, connected_at,
  last_used_at, fault`;

/** The most connections that are removed at once. */
const removedAtOnceMax = 20;

/** Serializes concurrent connects of an account, so that they cannot exceed the limit together. */
const lockAccount = `SELECT pg_advisory_xact_lock(hashtextextended('crm_connection ' || $1, 0))`;

const known = `
  SELECT connection_id FROM crm_connection WHERE account_id = $1 AND provider = $2 AND organisation_id = $3`;

const count = 'SELECT count(*)::int AS connections FROM crm_connection WHERE account_id = $1';

const insert = `
  INSERT INTO crm_connection (connection_id, account_id, provider, organisation_id, organisation_name, api_base_url,
    connected_by, connected_at, sealed_tokens, access_ends_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
  ON CONFLICT (connection_id) DO UPDATE SET organisation_name = $5, api_base_url = $6, connected_by = $7,
    connected_at = $8, sealed_tokens = $9, access_ends_at = $10, fault = NULL, renewing_until = NULL,
    tokens_version = crm_connection.tokens_version + 1
  RETURNING ${columns}`;

const remove = (which: string) => `
  DELETE FROM crm_connection c WHERE ${which}
  RETURNING c.*, EXISTS (
    SELECT 1 FROM crm_connection o
    WHERE o.provider = c.provider AND o.organisation_id = c.organisation_id AND o.account_id <> c.account_id
  ) AS is_shared`;

export function createCrmConnectionStore(pool: Pool, sealer: Sealer): CrmConnectionStore {
  const removedOf = async (row: RemovedRow): Promise<RemovedConnection> => ({
    connection: connectionOf(row),
    tokens: await openTokens(sealer, row),
    isSharedWithOthers: row.is_shared,
  });
  return {
    async list(accountId) {
      const { rows } = await pool.query<ConnectionRow>(
        `SELECT ${columns} FROM crm_connection WHERE account_id = $1 ORDER BY connection_id DESC`,
        [accountId],
      );
      return rows.map(connectionOf);
    },
    async find(accountId, connectionId) {
      const { rows } = await pool.query<ConnectionRow>(
        `SELECT ${columns} FROM crm_connection WHERE account_id = $1 AND connection_id = $2`,
        [accountId, connectionId],
      );
      return rows[0] && connectionOf(rows[0]);
    },
    keep: (connection, tokens, connectionsMax) =>
      inTransaction(pool, async client => {
        const { accountId, provider, organizationId } = connection;
        await client.query(lockAccount, [accountId]);
        const { rows: found } = await client.query<{ connection_id: CrmConnectionId }>(known, [
          accountId,
          provider,
          organizationId,
        ]);
        const { rows: counted } = await client.query<{ connections: number }>(count, [accountId]);
        if (found.length === 0 && (counted[0]?.connections ?? 0) >= connectionsMax) {
          return undefined;
        }
        const connectionId = found[0]?.connection_id ?? connection.connectionId;
        const { rows } = await client.query<ConnectionRow>(insert, [
          connectionId,
          accountId,
          provider,
          organizationId,
          connection.organizationName,
          connection.apiBaseUrl,
          connection.connectedBy,
          connection.connectedAt,
          await sealTokens(sealer, connectionId, tokens),
          tokens.accessEndsAt,
        ]);
        return rows[0] && connectionOf(rows[0]);
      }),
    async remove(accountId, connectionId) {
      const { rows } = await pool.query<RemovedRow>(remove('c.account_id = $1 AND c.connection_id = $2'), [
        accountId,
        connectionId,
      ]);
      return rows[0] && removedOf(rows[0]);
    },
    async removeOfAccount(accountId) {
      const some = `SELECT connection_id FROM crm_connection WHERE account_id = $1 LIMIT ${removedAtOnceMax}`;
      const { rows } = await pool.query<RemovedRow>(
        remove(`c.account_id = $1 AND c.connection_id IN (${some})`),
        [accountId],
      );
      return Promise.all(rows.map(removedOf));
    },
  };
}

function connectionOf(row: ConnectionRow): CrmConnection {
  return {
    connectionId: row.connection_id,
    accountId: row.account_id,
    provider: row.provider,
    organizationId: row.organisation_id,
    organizationName: row.organisation_name,
    connectedBy: row.connected_by,
    connectedAt: row.connected_at,
    lastUsedAt: row.last_used_at,
    fault: row.fault,
  };
}

/** The type with which verifiers are sealed. */
export const sealedCrmVerifierType = 'mailproof-crm-verifier';

export function createCrmSignInStore(pool: Pool, sealer: Sealer): CrmSignInStore {
  return {
    async add({ stateHash, accountId, userId, provider, verifier, expiresAt }, perAccountMax) {
      const sealed = await sealer.seal(verifier, stateHash);
      await inTransaction(pool, async client => {
        await client.query(
          `INSERT INTO crm_sign_in (state_hash, account_id, user_id, provider, sealed_verifier, expires_at)
           VALUES ($1, $2, $3, $4, $5, $6)`,
          [stateHash, accountId, userId, provider, sealed, expiresAt],
        );
        await client.query(
          `DELETE FROM crm_sign_in WHERE state_hash IN (
             SELECT state_hash FROM crm_sign_in WHERE account_id = $1
             ORDER BY expires_at DESC, state_hash OFFSET $2)`,
          [accountId, perAccountMax],
        );
      });
    },
    async take({ stateHash, accountId, userId }, now) {
      const { rows } = await pool.query<{ provider: CrmProvider; sealed_verifier: string }>(
        `DELETE FROM crm_sign_in WHERE state_hash = $1 AND account_id = $2 AND user_id = $3 AND expires_at > $4
         RETURNING provider, sealed_verifier`,
        [stateHash, accountId, userId, now],
      );
      const [row] = rows;
      try {
        return row && { provider: row.provider, verifier: await sealer.open(row.sealed_verifier, stateHash) };
      } catch (error) {
        if (error instanceof SealFault) {
          // The key ring was replaced within the last ten minutes; the user has to connect again.
          return undefined;
        }
        throw error;
      }
    },
    async deleteExpired(now) {
      await pool.query('DELETE FROM crm_sign_in WHERE expires_at <= $1', [now]);
    },
    async deleteOfAccount(accountId) {
      await pool.query('DELETE FROM crm_sign_in WHERE account_id = $1', [accountId]);
    },
  };
}
