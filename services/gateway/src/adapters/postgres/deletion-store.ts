import { inTransaction, traceParent } from '@mailproof/service-kit';
import {
  type AccountId,
  closeAccountCreditsJob,
  forgetAccountAssistantsJob,
  forgetAccountExportsJob,
  forgetAccountOutcomesJob,
  forgetAccountProfilesJob,
} from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import type { DeletionStore } from '../../domain/accounts/delete-account.ts';
import { accountTables } from './account-tables.ts';

const pageMax = 1_000;

/**
 * What was under way when the account went, such as an upload or a grant, has long come to its end after this time;
 * then the other services are asked again.
 */
const askAgainAfterMs = 86_400_000;

/** Deletions on Postgres; the jobs that follow from one are committed with it. */
export function createDeletionStore(pool: Pool): DeletionStore {
  return {
    delete: (accountId, accountName, at) =>
      inTransaction(pool, async client => {
        // Whoever adds something to the account waits for this, and then finds no account.
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
  // The people ahead of what is theirs, as every transaction takes them, or two could wait for each other for ever.
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
    [
      accountId,
      [
        closeAccountCreditsJob.name,
        forgetAccountOutcomesJob.name,
        forgetAccountAssistantsJob.name,
        forgetAccountProfilesJob.name,
        forgetAccountExportsJob.name,
      ],
      askAgainAfterMs,
      traceParent(),
    ],
  );
}
