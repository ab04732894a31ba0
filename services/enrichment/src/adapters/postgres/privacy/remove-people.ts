import type { PoolClient } from 'pg';

/**
 * Deletes people within a transaction that holds the lock of the store, with all that hangs on them, and notes their
 * removal for copies in memory. Answers how many there were.
 */
export async function removePeople(
  client: PoolClient,
  personNos: readonly number[],
  now: Date,
): Promise<number> {
  if (personNos.length === 0) {
    return 0;
  }
  const { rowCount } = await client.query(
    `WITH removed AS (DELETE FROM person WHERE person_no = ANY ($1) RETURNING person_no)
     INSERT INTO removed_record (person_no, removed_at) SELECT person_no, $2 FROM removed`,
    [personNos, now],
  );
  return rowCount ?? 0;
}
