import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';

/** Shorter prefixes would cover more than any private network, and at worst the whole internet. */
const prefixLengthMin = { ipv4: 8, ipv6: 7 } as const;

/** Ranges of private addresses that may be contacted anyway, for example in labs. */
export const privateRanges = z
  .string()
  .optional()
  .transform(text => (text === undefined ? [] : listOf(text)))
  .refine(
    ranges => ranges.every(range => ipaddr.isValidCIDR(range)),
    'must be a comma-separated list of CIDR ranges',
  )
  .refine(
    ranges => ranges.filter(range => ipaddr.isValidCIDR(range)).every(isNarrow),
    'must not name a range wider than /8 for IPv4 or /7 for IPv6, since everything in it may be contacted',
  );

/** Names of address ranges that Express knows. */
const namedRanges: ReadonlySet<string> = new Set(['loopback', 'linklocal', 'uniquelocal']);

/** Proxies that are trusted to report the client's address, in the form of Express's `trust proxy`. */
export const proxyList = z
  .string()
  .default('')
  .transform(listOf)
  .refine(
    entries =>
      entries.every(entry => namedRanges.has(entry) || ipaddr.isValid(entry) || ipaddr.isValidCIDR(entry)),
    'must be a comma-separated list of addresses, CIDR ranges, loopback, linklocal or uniquelocal',
  );

function isNarrow(range: string): boolean {
  const [network, prefixLength] = ipaddr.parseCIDR(range);
  return prefixLength >= prefixLengthMin[network.kind()];
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map(part => part.trim())
    .filter(Boolean);
}

const entryForm = /^([\w.-]{1,64}):([A-Za-z0-9+/]{43}=)$/;
const keyOctets = 32;

/**
 * A ring of key-encryption keys: comma-separated `kid:base64` entries, the current key first. Error messages contain no
 * part of it.
 */
export const keyRing = z.string().transform((text, context) => {
  const entries = text.split(',').map(entry => entryForm.exec(entry.trim()));
  const keys = entries.flatMap(match => {
    const [, kid, base64] = match ?? [];
    const key = base64 === undefined ? undefined : new Uint8Array(Buffer.from(base64, 'base64'));
    return kid !== undefined && key?.length === keyOctets ? [{ kid, key }] : [];
  });
  const [first, ...others] = keys;
  if (!first || keys.length < entries.length) {
    context.addIssue({
      code: 'custom',
      message: `must be a comma-separated list of kid:key, each key ${keyOctets} octets in base64`,
    });
    return z.NEVER;
  }
  if (new Set(keys.map(({ kid }) => kid)).size < keys.length) {
    context.addIssue({ code: 'custom', message: 'must name each kid once' });
    return z.NEVER;
  }
  return [first, ...others] as const;
});

/** Reads the certificates themselves: composing needs no file system, and a missing file prevents startup. */
export const caFile = z
  .string()
  .optional()
  .transform(path => (path === undefined ? undefined : readCertificates(path)))
  .refine(pem => pem !== '', 'must be a readable certificate file in PEM format');

function readCertificates(path: string): string {
  try {
    const pem = readFileSync(path, 'utf8');
    new X509Certificate(pem);
    return pem;
  } catch {
    return '';
  }
}
