import { inTransaction, traceParent } from '@mailproof/service-kit';
import type { AccountId } from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import { type DeletionStore, deletionJobs } from '../../domain/accounts/delete-account.ts';
import { accountTables } from './account-tables.ts';

const pageMax = 1_000;

/**
 * The other services are asked again after this time, when uploads, grants and other requests that ran during the
 * deletion have ended.
 */
const askAgainAfterMs = 86_400_000;

/** Deletions on Postgres; a deletion commits together with its jobs. */
export function createDeletionStore(pool: Pool): DeletionStore {
  return {
    delete: (accountId, accountName, at) =>
      inTransaction(pool, async client => {
        // A transaction that adds data to the account waits for this lock, and then finds no account.
        const { rows } = await client.query<{ name: string }>(
          'SELECT name FROM account WHERE account_id = $1 FOR UPDATE',
          [accountId],
        );
        const [account] = rows;
        if (account?.name !== accountName) {
          return account ? 'nameDiffers' : 'gone';
        }
        await deleteRows(client, accountId);
        await askOthers(client, accountId, at);
        return 'deleted';
      }),

    repeat: (accountId, at) =>
      inTransaction(pool, async client => {
        await client.query('SELECT 1 FROM account WHERE account_id = $1 FOR UPDATE', [accountId]);
        await deleteRows(client, accountId);
        await askOthers(client, accountId, at);
      }),

    async *list() {
      for (let after = ''; ; ) {
        const { rows } = await pool.query<{ account_id: AccountId; deleted_at: Date }>(
          `SELECT account_id, deleted_at FROM account_deletion
           WHERE account_id > $1 ORDER BY account_id LIMIT ${pageMax}`,
          [after],
        );
        yield* rows.map(row => ({ accountId: row.account_id, deletedAt: row.deleted_at }));
        const last = rows.at(-1);
        if (!last) {
          return;
        }
        after = last.account_id;
      }
    },

    async markDone(accountId, part, at) {
      await pool.query(`UPDATE account_deletion SET ${part}_at = $2 WHERE account_id = $1`, [accountId, at]);
    },
  };
}

async function deleteRows(client: PoolClient, accountId: AccountId): Promise<void> {
  // Every transaction locks users before the rows that they own; another order could deadlock.
  await client.query('SELECT 1 FROM app_user WHERE account_id = $1 ORDER BY user_id FOR NO KEY UPDATE', [
    accountId,
  ]);
  for (const { table, ofAccount, whenDeleted } of accountTables) {
    if (whenDeleted === 'deleted') {
      await client.query(`DELETE FROM ${table} WHERE ${ofAccount}`, [accountId]);
    }
  }
}

async function askOthers(client: PoolClient, accountId: AccountId, at: Date): Promise<void> {
  await client.query(
    'INSERT INTO account_deletion (account_id, deleted_at) VALUES ($1, $2) ON CONFLICT DO NOTHING',
    [accountId, at],
  );
  await client.query(
    `INSERT INTO outbox (job_type, payload, due_at, trace_parent)
     SELECT job_type, jsonb_build_object('accountId', $1::text), now() + make_interval(secs => wait_ms / 1000.0), $4
     FROM unnest($2::text[]) AS job_type, unnest(ARRAY[0, $3::int]) AS wait_ms`,
    [accountId, Object.values(deletionJobs).map(({ name }) => name), askAgainAfterMs, traceParent()],
  );
}
