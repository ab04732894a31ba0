import { inTransaction, type Sealer, SealFault } from '@mailproof/service-kit';
import type { CrmProvider } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { CrmSignInStore } from '../../domain/crm/connections/crm-connection.ts';

/** What seals verifiers is made for. */
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
          // The ring was changed within ten minutes; whoever connects begins once more.
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
