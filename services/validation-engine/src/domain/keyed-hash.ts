import { createHmac, createSecretKey } from 'node:crypto';

/** Hashes that nobody without the key can make, look up or foresee; short enough for a name. */
export function keyedHash(key: Uint8Array): (text: string) => string {
  // Made once: every hash of octets would make one again.
  const secret = createSecretKey(key);
  return text => createHmac('sha256', secret).update(text).digest('base64url').slice(0, hashCharacters);
}

/** 192 bits. */
const hashCharacters = 32;
