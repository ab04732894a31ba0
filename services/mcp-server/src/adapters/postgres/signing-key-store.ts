import { inTransaction, type Sealer } from '@mailproof/service-kit';
import { newId } from '@mailproof/shared-types';
import { exportJWK, generateKeyPair } from 'jose';
import type { Pool } from 'pg';
import type { PrivateJwk, PublicJwk, SigningKey, SigningKeyStore } from '../../domain/oauth/signing-key.ts';

interface SigningKeyRow {
  readonly kid: string;
  readonly public_jwk: PublicJwk;
  readonly created_at: Date;
  readonly signs_from: Date;
}

interface Queryable {
  query(text: string, values: unknown[]): Promise<unknown>;
}

/** Held while the first key is made, so that replicas that start together make one. */
const firstKeyLock = "SELECT pg_advisory_xact_lock(hashtextextended('mailproof first signing key', 0))";

export function createSigningKeyStore(pool: Pool, sealer: Sealer): SigningKeyStore {
  async function insert(queryable: Queryable, now: Date, signsFrom: Date): Promise<SigningKey> {
    const privateJwk = await newPrivateJwk();
    const { d: _secret, ...publicJwk } = privateJwk;
    const { kid } = publicJwk;
    await queryable.query(
      `INSERT INTO signing_key (kid, public_jwk, sealed_private_jwk, created_at, signs_from)
       VALUES ($1, $2, $3, $4, $5)`,
      [kid, JSON.stringify(publicJwk), await sealer.seal(JSON.stringify(privateJwk), kid), now, signsFrom],
    );
    return { kid, publicJwk, createdAt: now, signsFrom };
  }

  return {
    async list() {
      const { rows } = await pool.query<SigningKeyRow>(
        'SELECT kid, public_jwk, created_at, signs_from FROM signing_key ORDER BY signs_from DESC, kid',
      );
      return rows.map(row => ({
        kid: row.kid,
        publicJwk: row.public_jwk,
        createdAt: row.created_at,
        signsFrom: row.signs_from,
      }));
    },

    async privateJwk(kid) {
      const { rows } = await pool.query<{ sealed_private_jwk: string }>(
        'SELECT sealed_private_jwk FROM signing_key WHERE kid = $1',
        [kid],
      );
      const [row] = rows;
      if (!row) {
        throw new Error(`The signing key ${kid} is gone.`);
      }
      return JSON.parse(await sealer.open(row.sealed_private_jwk, kid)) as PrivateJwk;
    },

    makeFirst(now) {
      return inTransaction(pool, async client => {
        await client.query(firstKeyLock);
        const { rows } = await client.query('SELECT FROM signing_key LIMIT 1');
        if (rows.length > 0) {
          return false;
        }
        await insert(client, now, now);
        return true;
      });
    },

    make: (now, signsFrom) => insert(pool, now, signsFrom),

    async remove(kids) {
      const { rowCount } = await pool.query('DELETE FROM signing_key WHERE kid = ANY($1)', [kids]);
      return rowCount ?? 0;
    },
  };
}

/** Its name begins with a letter: operators type it, and an option it must not look like. */
async function newPrivateJwk(): Promise<PrivateJwk> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(privateKey);
  const kid = newId('signingKey');
  return { ...jwk, kid, alg: 'ES256', use: 'sig' } as PrivateJwk;
}
