import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { KeyMode } from '@mailproof/shared-types';

/**
 * An API key: `mp_live_` (or `mp_test_` for a key of the sandbox), 30 random base62 digits (178 bits), and 6 digits of CRC-32 over everything before them. The
 * checksum lets us refuse a mistyped key without a database lookup; the prefix lets secret scanners find a leaked one.
 */
export type ApiKey = string & { readonly __apiKey: unique symbol };

const prefixes = { live: 'mp_live_', test: 'mp_test_' } as const satisfies Readonly<Record<KeyMode, string>>;
const randomDigits = 30;
const checksumDigits = 6;
/** Enough to tell keys apart in a list, far too few to guess one. */
const displayedDigits = 4;
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const form = new RegExp(
  `^(?:${Object.values(prefixes).join('|')})[0-9A-Za-z]{${randomDigits + checksumDigits}}$`,
);

export function generateApiKey(mode: KeyMode = 'live'): ApiKey {
  const prefix = prefixes[mode];
  const body = Array.from({ length: randomDigits }, () => base62[randomInt(base62.length)]).join('');
  return `${prefix}${body}${checksumOf(prefix + body)}` as ApiKey;
}

/** Returns the key if it is well-formed and its checksum is correct, and undefined otherwise. */
export function parseApiKey(text: string): ApiKey | undefined {
  return form.test(text) && checksumOf(text.slice(0, -checksumDigits)) === text.slice(-checksumDigits)
    ? (text as ApiKey)
    : undefined;
}

/** The hash that is stored in place of a key. */
export function hashApiKey(key: ApiKey): Buffer {
  return createHash('sha256').update(key).digest();
}

/** The first characters of a key, for lists. */
export function displayPrefixOf(key: ApiKey): string {
  return key.slice(0, prefixes.live.length + displayedDigits);
}

function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let count = 0; count < checksumDigits; count += 1) {
    digits = base62[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
