import type { Deadline } from '../../domain/deadline.ts';
import type { KeyRecordType } from '../../domain/dns/evidence-dns.ts';
import type { DnsAnswer, MxRecord } from '../../domain/dns/mail-dns.ts';

/** What a record of each type is read into. */
export interface RecordContents extends Record<KeyRecordType, Uint8Array> {
  readonly A: string;
  readonly AAAA: string;
  readonly MX: MxRecord;
  readonly TXT: string;
}

export type RecordType = keyof RecordContents;

/** Finds the records of a name; keeps every deadline and never rejects. The client and its cache both do this. */
export interface RecordLookup {
  lookUp<Type extends RecordType>(
    name: string,
    type: Type,
    deadline: Deadline,
  ): Promise<DnsAnswer<RecordContents[Type]>>;
}
