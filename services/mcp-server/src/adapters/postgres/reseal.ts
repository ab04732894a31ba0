import type { Sealer } from '@mailproof/service-kit';
import { decodeProtectedHeader } from 'jose';
import type { Pool } from 'pg';
import { sql } from './oauth.sql.ts';

/** The sealer of each sealed column. */
export interface ColumnSealers {
  readonly signingKey: Sealer;
  readonly client: Sealer;
  readonly refreshToken: Sealer;
}

export interface Resealing {
  readonly resealed: number;
  /** How many rows no key of the ring opens. */
  readonly failed: number;
}

const rowsAtOnce = 200;

/** Reseals everything that is not sealed with the ring's first key. It can be interrupted and rerun. */
export async function reseal(pool: Pool, sealers: ColumnSealers): Promise<Resealing> {
  const done = [
    await resealColumn<string>(
      sealers.signingKey,
      after => sql.sealed_signing_keys(pool, { after, rows_max: rowsAtOnce }),
      change => sql.reseal_signing_key(pool, change),
    ),
    await resealColumn<string>(
      sealers.client,
      after => sql.sealed_clients(pool, { after, rows_max: rowsAtOnce }),
      change => sql.reseal_client(pool, change),
    ),
    await resealColumn<Buffer>(
      sealers.refreshToken,
      after => sql.sealed_refresh_tokens(pool, { after, rows_max: rowsAtOnce }),
      change => sql.reseal_refresh_token(pool, change),
    ),
  ];
  return {
    resealed: done.reduce((total, { resealed }) => total + resealed, 0),
    failed: done.reduce((total, { failed }) => total + failed, 0),
  };
}

async function resealColumn<Key extends string | Buffer>(
  sealer: Sealer,
  read: (after: Key | undefined) => Promise<{ readonly rows: readonly { key: Key; sealed: string }[] }>,
  write: (change: { key: Key; sealed: string; resealed: string }) => Promise<{ rowCount: number | null }>,
): Promise<Resealing> {
  let resealed = 0;
  let failed = 0;
  let after: Key | undefined;
  for (;;) {
    const { rows } = await read(after);
    for (const { key, sealed } of rows) {
      const subject = subjectOf(key);
      if (decodeProtectedHeader(sealed).kid === sealer.currentKid) {
        continue;
      }
      try {
        const text = await sealer.open(sealed, subject);
        const { rowCount } = await write({ key, sealed, resealed: await sealer.seal(text, subject) });
        resealed += rowCount ?? 0;
      } catch {
        failed += 1;
      }
    }
    const last = rows.at(-1);
    if (!last || rows.length < rowsAtOnce) {
      return { resealed, failed };
    }
    after = last.key;
  }
}

/** The subject that a row was sealed for: its key, with a hash in hexadecimal. */
function subjectOf(key: string | Buffer): string {
  return typeof key === 'string' ? key : key.toString('hex');
}
