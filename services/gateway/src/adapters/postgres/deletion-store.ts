import { inTransaction, tellWritten, traceParent } from '@mailproof/service-kit';
import { type AccountId, alignSubscriptionsJob } from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import { type DeletionStore, deletionJobs } from '../../domain/accounts/delete-account.ts';
import { accountTables } from './account-tables.ts';
import { sql } from './accounts.sql.ts';

const pageMax = 1_000;

/** Deletions on Postgres; a deletion commits together with its jobs. */
export function createDeletionStore(pool: Pool): DeletionStore {
  return {
    delete: (accountId, accountName, at) =>
      inTransaction(pool, async client => {
        // A transaction that adds data to the account waits for this lock, and then finds no account.
        const { rows } = await sql.lock_account(client, { account_id: accountId });
        const [account] = rows;
        if (account?.name !== accountName) {
          return account ? 'nameDiffers' : 'gone';
        }
        await deleteRows(client, accountId);
        await askOthers(client, accountId, at);
        if (account.stripe_customer_id !== null) {
          await endSubscriptions(client, accountId, account.stripe_customer_id);
        }
        return 'deleted';
      }),

    repeat: (accountId, at) =>
      inTransaction(pool, async client => {
        await sql.lock_account(client, { account_id: accountId });
        await deleteRows(client, accountId);
        await askOthers(client, accountId, at);
      }),

    async *list() {
      for (let after = ''; ; ) {
        const { rows } = await sql.list_deletions(pool, { after, rows_max: pageMax });
        yield* rows.map(row => ({ accountId: row.account_id as AccountId, deletedAt: row.deleted_at }));
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
  await sql.lock_users(client, { account_id: accountId });
  for (const { table, ofAccount, whenDeleted } of accountTables) {
    if (whenDeleted === 'deleted') {
      await client.query(`DELETE FROM ${table} WHERE ${ofAccount}`, [accountId]);
    }
  }
}

/** Without its account, a customer has no subscription. */
async function endSubscriptions(client: PoolClient, accountId: AccountId, customerId: string): Promise<void> {
  await sql.queue_job(client, {
    job_type: alignSubscriptionsJob.name,
    payload: JSON.stringify(alignSubscriptionsJob.payload.parse({ accountId, customerId })),
    trace_parent: traceParent(),
  });
}

async function askOthers(client: PoolClient, accountId: AccountId, at: Date): Promise<void> {
  await sql.record_deletion(client, { account_id: accountId, deleted_at: at });
  await sql.queue_deletion(client, {
    account_id: accountId,
    job_types: Object.values(deletionJobs).map(({ name }) => name),
    trace_parent: traceParent(),
  });
  tellWritten(client, 'outbox');
}
