import ipaddr from 'ipaddr.js';

/**
 * The common block lists of addresses, queried by DNS (RFC 5782). Lists come and go: a list that shuts down answers
 * nothing, or everything, and its test entry shows both.
 */
export interface BlockList {
  readonly zone: string;
  readonly name: string;
  /** Whether the list has IPv6 addresses; IPv4-only lists know nothing about them. */
  readonly ipv6: boolean;
  /** Prefix of answers that are about the query and not about the address. */
  readonly errorPrefix?: string;
  /** Where the owner of a listed address can look it up and request its removal. */
  readonly lookupUrl: string;
  /** Who may query the list. */
  readonly terms: string;
}

export const blockLists: readonly BlockList[] = [
  {
    zone: 'zen.spamhaus.org',
    name: 'Spamhaus ZEN',
    ipv6: true,
    // 127.255.255.252 is a misspelled zone, .254 a public resolver, .255 too many queries.
    errorPrefix: '127.255.255.',
    lookupUrl: 'https://check.spamhaus.org/',
    terms: 'Spamhaus does not answer public or shared resolvers; use your own resolver.',
  },
  {
    zone: 'bl.spamcop.net',
    name: 'SpamCop',
    ipv6: false,
    lookupUrl: 'https://www.spamcop.net/bl.shtml',
    terms: 'SpamCop answers every resolver; use another one.',
  },
  {
    zone: 'b.barracudacentral.org',
    name: 'Barracuda',
    ipv6: false,
    lookupUrl: 'https://www.barracudacentral.org/lookups',
    terms: 'Barracuda answers only resolvers whose addresses are registered at barracudacentral.org.',
  },
];

/** The labels under which DNS keeps facts about an address: octets or nibbles in reverse order (RFC 5782 section 2). */
export function reversedAddress(address: string): string {
  const ip = ipaddr.parse(address);
  const labels =
    ip.kind() === 'ipv4' ? ip.toByteArray().map(String) : [...Buffer.from(ip.toByteArray()).toString('hex')];
  return labels.reverse().join('.');
}

/** The entry that every list has, which shows whether the list answers (RFC 5782 section 5). */
export function testAddress(address: string): string {
  return address.includes(':') ? '::ffff:7f00:2' : '127.0.0.2';
}
