import type { AccountId } from '@mailproof/shared-types';
import { CompactEncrypt, compactDecrypt, decodeProtectedHeader } from 'jose';
import { parseApiKey } from '../../domain/keys/api-key.ts';
import { type KeySealer, SealFault } from '../../domain/keys/key-sealer.ts';

/** One key-encryption key of the ring. */
export interface RingKey {
  readonly kid: string;
  readonly key: Uint8Array;
}

/** The ring: the first key seals, all of them open. */
export type KeyRing = readonly [RingKey, ...RingKey[]];

/** What tells a sealed API key from anything else that the ring may seal one day. */
const sealedType = 'mailproof-api-key';
const algorithms = { alg: 'A256GCMKW', enc: 'A256GCM' } as const;

/**
 * Seals API keys as compact JWE (RFC 7516). Account and type stand in the protected header, which is authenticated
 * along with the content, so that a copy that was moved to another account is found out.
 */
export function createKeySealer(ring: KeyRing): KeySealer {
  const keys = new Map(ring.map(({ kid, key }) => [kid, key]));
  const [current] = ring;
  return {
    currentKid: current.kid,
    async seal(apiKey, accountId) {
      const sealedKey = await new CompactEncrypt(new TextEncoder().encode(apiKey))
        .setProtectedHeader({ ...algorithms, kid: current.kid, typ: sealedType, sub: accountId })
        .encrypt(current.key);
      return { sealedKey, kid: current.kid };
    },
    async open(sealedKey, accountId) {
      const key = keys.get(kidOf(sealedKey) ?? '');
      if (!key) {
        throw new SealFault('unknown_kid', `No key of the ring opens the sealed API key of ${accountId}.`);
      }
      const { plaintext, protectedHeader } = await decrypt(sealedKey, key, accountId);
      if (protectedHeader.typ !== sealedType || protectedHeader['sub'] !== accountId) {
        throw new SealFault(
          'not_authentic',
          `The sealed API key of ${accountId} was made for something else.`,
        );
      }
      const apiKey = parseApiKey(new TextDecoder().decode(plaintext));
      if (!apiKey) {
        throw new SealFault('not_authentic', `What was sealed for ${accountId} is no API key.`);
      }
      return apiKey;
    },
  };
}

async function decrypt(sealedKey: string, key: Uint8Array, accountId: AccountId) {
  try {
    return await compactDecrypt(sealedKey, key, {
      keyManagementAlgorithms: [algorithms.alg],
      contentEncryptionAlgorithms: [algorithms.enc],
    });
  } catch (cause) {
    throw new SealFault('not_authentic', `The sealed API key of ${accountId} was changed.`, { cause });
  }
}

function kidOf(sealedKey: string): string | undefined {
  try {
    return decodeProtectedHeader(sealedKey).kid;
  } catch {
    return undefined;
  }
}
