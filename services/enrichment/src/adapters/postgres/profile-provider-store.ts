import { inTransaction, resealColumn, type Sealer } from '@mailproof/service-kit';
import type { AccountId, ProviderFailure } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type {
  ProfileProvider,
  ProfileProviderStore,
} from '../../domain/profile-provider/profile-provider.ts';

interface ProviderRow {
  readonly account_id: AccountId;
  readonly settings: ProfileProvider['settings'];
  readonly sealed_secrets: string | null;
  readonly updated_at: Date;
  readonly last_success_at: Date | null;
  readonly last_failure_at: Date | null;
  readonly last_failure: ProviderFailure | null;
  readonly last_failure_status: number | null;
}

export function createProfileProviderStore(pool: Pool): ProfileProviderStore {
  return {
    async find(accountId) {
      const { rows } = await pool.query<ProviderRow>('SELECT * FROM profile_provider WHERE account_id = $1', [
        accountId,
      ]);
      return rows[0] && providerOf(rows[0]);
    },
    put: ({ accountId, settings, sealedSecrets, updatedAt }) =>
      inTransaction(pool, async client => {
        await client.query(
          `INSERT INTO profile_provider (account_id, settings, sealed_secrets, updated_at) VALUES ($1, $2, $3, $4)
           ON CONFLICT (account_id) DO UPDATE SET settings = $2, sealed_secrets = $3, updated_at = $4,
             last_success_at = NULL, last_failure_at = NULL, last_failure = NULL, last_failure_status = NULL`,
          [accountId, JSON.stringify(settings), sealedSecrets, updatedAt],
        );
        await client.query('DELETE FROM provider_answer WHERE account_id = $1', [accountId]);
      }),
    remove: accountId =>
      inTransaction(pool, async client => {
        const { rowCount } = await client.query('DELETE FROM profile_provider WHERE account_id = $1', [
          accountId,
        ]);
        await client.query('DELETE FROM provider_answer WHERE account_id = $1', [accountId]);
        return (rowCount ?? 0) > 0;
      }),
    async noteSuccess({ accountId, updatedAt, lastSuccessAt, lastFailure }, at) {
      // Once a minute is enough to show that it works; otherwise each answer would write the same row.
      if (lastFailure === null && lastSuccessAt !== null && at.getTime() < lastSuccessAt.getTime() + 60_000) {
        return;
      }
      await pool.query(
        `UPDATE profile_provider SET last_success_at = $3, last_failure = NULL, last_failure_status = NULL
         WHERE account_id = $1 AND updated_at = $2`,
        [accountId, updatedAt, at],
      );
    },
    async noteFailure({ accountId, updatedAt }, { reason, status }, at) {
      await pool.query(
        `UPDATE profile_provider SET last_failure_at = $3, last_failure = $4, last_failure_status = $5
         WHERE account_id = $1 AND updated_at = $2`,
        [accountId, updatedAt, at, reason, status],
      );
    },
  };
}

function providerOf(row: ProviderRow): ProfileProvider {
  const { last_failure: reason, last_failure_at: at, last_failure_status: status } = row;
  return {
    accountId: row.account_id,
    settings: row.settings,
    sealedSecrets: row.sealed_secrets,
    updatedAt: row.updated_at,
    lastSuccessAt: row.last_success_at,
    lastFailure: reason !== null && at !== null ? { reason, status, at } : null,
  };
}

/** Reseals the providers' secrets under the ring's first key. Returns the number of secrets to reseal. */
export function resealProviderSecrets(pool: Pool, sealer: Sealer): Promise<number> {
  return resealColumn(pool, sealer, {
    table: 'profile_provider',
    subject: 'account_id',
    column: 'sealed_secrets',
  });
}
