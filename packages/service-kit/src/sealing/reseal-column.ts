import type { Pool } from 'pg';
import type { Sealer } from './sealer.ts';

/** Rows per read. */
const pageMax = 200;

/** A column of sealed texts, in a table with one row per subject. */
export interface SealedColumn {
  readonly table: string;
  /** The table's key column, which holds the subject that each text was sealed for. */
  readonly subject: string;
  readonly column: string;
}

/**
 * Reseals texts under the ring's first key if another of its keys sealed them, so that the other keys can be removed
 * afterward. A text that no key opens is left unchanged and fails when it is next opened. Returns the number of
 * resealed texts.
 */
export async function resealColumn(
  pool: Pool,
  sealer: Sealer,
  { table, subject, column }: SealedColumn,
): Promise<number> {
  let resealed = 0;
  for (let after = ''; ; ) {
    const { rows } = await pool.query<{ subject: string; sealed: string }>(
      `SELECT ${subject} AS subject, ${column} AS sealed FROM ${table}
       WHERE ${subject} > $1 AND ${column} IS NOT NULL ORDER BY ${subject} LIMIT ${pageMax}`,
      [after],
    );
    for (const row of rows) {
      const sealedAgain = await sealer.reseal(row.sealed, row.subject);
      if (sealedAgain !== undefined) {
        // Only if unchanged since it was read: a concurrent writer has already used the current key.
        const { rowCount } = await pool.query(
          `UPDATE ${table} SET ${column} = $3 WHERE ${subject} = $1 AND ${column} = $2`,
          [row.subject, row.sealed, sealedAgain],
        );
        resealed += rowCount ?? 0;
      }
    }
    const last = rows.at(-1);
    if (!last) {
      return resealed;
    }
    after = last.subject;
  }
}
