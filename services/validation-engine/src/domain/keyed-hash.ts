import { createHmac } from 'node:crypto';

/** Hashes that nobody without the key can make, look up or foresee; short enough for a name. */
export function keyedHash(key: Uint8Array): (text: string) => string {
  return text => createHmac('sha256', key).update(text).digest('base64url').slice(0, hashCharacters);
}

/** 192 bits. */
const hashCharacters = 32;
