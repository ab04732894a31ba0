import type { webcrypto } from 'node:crypto';
import { createSealer, keyRing } from '@mailproof/service-kit';
import { decodeProtectedHeader, importJWK, type JWK } from 'jose';
import { withAdministrator } from './dump.ts';
import type { ToolHouse } from './house.ts';

/** The server's current signing key, so that a test can create tokens that are wrong in only one respect. */
export interface SigningKey {
  readonly kid: string;
  readonly publicJwk: JWK;
  readonly privateKey: webcrypto.CryptoKey;
}

/** Opens the sealed key with the key ring from the tool server's settings. */
export async function openSigningKey(house: ToolHouse): Promise<SigningKey> {
  const { kid, public_jwk, sealed_private_jwk } = await withAdministrator(house, async client => {
    const { rows } = await client.query<{ kid: string; public_jwk: JWK; sealed_private_jwk: string }>(
      'SELECT kid, public_jwk, sealed_private_jwk FROM mcp.signing_key ORDER BY signs_from LIMIT 1',
    );
    const [row] = rows;
    if (!row) throw new Error('The server has no signing key.');
    return row;
  });
  const ring = keyRing.parse(house.house.environments['mcp-server']['OAUTH_ENCRYPTION_KEYS']);
  const { typ = '' } = decodeProtectedHeader(sealed_private_jwk);
  const privateJwk = JSON.parse(await createSealer(ring, typ).open(sealed_private_jwk, kid)) as JWK;
  const privateKey = await importJWK(privateJwk, 'ES256');
  if (privateKey instanceof Uint8Array) throw new Error('The signing key is no key pair.');
  return { kid, publicJwk: public_jwk, privateKey };
}
