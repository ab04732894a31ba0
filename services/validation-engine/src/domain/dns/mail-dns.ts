import type { Deadline } from '../concurrency/deadline.ts';

/** Why a query got no answer; none of these says anything about the name. */
export type DnsFailure = 'timeout' | 'servfail' | 'refused' | 'malformed';

/**
 * The DNS answer for a name and a type. NXDOMAIN (no such name, RFC 8020) and NODATA (no such type, RFC 2308 section
 * 2.2) are statements by the domain's owner; a failure states nothing.
 */
export type DnsAnswer<DnsRecord> =
  | ({ readonly kind: 'answer'; readonly records: readonly DnsRecord[] } & Lived)
  | ({ readonly kind: 'nxdomain' } & Lived)
  | ({ readonly kind: 'nodata' } & Lived)
  | { readonly kind: 'failure'; readonly failure: DnsFailure };

/** How long an answer may be cached, if known: from 5 seconds to an hour, or to 5 minutes for a negative answer. */
interface Lived {
  readonly ttlSeconds?: number;
}

export interface MxRecord {
  readonly preference: number;
  /** Empty for the root, which means "no mail host" (RFC 7505). */
  readonly exchange: string;
}

export type IpFamily = 4 | 6;

/** Queries the resolver; meets every deadline and never rejects. */
export interface MailDns {
  resolveMx(name: string, deadline: Deadline): Promise<DnsAnswer<MxRecord>>;
  resolveAddresses(name: string, family: IpFamily, deadline: Deadline): Promise<DnsAnswer<string>>;
}

/** Record types in which a domain publishes a key for one mailbox (RFC 7929, RFC 8162). */
export type KeyRecordType = 'OPENPGPKEY' | 'SMIMEA';

/** Queries that mail delivery does not need; meets every deadline and never rejects. */
export interface EvidenceDns {
  /** TXT records, each with its strings joined (RFC 7208 section 3.3). */
  resolveText(name: string, deadline: Deadline): Promise<DnsAnswer<string>>;
  /** The bare RDATA of each record. */
  resolveKey(name: string, type: KeyRecordType, deadline: Deadline): Promise<DnsAnswer<Uint8Array>>;
}
