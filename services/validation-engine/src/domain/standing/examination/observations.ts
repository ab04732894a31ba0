import type { HostAddresses } from '../../dns/find-mail-hosts.ts';
import type { DnsAnswer, MxRecord } from '../../dns/mail-dns.ts';
import type { SmtpFailure } from '../../smtp/connection.ts';
import type { BlockList } from './block-lists.ts';

/** What was observed, without any judgment. */
export interface Observations {
  readonly resolvers: readonly ResolverSeen[];
  readonly greetings: readonly DomainSeen[];
  readonly publicAddress: PublicAddressSeen;
  readonly ehloName: NameSeen | undefined;
  /** Undefined if no public address is known. */
  readonly reverse: ReverseSeen | undefined;
  /** Undefined if they were not to be asked, or if no public address is known. */
  readonly blockLists: readonly BlockListSeen[] | undefined;
}

/** How one name server answered for the MX records of a domain. */
export interface ResolverSeen {
  readonly server: string;
  readonly domain: string;
  readonly answer: DnsAnswer<MxRecord>;
  readonly elapsedMs: number;
}

/** The result of waiting for a greeting from the hosts of a domain. */
export interface DomainSeen {
  readonly domain: string;
  /** Empty if no host could be looked up. */
  readonly hosts: readonly HostSeen[];
}

export type HostSeen =
  | {
      readonly kind: 'greeted';
      readonly host: string;
      readonly code: number;
      readonly text: string;
      readonly elapsedMs: number;
      /** Our address as the host sees it, if it says so. */
      readonly clientAddress: string | undefined;
    }
  | { readonly kind: 'not_greeted'; readonly host: string; readonly failure: SmtpFailure }
  /** The host has no address, or none that may be contacted. */
  | { readonly kind: 'not_contacted'; readonly host: string };

export type PublicAddressSeen =
  | { readonly kind: 'given'; readonly address: string }
  /** As mail hosts see us; several if they disagree. */
  | { readonly kind: 'echoed'; readonly addresses: readonly string[]; readonly hosts: readonly string[] }
  | { readonly kind: 'unknown' };

export interface NameSeen {
  readonly name: string;
  readonly addresses: HostAddresses;
}

/** The names of an address, and the addresses that each of them resolves to. */
export interface ReverseSeen {
  readonly address: string;
  readonly names: DnsAnswer<string>;
  readonly forward: readonly NameSeen[];
}

export interface BlockListSeen {
  readonly list: BlockList;
  /** What the list says about our address. */
  readonly own: DnsAnswer<string>;
  /** What it says about the entry that every list must have (RFC 5782 section 5). */
  readonly test: DnsAnswer<string>;
}
