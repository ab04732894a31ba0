import type { Deadline } from '../deadline.ts';
import type { DnsAnswer } from './mail-dns.ts';

/** Types of record in which a domain publishes a key for one mailbox (RFC 7929, RFC 8162). */
export type KeyRecordType = 'OPENPGPKEY' | 'SMIMEA';

/** Questions beyond the way of a mail; keeps every deadline and never rejects. */
export interface EvidenceDns {
  /** TXT records, each with its strings joined (RFC 7208 section 3.3). */
  resolveText(name: string, deadline: Deadline): Promise<DnsAnswer<string>>;
  /** The bare RDATA of each record. */
  resolveKey(name: string, type: KeyRecordType, deadline: Deadline): Promise<DnsAnswer<Uint8Array>>;
}
