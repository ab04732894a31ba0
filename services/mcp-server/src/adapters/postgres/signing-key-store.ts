import { inTransaction, type Sealer } from '@mailproof/service-kit';
import { newId } from '@mailproof/shared-types';
import { exportJWK, generateKeyPair } from 'jose';
import type { Pool, PoolClient } from 'pg';
import type { PrivateJwk, PublicJwk, SigningKey, SigningKeyStore } from '../../domain/oauth/signing-key.ts';
import { sql } from './oauth.sql.ts';

export function createSigningKeyStore(pool: Pool, sealer: Sealer): SigningKeyStore {
  async function save(on: Pool | PoolClient, now: Date, signsFrom: Date): Promise<SigningKey> {
    const privateJwk = await newPrivateJwk();
    const { d: _secret, ...publicJwk } = privateJwk;
    const { kid } = publicJwk;
    await sql.save_signing_key(on, {
      kid,
      public_jwk: JSON.stringify(publicJwk),
      sealed_private_jwk: await sealer.seal(JSON.stringify(privateJwk), kid),
      now,
      signs_from: signsFrom,
    });
    return { kid, publicJwk, createdAt: now, signsFrom };
  }

  return {
    async list() {
      const { rows } = await sql.list_signing_keys(pool, {});
      return rows.map(row => ({
        kid: row.kid,
        publicJwk: row.public_jwk as PublicJwk,
        createdAt: row.created_at,
        signsFrom: row.signs_from,
      }));
    },

    async privateJwk(kid) {
      const [row] = (await sql.find_private_key(pool, { kid })).rows;
      if (!row) {
        throw new Error(`The signing key ${kid} is gone.`);
      }
      return JSON.parse(await sealer.open(row.sealed_private_jwk, kid)) as PrivateJwk;
    },

    makeFirst(now) {
      return inTransaction(pool, async client => {
        await sql.lock_first_key(client, {});
        if ((await sql.list_signing_keys(client, {})).rows.length > 0) {
          return false;
        }
        await save(client, now, now);
        return true;
      });
    },

    make: (now, signsFrom) => save(pool, now, signsFrom),

    async remove(kids) {
      return (await sql.remove_signing_keys(pool, { kids })).rowCount ?? 0;
    },
  };
}

/** The key's name starts with a letter: operators type it, and it must not look like a command-line option. */
async function newPrivateJwk(): Promise<PrivateJwk> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(privateKey);
  const kid = newId('signingKey');
  return { ...jwk, kid, alg: 'ES256', use: 'sig' } as PrivateJwk;
}
