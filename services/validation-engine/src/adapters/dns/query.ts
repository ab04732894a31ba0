import { randomInt } from 'node:crypto';
import { type Answer, encode, type RecordType as PacketType, RECURSION_DESIRED } from 'dns-packet';
import { normaliseName } from './name.ts';
import type { RecordType } from './record-lookup.ts';

/** A question as it goes over the wire, and what its answer has to repeat. */
export interface Query {
  /** Lower-case, without a final dot. */
  readonly name: string;
  readonly type: RecordType;
  readonly id: number;
  readonly octets: Buffer;
  /** Name, type and class, which the answer repeats. */
  readonly question: Buffer;
}

export const headerOctets = 12;

/** dns-packet reads and writes a type that it has no name for as bare RDATA. */
export const packetTypes: Readonly<Record<RecordType, string>> = {
  A: 'A',
  AAAA: 'AAAA',
  MX: 'MX',
  TXT: 'TXT',
  OPENPGPKEY: 'UNKNOWN_61',
  SMIMEA: 'UNKNOWN_53',
};

/** The greatest datagram that crosses any path whole: fragments get lost and are easy to forge (RFC 9715 section 3.2). */
const datagramOctetsMax = 1_232;

const edns: Answer = {
  name: '.',
  type: 'OPT',
  udpPayloadSize: datagramOctetsMax,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
};

/** Asks with a random identifier, which who answers blindly would have to guess (RFC 5452 section 9.2). */
export function createQuery(name: string, type: RecordType, hasEdns: boolean): Query {
  const id = randomInt(0x1_0000);
  const plain = normaliseName(name);
  const octets = encode({
    type: 'query',
    id,
    flags: RECURSION_DESIRED,
    questions: [{ name: plain, type: packetTypes[type] as PacketType, class: 'IN' }],
    additionals: hasEdns ? [edns] : [],
  });
  // Every label has its length before it and the root after it; type and class are two octets each.
  const questionEnd = headerOctets + plain.length + 2 + 4;
  return { name: plain, type, id, octets, question: octets.subarray(headerOctets, questionEnd) };
}
