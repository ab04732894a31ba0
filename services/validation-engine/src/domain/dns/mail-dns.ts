import type { Deadline } from '../deadline.ts';

/** Why a question to DNS has no answer, where that says nothing about the name. */
export type DnsFailure = 'timeout' | 'servfail' | 'refused' | 'malformed';

/**
 * What DNS says about a name and a type. NXDOMAIN (no such name, RFC 8020) and NODATA (no such type, RFC 2308
 * section 2.2) are statements of the domain's owner; a failure states nothing.
 */
export type DnsAnswer<DnsRecord> =
  | ({ readonly kind: 'answer'; readonly records: readonly DnsRecord[] } & Lived)
  | ({ readonly kind: 'nxdomain' } & Lived)
  | ({ readonly kind: 'nodata' } & Lived)
  | { readonly kind: 'failure'; readonly failure: DnsFailure };

/** How long a statement may be relied on, where that is known: from 5 seconds to an hour, or to 5 minutes for a "no". */
interface Lived {
  readonly ttlSeconds?: number;
}

export interface MxRecord {
  readonly preference: number;
  /** Empty for the root, which stands for "no mail host" (RFC 7505). */
  readonly exchange: string;
}

export type IpFamily = 4 | 6;

/** Asks the resolver; keeps every deadline and never rejects. */
export interface MailDns {
  resolveMx(name: string, deadline: Deadline): Promise<DnsAnswer<MxRecord>>;
  resolveAddresses(name: string, family: IpFamily, deadline: Deadline): Promise<DnsAnswer<string>>;
}
