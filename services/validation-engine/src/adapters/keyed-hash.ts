import { createHmac, createSecretKey } from 'node:crypto';
import type { EmailAddress } from '@mailproof/shared-types';

/** 192 bits. */
const hashCharacters = 32;

/**
 * Replaces addresses and domains with keyed hashes: a reader of the stored data can neither list them nor, without the
 * key, look one up.
 */
export interface AddressHasher {
  ofAddress(email: EmailAddress): Buffer;
  ofDomain(email: EmailAddress): Buffer;
}

export function createAddressHasher(hashKey: Uint8Array): AddressHasher {
  // Made once: every hash of octets would make one again.
  const secret = createSecretKey(hashKey);
  const hash = (text: string) => createHmac('sha256', secret).update(text).digest();
  return {
    ofAddress: ({ normalized }) => hash(normalized),
    // No address begins with @, so a domain never has the hash of an address.
    ofDomain: ({ domain }) => hash(`@${domain.ascii}`),
  };
}

/**
 * Returns a hash function whose results cannot be computed, looked up or predicted without the key, and are short
 * enough for a name.
 */
export function keyedHash(key: Uint8Array): (text: string) => string {
  // Made once: every hash of octets would make one again.
  const secret = createSecretKey(key);
  return text => createHmac('sha256', secret).update(text).digest('base64url').slice(0, hashCharacters);
}
