import { isIPv4, isIPv6 } from 'node:net';
import { expect, test } from '@jest/globals';
import { type Answer, encode } from 'dns-packet';
import fc from 'fast-check';
import { createQuery, type Query } from './query.ts';
import { readResponse } from './read-response.ts';
import type { RecordType } from './record-lookup.ts';

const types: readonly RecordType[] = ['A', 'AAAA', 'MX', 'TXT', 'OPENPGPKEY', 'SMIMEA'];
const kinds = [
  undefined,
  'answer',
  'alias',
  'nodata',
  'nxdomain',
  'failure',
  'truncated',
  'perhaps_without_edns',
];

/** One of every record that an answer may contain, both common and unusual ones. */
const answers = [
  { name: 'a.example', type: 'CNAME', ttl: 60, data: 'b.example' },
  { name: 'b.example', type: 'A', ttl: 60, data: '192.0.2.1' },
  { name: 'b.example', type: 'AAAA', ttl: 60, data: '2001:db8::1' },
  { name: 'b.example', type: 'MX', ttl: 60, data: { preference: 5, exchange: 'mx.b.example' } },
  { name: 'b.example', type: 'TXT', ttl: 60, data: ['v=spf1', ' -all'] },
  { name: 'b.example', type: 'UNKNOWN_61', ttl: 60, data: Buffer.from([1, 2, 3]) },
  { name: 'b.example', type: 'UNKNOWN_53', ttl: 60, data: Buffer.from([3, 0, 0, 1]) },
  { name: 'b.example', type: 'SRV', ttl: 60, data: { port: 25, target: 'mx.b.example' } },
  { name: 'b.example', type: 'CAA', ttl: 60, data: { tag: 'issue', value: 'ca.example' } },
] as unknown as Answer[];
const authorities = [
  {
    name: 'example',
    type: 'SOA',
    ttl: 60,
    data: { mname: 'ns.example', rname: 'host.example', minimum: 60 },
  },
  { name: 'example', type: 'NS', ttl: 60, data: 'ns.example' },
] as Answer[];

interface Corruption {
  readonly at: number;
  readonly octets: Uint8Array;
  readonly how: 'overwrite' | 'insert' | 'remove';
}

const corruption: fc.Arbitrary<Corruption> = fc.record({
  at: fc.nat(400),
  octets: fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 1 }),
    fc.uint8Array({ minLength: 1, maxLength: 4 }),
    // Pointers, both to names and to themselves (RFC 1035 section 4.1.4).
    fc.nat(0x1ff).map(target => Uint8Array.of(0xc0 | (target >> 8), target & 0xff)),
  ),
  how: fc.constantFrom('overwrite', 'overwrite', 'overwrite', 'insert', 'remove'),
});

function corrupt(packet: Buffer, { at, octets, how }: Corruption): Buffer {
  const start = Math.min(packet.length, at);
  const end = how === 'insert' ? start : start + octets.length;
  return Buffer.concat([
    packet.subarray(0, start),
    how === 'remove' ? Buffer.alloc(0) : octets,
    packet.subarray(end),
  ]);
}

/** Header and question remain those of the query, so that the rest is really read. */
function answerTo(query: Query, sections: Buffer, flags: number, counts: readonly number[]): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(query.id, 0);
  head.writeUInt16BE(0x8000 | flags, 2);
  [1, ...counts].forEach((count, index) => {
    head.writeUInt16BE(count, 4 + 2 * index);
  });
  return Buffer.concat([head, query.question, sections]);
}

/** The worst packet takes a third of a second; a circular one would be read forever. */
const readingMsMax = 10_000;

