import { inTransaction, type RowOf, resealColumn, type Sealer } from '@mailproof/service-kit';
import type { AccountId, ProviderFailure } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type {
  ProfileProvider,
  ProfileProviderStore,
  ProviderSettings,
  ProviderSpend,
} from '../../domain/profile-provider/profile-provider.ts';
import { sql } from './profiles.sql.ts';

export function createProfileProviderStore(pool: Pool): ProfileProviderStore {
  return {
    async find(accountId) {
      const { rows } = await sql.find_provider(pool, { account_id: accountId });
      return rows[0] && providerOf(rows[0]);
    },
    put: ({ accountId, settings, sealedSecrets, updatedAt }) =>
      inTransaction(pool, async client => {
        await sql.put_provider(client, {
          account_id: accountId,
          settings: JSON.stringify(settings),
          sealed_secrets: sealedSecrets,
          now: updatedAt,
        });
        await sql.delete_provider_answers(client, { account_id: accountId });
      }),
    remove: accountId =>
      inTransaction(pool, async client => {
        const { rowCount } = await sql.delete_provider(client, { account_id: accountId });
        await sql.delete_provider_answers(client, { account_id: accountId });
        return (rowCount ?? 0) > 0;
      }),
    async noteSuccess({ accountId, updatedAt, lastSuccessAt, lastFailure }, at) {
      // Once a minute is enough to show that it works; otherwise each answer would write the same row.
      if (lastFailure === null && lastSuccessAt !== null && at.getTime() < lastSuccessAt.getTime() + 60_000) {
        return;
      }
      await sql.note_provider_success(pool, { account_id: accountId, updated_at: updatedAt, now: at });
    },
    async noteFailure({ accountId, updatedAt }, name, { reason, status }, at) {
      const values = { account_id: accountId, updated_at: updatedAt, now: at, reason, status, name };
      await sql.note_provider_failure(pool, values);
    },
    async spend(accountId, name, month, requestsMax) {
      const values = { account_id: accountId, name, month, requests_max: requestsMax };
      return ((await sql.spend_of_provider(pool, values)).rowCount ?? 0) > 0;
    },
  };
}

function providerOf(row: RowOf<typeof sql.find_provider>): ProfileProvider {
  const { last_failure_at: at, last_failure_status: status, last_failure_of: provider } = row;
  const reason = row.last_failure as ProviderFailure | null;
  return {
    accountId: row.account_id as AccountId,
    settings: withDefaults(row.settings as StoredSettings),
    sealedSecrets: row.sealed_secrets,
    updatedAt: row.updated_at,
    lastSuccessAt: row.last_success_at,
    lastFailure: reason !== null && at !== null ? { reason, status, at, provider } : null,
    spent: row.spent as unknown as ProviderSpend,
  };
}

/** Settings that the previous release stored lack what this one added. */
type StoredSettings = Omit<ProviderSettings, keyof typeof addedSettings | 'fallbacks'> &
  Partial<ProviderSettings>;

const addedSettings = { kinds: null, poll: null, requests_per_month: null, kept_hours: null };

function withDefaults(stored: StoredSettings): ProviderSettings {
  return { ...addedSettings, fallbacks: [], ...stored };
}

/** Reseals the providers' secrets under the ring's first key. Returns the number of secrets to reseal. */
export function resealProviderSecrets(pool: Pool, sealer: Sealer): Promise<number> {
  return resealColumn(pool, sealer, {
    table: 'profile_provider',
    subject: 'account_id',
    column: 'sealed_secrets',
  });
}

/** Counts queries of the operator's providers: false, and nothing counted, if the budget of the month is spent. */
export function createOperatorSpend(pool: Pool) {
  return async (name: string, month: string, requestsMax: number): Promise<boolean> =>
    ((await sql.spend_of_operator(pool, { name, month, requests_max: requestsMax })).rowCount ?? 0) > 0;
}
