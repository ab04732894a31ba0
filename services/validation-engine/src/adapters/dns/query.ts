import { randomInt } from 'node:crypto';
import { type Answer, encode, type RecordType as PacketType, RECURSION_DESIRED } from 'dns-packet';
import type { RecordType } from './record-lookup.ts';

/** A query as sent, and the parts that its answer must repeat. */
export interface Query {
  /** In lower case, without a trailing dot. */
  readonly name: string;
  readonly type: RecordType;
  readonly id: number;
  readonly octets: Buffer;
  /** The name, type and class, which the answer repeats. */
  readonly question: Buffer;
}

export const headerOctets = 12;

/** dns-packet reads and writes types that it does not know as bare RDATA. */
export const packetTypes: Readonly<Record<RecordType, string>> = {
  A: 'A',
  AAAA: 'AAAA',
  MX: 'MX',
  TXT: 'TXT',
  OPENPGPKEY: 'UNKNOWN_61',
  SMIMEA: 'UNKNOWN_53',
};

/**
 * The largest datagram that crosses any path unfragmented: fragments get lost and are easy to forge (RFC 9715 section
 * 3.2).
 */
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

/** Creates a query with a random identifier, which a blind forger would have to guess (RFC 5452 section 9.2). */
export function createQuery(name: string, type: RecordType, hasEdns: boolean): Query {
  const id = randomInt(0x1_0000);
  const plain = normalizeName(name);
  const octets = encode({
    type: 'query',
    id,
    flags: RECURSION_DESIRED,
    questions: [{ name: plain, type: packetTypes[type] as PacketType, class: 'IN' }],
    additionals: hasEdns ? [edns] : [],
  });
  // Each label follows its length, and the root comes last; type and class are two octets each.
  const questionEnd = headerOctets + plain.length + 2 + 4;
  return { name: plain, type, id, octets, question: octets.subarray(headerOctets, questionEnd) };
}

/** Limits in octets (RFC 1035 section 2.3.4), counted in text form, without the root's dot. */
const labelOctetsMax = 63;
const nameOctetsMax = 253;

/** Printable ASCII except the backslash, which escapes octets that text cannot show. */
const plainText = /^[\x21-\x5b\x5d-\x7e]+$/;

/** Whether a name can be queried; some zones have MX records with names that cannot. */
export function isAskable(name: string): boolean {
  const plain = normalizeName(name);
  return (
    plain.length <= nameOctetsMax &&
    plainText.test(plain) &&
    plain.split('.').every(label => label.length >= 1 && label.length <= labelOctetsMax)
  );
}

/** Names are case-insensitive (RFC 4343). */
export function normalizeName(name: string): string {
  return name.replace(/\.$/, '').toLowerCase();
}

/**
 * Converts a name from a record to harmless text, because a name may contain any octet, and this one goes into answers
 * and logs. The root becomes the empty string, and octets that are not printable ASCII become `\DDD` (RFC 1035 section
 * 5.1).
 */
export function printableName(name: string): string {
  return name === '.' ? '' : name.replace(/[^\x21-\x5b\x5d-\x7e]/gu, escapeOctets);
}

function escapeOctets(character: string): string {
  return [...Buffer.from(character)].map(octet => `\\${String(octet).padStart(3, '0')}`).join('');
}
