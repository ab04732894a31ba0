import { isIPv4, isIPv6 } from 'node:net';
import { type Answer, type DecodedPacket, decode } from 'dns-packet';
import type { DnsAnswer, DnsFailure, MxRecord } from '../../domain/dns/mail-dns.ts';
import { headerOctets, normalizeName, packetTypes, printableName, type Query } from './query.ts';
import type { RecordContents, RecordType } from './record-lookup.ts';

/** The meaning of a server's answer to one query. */
export type Reading<Type extends RecordType = RecordType> =
  | DnsAnswer<RecordContents[Type]>
  /** The name is an alias (CNAME), and its target has to be queried. */
  | { readonly kind: 'alias'; readonly target: string; readonly ttlSeconds: number }
  /** Too long for a datagram: the query must be repeated over TCP (RFC 7766 section 5). */
  | { readonly kind: 'truncated' }
  /**
   * The answer of a server that may not support EDNS (RFC 6891 section 7), and the failure to report if that is not the
   * reason.
   */
  | { readonly kind: 'perhaps_without_edns'; readonly failure: DnsFailure };

/** A hostile answer of 65,535 octets may hold thousands of records, with names that spread over the whole answer. */
const recordsMax = 512;

const formErr = 1;
const servFail = 2;
const nxDomain = 3;
const notImp = 4;
const refused = 5;
const badVersion = 16;

/** Some servers send these without repeating the question; none of them says anything about the name. */
const troubles: ReadonlySet<number> = new Set([formErr, servFail, notImp, refused]);

/** Reads the answer to a query; undefined for any other packet, which may be forged (RFC 5452 section 9.1). */
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
    // dns-packet throws errors of any type when it reads past the end.
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
      // SERVFAIL, and codes that belong to operations other than queries, which are also the server's problem.
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
    // The SOA record says that there is nothing more to find, also at the end of the aliases (RFC 2308 section 2.2).
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

/** NXDOMAIN is about the name at the end of the aliases (RFC 6604 section 3), so that name cannot have records. */
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

/** Compares octets, because names that differ on the wire could decode to the same text. */
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
  // Lengths, types and the class are not letters, so ignoring case affects only the letters of the name.
  return repeated.toString('latin1').toLowerCase() === question.toString('latin1').toLowerCase();
}

function countRecords(octets: Buffer): number {
  return octets.readUInt16BE(6) + octets.readUInt16BE(8) + octets.readUInt16BE(10);
}

/** The result of searching an answer section. */
type Found<Type extends RecordType> =
  | {
      readonly kind: 'answer';
      readonly records: readonly RecordContents[Type][];
      readonly ttlSeconds: number;
    }
  /** Aliases whose last target has no records here. */
  | { readonly kind: 'alias'; readonly target: string; readonly ttlSeconds: number }
  | { readonly kind: 'nothing'; readonly ttlSeconds: number }
  | { readonly kind: 'failure'; readonly failure: 'malformed' };

/** Longer chains than any resolver follows; a domain with such a chain does not expect mail. */
export const aliasesMax = 8;

interface PlainRecord {
  readonly type: string;
  readonly data: unknown;
  readonly ttl: number;
}

const malformed = { kind: 'failure', failure: 'malformed' } as const;

/** Follows the aliases from the name that was asked about to its records (RFC 1034 section 3.6.2). */
function findRecords<Type extends RecordType>(
  answers: readonly Answer[],
  query: Query & { readonly type: Type },
): Found<Type> {
  const byOwner = groupByOwner(answers);
  const ttls: number[] = [];
  const seen = new Set<string>();
  let owner = query.name;
  while (seen.size <= aliasesMax && !seen.has(owner)) {
    seen.add(owner);
    const here = byOwner.get(owner) ?? [];
    const matching = here.filter(({ type }) => type === packetTypes[query.type]);
    if (matching.length > 0) {
      ttls.push(...matching.map(({ ttl }) => ttl));
      return readContents(matching, query.type, positiveLifetime(ttls));
    }
    const alias = here.find(({ type }) => type === 'CNAME');
    if (alias === undefined) {
      const ttlSeconds = positiveLifetime(ttls);
      return ttls.length === 0
        ? { kind: 'nothing', ttlSeconds }
        : { kind: 'alias', target: owner, ttlSeconds };
    }
    if (typeof alias.data !== 'string') {
      return malformed;
    }
    ttls.push(alias.ttl);
    owner = normalizeName(printableName(alias.data));
  }
  return malformed;
}

