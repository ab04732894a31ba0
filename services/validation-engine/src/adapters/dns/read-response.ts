import { type Answer, type DecodedPacket, decode } from 'dns-packet';
import type { DnsAnswer, DnsFailure } from '../../domain/dns/mail-dns.ts';
import { findRecords } from './find-records.ts';
import { negativeLifetime } from './lifetime.ts';
import { headerOctets, type Query } from './query.ts';
import type { RecordContents, RecordType } from './record-lookup.ts';

/** What a server's answer to one query comes to. */
export type Reading<Type extends RecordType = RecordType> =
  | DnsAnswer<RecordContents[Type]>
  /** The name is an alias (CNAME), and what it stands for has to be asked about. */
  | { readonly kind: 'alias'; readonly target: string; readonly ttlSeconds: number }
  /** Too long for a datagram: to be asked for over TCP (RFC 7766 section 5). */
  | { readonly kind: 'truncated' }
  /** What the server says who may not know EDNS (RFC 6891 section 7), and how it counts if that is not the reason. */
  | { readonly kind: 'perhaps_without_edns'; readonly failure: DnsFailure };

/** A hostile answer of 65,535 octets may hold thousands of records, whose names are each spread over all of it. */
const recordsMax = 512;

const formErr = 1;
const servFail = 2;
const nxDomain = 3;
const notImp = 4;
const refused = 5;
const badVersion = 16;

/** Said by some servers without repeating the question; none of it says anything about the name. */
const troubles: ReadonlySet<number> = new Set([formErr, servFail, notImp, refused]);

/** Reads the answer to a query; of anything else, which somebody may have forged, nothing (RFC 5452 section 9.1). */
export function readResponse<Type extends RecordType>(
  octets: Buffer,
  query: Query & { readonly type: Type },
): Reading<Type> | undefined {
  if (!isAnswerTo(octets, query)) {
    return undefined;
  }
  if ((octets.readUInt8(2) & 0x02) !== 0) {
    return { kind: 'truncated' };
  }
  try {
    if (countRecords(octets) > recordsMax) {
      return { kind: 'failure', failure: 'malformed' };
    }
    return readPacket(decode(octets), octets.readUInt8(3) & 0x0f, query);
  } catch {
    // dns-packet throws whatever comes of reading past the end, and says nothing that could be told apart.
    return { kind: 'failure', failure: 'malformed' };
  }
}

function readPacket<Type extends RecordType>(
  packet: DecodedPacket,
  basicCode: number,
  query: Query & { readonly type: Type },
): Reading<Type> {
  const code = basicCode + 16 * extendedCode(packet);
  switch (code) {
    case 0:
      return readStatement(packet, query);
    case nxDomain:
      return readMissing(packet, query);
    case refused:
      return { kind: 'failure', failure: 'refused' };
    case formErr:
      return { kind: 'perhaps_without_edns', failure: 'malformed' };
    case notImp:
      return { kind: 'perhaps_without_edns', failure: 'refused' };
    case badVersion:
      return { kind: 'perhaps_without_edns', failure: 'servfail' };
    default:
      // SERVFAIL, and codes for other errands than questions, which are the server's trouble as well.
      return { kind: 'failure', failure: 'servfail' };
  }
}

function readStatement<Type extends RecordType>(
  packet: DecodedPacket,
  query: Query & { readonly type: Type },
): Reading<Type> {
  const found = findRecords(packet.answers ?? [], query);
  if (found.kind !== 'alias' && found.kind !== 'nothing') {
    return found;
  }
  const authorities = packet.authorities ?? [];
  const soa = findSoa(authorities);
  if (soa !== undefined) {
    // The SOA record says that there is no more to be found, at the end of the aliases too (RFC 2308 section 2.2).
    return { kind: 'nodata', ttlSeconds: Math.min(negativeLifetime(soa), found.ttlSeconds) };
  }
  if (found.kind === 'alias') {
    return found;
  }
  if ((packet.answers ?? []).length > 0) {
    return { kind: 'failure', failure: 'malformed' };
  }
  // A referral to other servers looks like NODATA and says nothing about the name (RFC 2308 section 2.2).
  return authorities.some(({ type }) => type === 'NS')
    ? { kind: 'failure', failure: 'servfail' }
    : { kind: 'nodata', ttlSeconds: negativeLifetime(undefined) };
}

/** NXDOMAIN speaks of the name at the end of the aliases (RFC 6604 section 3), so it cannot come with its records. */
function readMissing(packet: DecodedPacket, query: Query): Reading<never> {
  const found = findRecords(packet.answers ?? [], query);
  if (found.kind !== 'alias' && found.kind !== 'nothing') {
    return { kind: 'failure', failure: 'malformed' };
  }
  const lifetime = negativeLifetime(findSoa(packet.authorities ?? []));
  return { kind: 'nxdomain', ttlSeconds: Math.min(lifetime, found.ttlSeconds) };
}

function findSoa(authorities: readonly Answer[]): { ttl: number; minimum: number } | undefined {
  for (const record of authorities) {
    if (record.type === 'SOA') {
      return { ttl: record.ttl ?? 0, minimum: record.data.minimum ?? 0 };
    }
  }
  return undefined;
}

/** The upper bits of the response code (RFC 6891 section 6.1.3). */
function extendedCode({ additionals = [] }: DecodedPacket): number {
  for (const record of additionals) {
    if (record.type === 'OPT') {
      return record.extendedRcode;
    }
  }
  return 0;
}

/** Compares octets, because decoded names could differ on the wire and be the same as text. */
function isAnswerTo(octets: Buffer, { id, question }: Query): boolean {
  if (octets.length < headerOctets || octets.readUInt16BE(0) !== id) {
    return false;
  }
  const flags = octets.readUInt16BE(2);
  const isResponse = (flags & 0xf800) === 0x8000;
  const questions = octets.readUInt16BE(4);
  if (!isResponse || questions > 1) {
    return false;
  }
  if (questions === 0) {
    return troubles.has(flags & 0x0f);
  }
  const repeated = octets.subarray(headerOctets, headerOctets + question.length);
  // Lengths, types and the class are no letters, so that only letters of the name are the same in either case.
  return repeated.toString('latin1').toLowerCase() === question.toString('latin1').toLowerCase();
}

function countRecords(octets: Buffer): number {
  return octets.readUInt16BE(6) + octets.readUInt16BE(8) + octets.readUInt16BE(10);
}
