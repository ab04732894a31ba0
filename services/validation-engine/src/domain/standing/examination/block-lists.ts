/**
 * The common block lists of addresses, asked by DNS (RFC 5782). Lists come and go: one that ends answers nothing, or
 * everything, and both show in its test entry.
 */
export interface BlockList {
  readonly zone: string;
  readonly name: string;
  /** Lists of IPv4 alone know nothing of IPv6 addresses. */
  readonly ipv6: boolean;
  /** Answers that speak of the question and not of the address. */
  readonly errorPrefix?: string;
  /** Where somebody who is listed may look it up and ask to be taken off. */
  readonly lookupUrl: string;
  /** Who may ask at all. */
  readonly terms: string;
}

export const blockLists: readonly BlockList[] = [
  {
    zone: 'zen.spamhaus.org',
    name: 'Spamhaus ZEN',
    ipv6: true,
    // 127.255.255.252 a misspelt zone, .254 a public resolver, .255 too many questions.
    errorPrefix: '127.255.255.',
    lookupUrl: 'https://check.spamhaus.org/',
    terms: 'Spamhaus answers no public or shared resolvers; ask through a resolver of your own.',
  },
  {
    zone: 'bl.spamcop.net',
    name: 'SpamCop',
    ipv6: false,
    lookupUrl: 'https://www.spamcop.net/bl.shtml',
    terms: 'SpamCop answers everybody; ask through another resolver.',
  },
  {
    zone: 'b.barracudacentral.org',
    name: 'Barracuda',
    ipv6: false,
    lookupUrl: 'https://www.barracudacentral.org/lookups',
    terms: 'Barracuda answers resolvers whose addresses are registered at barracudacentral.org.',
  },
];
