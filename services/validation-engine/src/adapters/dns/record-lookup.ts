import type { Deadline } from '../../domain/concurrency/deadline.ts';
import type { DnsAnswer, KeyRecordType, MxRecord } from '../../domain/dns/mail-dns.ts';

/** The parsed form of each record type. */
export interface RecordContents extends Record<KeyRecordType, Uint8Array> {
  readonly A: string;
  readonly AAAA: string;
  readonly MX: MxRecord;
  readonly TXT: string;
}

export type RecordType = keyof RecordContents;

/**
 * Finds the records of a name; meets every deadline and never rejects. Both the client and its cache implement this.
 */
export interface RecordLookup {
  lookUp<Type extends RecordType>(
    name: string,
    type: Type,
    deadline: Deadline,
  ): Promise<DnsAnswer<RecordContents[Type]>>;
}
