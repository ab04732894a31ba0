import type { Pool } from 'pg';
import type { Sealer } from './sealer.ts';

/** Rows that are looked at together. */
const pageMax = 200;

/** A column of sealed texts, in a table that has a row for each subject. */
export interface SealedColumn {
  readonly table: string;
  /** The table's key, which is what each text was sealed for. */
  readonly subject: string;
  readonly column: string;
}

/**
 * Seals anew, under the ring's first key, whatever another key of it sealed, so that the other one can be taken out after
 * a round. What no key opens is left as it is; whoever needs it is told then. Answers how many were sealed.
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
      const anew = await sealer.reseal(row.sealed, row.subject);
      if (anew !== undefined) {
        // Only what is still as it was read: whoever has written it meanwhile has sealed it already.
        const { rowCount } = await pool.query(
          `UPDATE ${table} SET ${column} = $3 WHERE ${subject} = $1 AND ${column} = $2`,
          [row.subject, row.sealed, anew],
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
