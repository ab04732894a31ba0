import type { Sealer } from '@mailproof/service-kit';
import { decodeProtectedHeader } from 'jose';
import type { Pool } from 'pg';

/** A column whose texts are sealed, each for its row. */
export interface SealedColumn {
  readonly table: 'oauth_client' | 'refresh_token' | 'signing_key';
  readonly key: 'client_id' | 'token_sha256' | 'kid';
  readonly column: 'sealed_metadata' | 'sealed_token' | 'sealed_private_jwk';
  readonly sealer: Sealer;
}

export interface Resealing {
  readonly resealed: number;
  /** Rows that no key of the ring opens. */
  readonly failed: number;
}

const rowsAtOnce = 200;

/** Seals anew what is not sealed under the ring's first key. Can be broken off and run again. */
export async function reseal(pool: Pool, columns: readonly SealedColumn[]): Promise<Resealing> {
  let resealed = 0;
  let failed = 0;
  for (const column of columns) {
    const done = await resealColumn(pool, column);
    resealed += done.resealed;
    failed += done.failed;
  }
  return { resealed, failed };
}

async function resealColumn(pool: Pool, { table, key, column, sealer }: SealedColumn): Promise<Resealing> {
  const read = `SELECT ${key} AS key, ${column} AS sealed FROM ${table}
    WHERE $1::text IS NULL OR ${key}::text > $1 ORDER BY ${key}::text LIMIT ${rowsAtOnce}`;
  // Only what is still as it was read: a row that was written meanwhile is sealed under the newest key already.
  const write = `UPDATE ${table} SET ${column} = $3 WHERE ${key} = $1 AND ${column} = $2`;
  let resealed = 0;
  let failed = 0;
  let after: string | null = null;
  for (;;) {
    const { rows }: { rows: { key: string | Buffer; sealed: string }[] } = await pool.query(read, [after]);
    for (const row of rows) {
      const subject = subjectOf(row.key);
      if (decodeProtectedHeader(row.sealed).kid === sealer.currentKid) {
        continue;
      }
      try {
        const text = await sealer.open(row.sealed, subject);
        const { rowCount } = await pool.query(write, [row.key, row.sealed, await sealer.seal(text, subject)]);
        resealed += rowCount ?? 0;
      } catch {
        failed += 1;
      }
    }
    const last = rows.at(-1);
    if (!last || rows.length < rowsAtOnce) {
      return { resealed, failed };
    }
    after = textOf(last.key);
  }
}

/** What the row was sealed for: its key, a hash in hexadecimal. */
function subjectOf(key: string | Buffer): string {
  return typeof key === 'string' ? key : key.toString('hex');
}

/** As Postgres writes the key as text. */
function textOf(key: string | Buffer): string {
  return typeof key === 'string' ? key : `\\x${key.toString('hex')}`;
}
