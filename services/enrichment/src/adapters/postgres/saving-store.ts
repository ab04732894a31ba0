import type { Pool } from 'pg';
import type { SavingStore } from '../../domain/discovery/people-delivery.ts';
import type { Transaction } from './run-store.ts';

/**
 * Whoever is not in `person` is not saved: suppression is absence. The lock keeps people from being deleted between the
 * look and the insert.
 */
const save = `
  WITH present AS (
    SELECT person_no FROM person WHERE person_no = ANY($3::int[]) ORDER BY person_no FOR KEY SHARE
  ), saved AS (
    INSERT INTO saved_person (account_id, person_no, run_id) SELECT $1, person_no, $2 FROM present
    ON CONFLICT DO NOTHING RETURNING person_no
  ), listed AS (
    INSERT INTO saved_list_entry (list_id, person_no)
    SELECT list_id, person_no FROM saved, saved_list WHERE list_id = $4 AND account_id = $1
    ON CONFLICT DO NOTHING
  )
  SELECT count(*)::int AS saved FROM saved`;

const unsaved = `
  SELECT array(
    SELECT candidate FROM unnest($2::int[]) AS candidate
    WHERE NOT EXISTS (SELECT 1 FROM saved_person WHERE account_id = $1 AND person_no = candidate)
    ORDER BY candidate) AS numbers`;

/** People as runs save them. */
export function createSavingStore(pool: Pool): SavingStore<Transaction> {
  return {
    async savedNumbers(accountId) {
      const { rows } = await pool.query<{ numbers: number[] }>(
        'SELECT array(SELECT person_no FROM saved_person WHERE account_id = $1 ORDER BY person_no) AS numbers',
        [accountId],
      );
      return Int32Array.from(rows[0]?.numbers ?? []);
    },
    async unsavedOf(accountId, personNos) {
      const { rows } = await pool.query<{ numbers: number[] }>(unsaved, [accountId, personNos]);
      return rows[0]?.numbers ?? [];
    },
    async save(client, run, personNos) {
      const { rows } = await client.query<{ saved: number }>(save, [
        run.accountId,
        run.runId,
        personNos,
        run.listId,
      ]);
      return rows[0]?.saved ?? 0;
    },
    async countSaved(client, { accountId, runId }) {
      const { rows } = await client.query<{ saved: number }>(
        'SELECT count(*)::int AS saved FROM saved_person WHERE run_id = $2 AND account_id = $1',
        [accountId, runId],
      );
      return rows[0]?.saved ?? 0;
    },
  };
}
