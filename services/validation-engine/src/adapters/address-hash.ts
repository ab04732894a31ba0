import { createHmac, createSecretKey } from 'node:crypto';
import type { EmailAddress } from '@mailproof/shared-types';

/**
 * Keyed hashes in place of addresses and domains: who reads what is kept can neither list them nor, without the key,
 * look one up.
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
    ofAddress: ({ normalised }) => hash(normalised),
    // No address begins with @, so that no domain has the hash of an address.
    ofDomain: ({ domain }) => hash(`@${domain.ascii}`),
  };
}