function groupByOwner(answers: readonly Answer[]): ReadonlyMap<string, PlainRecord[]> {
  const byOwner = new Map<string, PlainRecord[]>();
  for (const record of answers) {
    if (record.type !== 'OPT' && record.class === 'IN') {
      const owner = normalizeName(printableName(record.name));
      const here = byOwner.get(owner) ?? [];
      here.push({ type: record.type, data: record.data, ttl: record.ttl ?? 0 });
      byOwner.set(owner, here);
    }
  }
  return byOwner;
}

function readContents<Type extends RecordType>(
  records: readonly PlainRecord[],
  type: Type,
  ttlSeconds: number,
): Found<Type> {
  const contents: RecordContents[Type][] = [];
  for (const { data } of records) {
    const content = readers[type](data);
    if (content === undefined) {
      return malformed;
    }
    contents.push(content);
  }
  return { kind: 'answer', records: contents, ttlSeconds };
}

/** Checks each value, because dns-packet trusts the lengths in a packet and may return a wrong type. */
const readers: { readonly [Type in RecordType]: (data: unknown) => RecordContents[Type] | undefined } = {
  A: data => (typeof data === 'string' && isIPv4(data) ? data : undefined),
  AAAA: data => (typeof data === 'string' && isIPv6(data) ? data : undefined),
  MX: readMx,
  TXT: readText,
  OPENPGPKEY: readBare,
  SMIMEA: readBare,
};

function readMx(data: unknown): MxRecord | undefined {
  const { preference, exchange } = data as Partial<MxRecord>;
  return typeof preference === 'number' && typeof exchange === 'string'
    ? { preference, exchange: printableName(exchange) }
    : undefined;
}

/** Joins the strings of one record without a separator (RFC 7208 section 3.3). */
function readText(data: unknown): string | undefined {
  return Array.isArray(data) && data.every(part => Buffer.isBuffer(part))
    ? Buffer.concat(data).toString()
    : undefined;
}

/** Makes a copy, because dns-packet returns a view of the whole packet, which would keep it in memory. */
function readBare(data: unknown): Uint8Array | undefined {
  return Buffer.isBuffer(data) ? Uint8Array.from(data) : undefined;
}

/** How long answers may be cached: the zone's TTL, within limits that a misconfigured or hostile zone cannot exceed. */

const secondsMin = 5;
const positiveSecondsMax = 3_600;
const negativeSecondsMax = 300;

/** Records that came together expire with the shortest-lived of them. */
function positiveLifetime(ttls: readonly number[]): number {
  return bounded(Math.min(...ttls.map(readTtl)), positiveSecondsMax);
}

/**
 * The smaller of the SOA record's own TTL and its minimum field (RFC 2308 section 5). Without an SOA record no lifetime
 * is known, so a short one is used.
 */
function negativeLifetime(soa: { readonly ttl: number; readonly minimum: number } | undefined): number {
  return bounded(
    soa === undefined ? 0 : Math.min(readTtl(soa.ttl), readTtl(soa.minimum)),
    negativeSecondsMax,
  );
}

/** A TTL with its highest bit set means zero (RFC 2181 section 8). */
function readTtl(ttl: number): number {
  return ttl > 0x7fff_ffff ? 0 : ttl;
}

function bounded(seconds: number, secondsMax: number): number {
  return Math.min(secondsMax, Math.max(secondsMin, seconds));
}
