import type { Answer, DecodedPacket, Packet, Question } from 'dns-packet';
import { AUTHORITATIVE_ANSWER, decode, encode, RECURSION_DESIRED, TRUNCATED_RESPONSE } from 'dns-packet';
import type { Lookup, ZoneRecord } from './zones.ts';

const formErr = 1;
const servFail = 2;
const nxDomain = 3;
const notImp = 4;
const refused = 5;

const ttlSeconds = 60;
/** The largest response for resolvers without EDNS, in octets (RFC 1035 section 4.2.1). */
const datagramOctetsMin = 512;

export type DnsQuery = { readonly packet: DecodedPacket; readonly question: Question };

/**
 * Reads a query.
 *
 * @returns the query, or an error reply if it is invalid; undefined for a packet shorter than a DNS header, and for a
 *   response, which must not be answered (RFC 1035 section 7.3)
 */
export function readQuery(octets: Buffer): DnsQuery | { readonly rejection: Buffer } | undefined {
  if (octets.length < 12) return undefined;
  try {
    const packet = decode(octets);
    if (packet.flag_qr) return undefined;
    const [question, ...others] = packet.questions ?? [];
    if (question === undefined || others.length > 0) return { rejection: failure(packet.id ?? 0, formErr) };
    if ((packet as { opcode?: string }).opcode !== 'QUERY') {
      return { rejection: failure(packet.id ?? 0, notImp) };
    }
    return { packet, question };
  } catch {
    return { rejection: failure(octets.readUInt16BE(0), formErr) };
  }
}

/** Returns the complete response, of any size; undefined for a domain that stays silent. */
export function answerFor(query: DnsQuery, lookup: Lookup): Buffer | undefined {
  switch (lookup.outcome) {
    case 'silent':
      return undefined;
    case 'answer':
      return response(query, { answers: lookup.records.map(asAnswer) });
    case 'nodata':
      return response(query, { authorities: [startOfAuthority(lookup.apex)] });
    case 'nxdomain':
      return response(query, { authorities: [startOfAuthority(lookup.apex)] }, nxDomain);
    case 'servfail':
      return response(query, {}, servFail);
    case 'refused':
    case 'unscripted':
      return response(query, {}, refused);
  }
}

/** Returns the same response for a datagram: unchanged if it fits, otherwise with only the TC bit. */
export function forDatagram(query: DnsQuery, answer: Buffer): { octets: Buffer; truncated: boolean } {
  const options = query.packet.additionals?.find(record => record.type === 'OPT');
  const offered = options?.type === 'OPT' ? options.udpPayloadSize : 0;
  if (answer.length <= Math.max(offered, datagramOctetsMin)) return { octets: answer, truncated: false };
  return { octets: response(query, {}, 0, TRUNCATED_RESPONSE), truncated: true };
}

function response(
  query: DnsQuery,
  sections: Pick<Packet, 'answers' | 'authorities'>,
  responseCode = 0,
  moreFlags = 0,
): Buffer {
  const asked = query.packet.flags ?? 0;
  const hasEdns = query.packet.additionals?.some(record => record.type === 'OPT') ?? false;
  return encode({
    type: 'response',
    id: query.packet.id,
    flags: AUTHORITATIVE_ANSWER | (asked & RECURSION_DESIRED) | moreFlags | responseCode,
    questions: [query.question],
    ...sections,
    // A responder that supports EDNS says so in every response to a query that uses it (RFC 6891 section 6.1.1).
    additionals: hasEdns ? [ednsOptions] : [],
  });
}

const ednsOptions: Answer = {
  name: '.',
  type: 'OPT',
  udpPayloadSize: 1232,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
};

/** dns-packet encodes every `UNKNOWN_<number>` type from a Buffer, although its published types do not allow that. */
function asAnswer({ name, type, data }: ZoneRecord): Answer {
  return { name, type, data: type === 'TXT' ? characterStrings(data) : data, ttl: ttlSeconds } as Answer;
}

/** A character-string has at most 255 octets, so longer text is split into several (RFC 1035 section 3.3). */
function characterStrings(text: unknown): Buffer[] {
  const octets = Buffer.from(String(text), 'utf8');
  const strings: Buffer[] = [];
  for (let start = 0; start === 0 || start < octets.length; start += 255) {
    strings.push(octets.subarray(start, start + 255));
  }
  return strings;
}

/** Negative responses contain the SOA, whose last field is their lifetime (RFC 2308 section 3). */
function startOfAuthority(apex: string): Answer {
  return {
    name: apex,
    type: 'SOA',
    ttl: ttlSeconds,
    data: {
      mname: 'ns.mail-lab.test',
      rname: 'hostmaster.mail-lab.test',
      serial: 1,
      refresh: 3_600,
      retry: 600,
      expire: 86_400,
      minimum: ttlSeconds,
    },
  };
}

function failure(id: number, responseCode: number): Buffer {
  return encode({ type: 'response', id, flags: responseCode, questions: [] });
}
