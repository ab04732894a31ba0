import ipaddr from 'ipaddr.js';
import { z } from 'zod';

/** Shorter prefixes would cover more than any private network does, and with it the whole internet at worst. */
const prefixLengthMin = { ipv4: 8, ipv6: 7 } as const;

/** Ranges of private addresses that may be contacted all the same, as in labs. */
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

/** Names that Express knows for ranges of addresses. */
const namedRanges: ReadonlySet<string> = new Set(['loopback', 'linklocal', 'uniquelocal']);

/** Proxies whose word on the client's address is believed, as Express's `trust proxy` takes them. */
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