/** CPU time, which a busy machine does not lengthen. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function read(type: RecordType, packetOf: (query: Query) => Buffer): void {
  const query = { ...createQuery('a.example', type, true), type };
  const startedAtMs = processorMs();
  const reading = readResponse(packetOf(query), query);
  expect(processorMs() - startedAtMs).toBeLessThan(readingMsMax);
  expect(kinds).toContain(reading?.kind);
  if (reading?.kind === 'answer') {
    expect(reading.records.length).toBeGreaterThan(0);
    expect(reading.records.length).toBeLessThanOrEqual(512);
    expect(reading.records.every(contents[type])).toBe(true);
  }
  if (reading !== undefined && 'ttlSeconds' in reading) {
    expect(reading.ttlSeconds).toBeGreaterThanOrEqual(5);
    expect(reading.ttlSeconds).toBeLessThanOrEqual(3_600);
  }
}

/** The minimum properties of a record of each type, regardless of what a packet claims. */
const contents: Readonly<Record<RecordType, (record: unknown) => boolean>> = {
  A: record => typeof record === 'string' && isIPv4(record),
  AAAA: record => typeof record === 'string' && isIPv6(record),
  MX: record => {
    const { preference, exchange } = record as { preference: unknown; exchange: unknown };
    return Number.isInteger(preference) && typeof exchange === 'string' && !/\p{Cc}/u.test(exchange);
  },
  TXT: record => typeof record === 'string',
  OPENPGPKEY: record => record instanceof Uint8Array,
  SMIMEA: record => record instanceof Uint8Array,
};

/** The response code, truncation and other flags of the server. */
const flags = fc.oneof(
  { weight: 8, arbitrary: fc.constant(0) },
  fc.constantFrom(1, 2, 3, 4, 5),
  fc.nat(0x7fff),
);

test('answers that were tampered with are read or refused, in bounded time', () => {
  const whole = encode({ type: 'response', id: 0, questions: [], answers, authorities });
  fc.assert(
    fc.property(
      fc.constantFrom(...types),
      flags,
      fc.array(corruption, { minLength: 1, maxLength: 3 }),
      (type, said, spoilings) => {
        // Names in the sections contain no pointers: dns-packet writes each one in full.
        const sections = spoilings.reduce((octets, each) => corrupt(octets, each), whole.subarray(12));
        read(type, query => answerTo(query, sections, said, [answers.length, authorities.length, 0]));
      },
    ),
    { numRuns: 10_000 },
  );
});

test('random octets behind a fitting question are read or refused, in bounded time', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...types),
      flags,
      fc.uint8Array({ maxLength: 600 }),
      fc.array(fc.oneof(fc.nat(3), fc.nat(0xffff)), { minLength: 3, maxLength: 3 }),
      (type, said, octets, counts) => {
        read(type, query => answerTo(query, Buffer.from(octets), said, counts));
      },
    ),
    { numRuns: 10_000 },
  );
});

test('a name that winds through the whole packet, in every record, is read or refused in bounded time', () => {
  read('MX', query => {
    const records = 511;
    const room = 65_535 - 12 - query.question.length;
    const octets = Buffer.alloc(room);
    const start = 12 + query.question.length;
    // One record of an unused type holds the chain: each pointer leads to the previous one.
    const chainStart = 11;
    const chainOctets = 0x3ff0 - start - chainStart;
    octets.writeUInt16BE(65_280, 1);
    octets.writeUInt16BE(1, 3);
    octets.writeUInt16BE(chainOctets, 9);
    let last = chainStart;
    for (let at = chainStart + 1; at + 2 <= chainStart + chainOctets; at += 2) {
      octets.writeUInt16BE(0xc000 | (start + last), at);
      last = at;
    }
    for (let index = 0, at = chainStart + chainOctets; index < records; index += 1, at += 16) {
      octets.writeUInt16BE(0xc000 | (start + last), at);
      octets.writeUInt16BE(15, at + 2);
      octets.writeUInt16BE(1, at + 4);
      octets.writeUInt16BE(4, at + 10);
      octets.writeUInt16BE(0xc000 | (start + last), at + 14);
    }
    return answerTo(query, octets, 0, [records + 1, 0, 0]);
  });
});
