import { inTransaction, onlyRow, type RowOf, type Sealer, SealFault } from '@mailproof/service-kit';
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
import { sql } from './crm.sql.ts';
import { openTokens, sealTokens } from './crm-token-store.ts';

type ConnectionRow = RowOf<typeof sql.find_connection>;
type RemovedRow = RowOf<typeof sql.remove_connection>;

/** The most connections that are removed at once. */
const removedAtOnceMax = 20;

export function createCrmConnectionStore(pool: Pool, sealer: Sealer): CrmConnectionStore {
  const removedOf = async (row: RemovedRow): Promise<RemovedConnection> => ({
    connection: connectionOf(row),
    tokens: await openTokens(sealer, row),
    isSharedWithOthers: row.is_shared,
  });
  return {
    async list(accountId) {
      const { rows } = await sql.list_connections(pool, { account_id: accountId });
      return rows.map(connectionOf);
    },
    async find(accountId, connectionId) {
      const wanted = { account_id: accountId, connection_id: connectionId };
      const { rows } = await sql.find_connection(pool, wanted);
      return rows[0] && connectionOf(rows[0]);
    },
    keep: (connection, tokens, connectionsMax) =>
      inTransaction(pool, async client => {
        const { accountId, provider, organizationId } = connection;
        const organization = { account_id: accountId, provider, organisation_id: organizationId };
        await sql.lock_connections(client, { account_id: accountId });
        const { rows: found } = await sql.find_connection_to(client, organization);
        const { connections } = await onlyRow(sql.count_connections(client, { account_id: accountId }));
        if (found.length === 0 && connections >= connectionsMax) {
          return undefined;
        }
        const connectionId = (found[0]?.connection_id as CrmConnectionId) ?? connection.connectionId;
        const kept = sql.keep_connection(client, {
          ...organization,
          connection_id: connectionId,
          organisation_name: connection.organizationName,
          api_base_url: connection.apiBaseUrl,
          connected_by: connection.connectedBy,
          connected_at: connection.connectedAt,
          sealed_tokens: await sealTokens(sealer, connectionId, tokens),
          access_ends_at: tokens.accessEndsAt,
        });
        return connectionOf(await onlyRow(kept));
      }),
    async remove(accountId, connectionId) {
      const removed = { account_id: accountId, connection_id: connectionId };
      const { rows } = await sql.remove_connection(pool, removed);
      return rows[0] && removedOf(rows[0]);
    },
    async removeOfAccount(accountId) {
      const some = { account_id: accountId, rows_max: removedAtOnceMax };
      const { rows } = await sql.remove_some_connections(pool, some);
      return Promise.all(rows.map(removedOf));
    },
  };
}

function connectionOf(row: ConnectionRow): CrmConnection {
  return {
    connectionId: row.connection_id as CrmConnectionId,
    accountId: row.account_id as AccountId,
    provider: row.provider as CrmProvider,
    organizationId: row.organisation_id,
    organizationName: row.organisation_name,
    connectedBy: row.connected_by as UserId,
    connectedAt: row.connected_at,
    lastUsedAt: row.last_used_at,
    fault: row.fault as CrmConnectionFault | null,
  };
}

/** The type with which verifiers are sealed. */
export const sealedCrmVerifierType = 'mailproof-crm-verifier';

export function createCrmSignInStore(pool: Pool, sealer: Sealer): CrmSignInStore {
  return {
    async add({ stateHash, accountId, userId, provider, verifier, expiresAt }, perAccountMax) {
      const sealed = await sealer.seal(verifier, stateHash);
      await inTransaction(pool, async client => {
        await sql.add_sign_in(client, {
          state_hash: stateHash,
          account_id: accountId,
          user_id: userId,
          provider,
          sealed_verifier: sealed,
          expires_at: expiresAt,
        });
        await sql.delete_sign_in_overflow(client, { account_id: accountId, kept_max: perAccountMax });
      });
    },
    async take({ stateHash, accountId, userId }, now) {
      const taken = { state_hash: stateHash, account_id: accountId, user_id: userId, now };
      const { rows } = await sql.take_sign_in(pool, taken);
      const [row] = rows;
      try {
        return (
          row && {
            provider: row.provider as CrmProvider,
            verifier: await sealer.open(row.sealed_verifier, stateHash),
          }
        );
      } catch (error) {
        if (error instanceof SealFault) {
          // The key ring was replaced within the last ten minutes; the user has to connect again.
          return undefined;
        }
        throw error;
      }
    },
    async deleteExpired(now) {
      await sql.delete_expired_sign_ins(pool, { now });
    },
    async deleteOfAccount(accountId) {
      await sql.delete_sign_ins(pool, { account_id: accountId });
    },
  };
}
