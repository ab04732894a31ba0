import { describe, expect, test } from '@jest/globals';
import { type Answer, encode, type Packet, RECURSION_AVAILABLE, TRUNCATED_RESPONSE } from 'dns-packet';
import { createQuery, type Query } from './query.ts';
import { readResponse } from './read-response.ts';
import type { RecordType } from './record-lookup.ts';

const soa = {
  name: 'example',
  type: 'SOA',
  ttl: 900,
  data: { mname: 'ns.example', rname: 'host.example', minimum: 60 },
} as Answer;
const ns: Answer = { name: 'example', type: 'NS', ttl: 900, data: 'ns.example' };
const malformed = { kind: 'failure', failure: 'malformed' };

function asked<Type extends RecordType>(type: Type, name = 'a.example'): Query & { readonly type: Type } {
  return { ...createQuery(name, type, true), type };
}

/** The answer to a query, as a server would send it. */
function answerTo(query: Query, sections: Packet, code = 0, flags = RECURSION_AVAILABLE): Buffer {
  const head = encode({ type: 'response', id: query.id, flags: flags | code, ...sections, questions: [] });
  head.writeUInt16BE(1, 4);
  return Buffer.concat([head.subarray(0, 12), query.question, head.subarray(12)]);
}

function read(type: RecordType, sections: Packet, code = 0, flags = RECURSION_AVAILABLE) {
  const query = asked(type);
  return readResponse(answerTo(query, sections, code, flags), query);
}

function record(name: string, type: string, data: unknown, ttl = 300): Answer {
  return { name, type, data, ttl } as Answer;
}

function alias(name: string, target: string, ttl = 300): Answer {
  return record(name, 'CNAME', target, ttl);
}

describe('records', () => {
  test.each<[RecordType, Answer, unknown]>([
    ['A', record('a.example', 'A', '192.0.2.1'), '192.0.2.1'],
    ['AAAA', record('a.example', 'AAAA', '2001:db8::1'), '2001:db8::1'],
    [
      'MX',
      record('A.Example', 'MX', { preference: 5, exchange: 'MX.b.example' }),
      { preference: 5, exchange: 'MX.b.example' },
    ],
    ['MX', record('a.example', 'MX', { preference: 0, exchange: '.' }), { preference: 0, exchange: '' }],
    ['TXT', record('a.example', 'TXT', ['v=spf1 in', 'clude:b.example']), 'v=spf1 include:b.example'],
    ['OPENPGPKEY', record('a.example', 'UNKNOWN_61', Buffer.from([1, 2, 3])), Uint8Array.of(1, 2, 3)],
    ['SMIMEA', record('a.example', 'UNKNOWN_53', Buffer.from([3, 0, 0, 9])), Uint8Array.of(3, 0, 0, 9)],
  ])('of type %s are read', (type, answer, content) => {
    expect(read(type, { answers: [answer] })).toEqual({
      kind: 'answer',
      records: [content],
      ttlSeconds: 300,
    });
  });

  test('of other names and types are passed over', () => {
    const answers = [
      record('b.example', 'A', '192.0.2.2'),
      record('a.example', 'TXT', 'text'),
      record('a.example', 'A', '192.0.2.1'),
    ];
    expect(read('A', { answers })).toMatchObject({ records: ['192.0.2.1'] });
  });

  test('name hosts in harmless text only', () => {
    const answers = [record('a.example', 'MX', { preference: 1, exchange: 'm\r\nx\u0000\\ü.example' })];
    expect(read('MX', { answers })).toMatchObject({
      records: [{ exchange: 'm\\013\\010x\\000\\092\\195\\188.example' }],
    });
  });

  test.each([
    [300, 300],
    [0, 5],
    [86_400, 3_600],
    [0xffff_ffff, 5],
  ])('with a TTL of %i live for %i seconds', (ttl, ttlSeconds) => {
    expect(read('A', { answers: [record('a.example', 'A', '192.0.2.1', ttl)] })).toMatchObject({
      ttlSeconds,
    });
  });

  test('live as long as the shortest-lived of them and of their aliases', () => {
    const answers = [
      alias('a.example', 'b.example', 40),
      record('b.example', 'A', '192.0.2.1', 50),
      record('b.example', 'A', '192.0.2.2', 60),
    ];
    expect(read('A', { answers })).toMatchObject({ ttlSeconds: 40 });
  });
});

describe('aliases', () => {
  test('are followed in any order', () => {
    const answers = [
      record('d.example', 'A', '192.0.2.1'),
      alias('c.example', 'd.example'),
      alias('a.example', 'B.example'),
      alias('b.example', 'C.example'),
    ];
    expect(read('A', { answers })).toMatchObject({ kind: 'answer', records: ['192.0.2.1'] });
  });

  test('are followed as a DNAME record makes them', () => {
    const answers = [
      record('example', 'DNAME', 'other.example'),
      alias('a.example', 'a.other.example'),
      record('a.other.example', 'A', '192.0.2.1'),
    ];
    expect(read('A', { answers })).toMatchObject({ kind: 'answer', records: ['192.0.2.1'] });
  });

  test('without their target are to be asked about', () => {
    const answers = [alias('a.example', 'b.example', 90), alias('b.example', 'c.example')];
    expect(read('MX', { answers })).toEqual({ kind: 'alias', target: 'c.example', ttlSeconds: 90 });
  });

  test('with a SOA record say that their target has no such records', () => {
    const sections = { answers: [alias('a.example', 'b.example')], authorities: [soa] };
    expect(read('MX', sections)).toEqual({ kind: 'nodata', ttlSeconds: 60 });
  });

  test('in a circle are malformed', () => {
    const answers = [alias('a.example', 'b.example'), alias('b.example', 'a.example')];
    expect(read('A', { answers })).toEqual(malformed);
  });

  test.each([
    [8, 'answer'],
    [9, 'failure'],
  ])('in a chain of %i come to %s', (length, kind) => {
    const nameOf = (index: number) => (index === 0 ? 'a.example' : `n${index}.example`);
    const answers = Array.from({ length }, (_, index) => alias(nameOf(index), nameOf(index + 1)));
    expect(read('A', { answers: [...answers, record(nameOf(length), 'A', '192.0.2.1')] })?.kind).toBe(kind);
  });
});

describe('a "no"', () => {
  test.each([
    ['nxdomain', 3, { authorities: [soa] }, 60],
    ['nxdomain', 3, { answers: [alias('a.example', 'b.example', 30)], authorities: [soa] }, 30],
    ['nxdomain', 3, {}, 5],
    ['nodata', 0, { authorities: [soa] }, 60],
    ['nodata', 0, { authorities: [soa, ns] }, 60],
    ['nodata', 0, {}, 5],
  ] as const)('is %s (code %i, %j) and lives for %i seconds', (kind, code, sections, ttlSeconds) => {
    const { answers = [], authorities = [] } = sections as Packet;
    expect(read('MX', { answers, authorities }, code)).toEqual({ kind, ttlSeconds });
  });

  test('is none in a referral', () => {
    expect(read('MX', { authorities: [ns] })).toEqual({ kind: 'failure', failure: 'servfail' });
  });

  test('is malformed next to records of the name', () => {
    expect(read('A', { answers: [record('a.example', 'A', '192.0.2.1')] }, 3)).toEqual(malformed);
  });
});

describe('trouble', () => {
  test.each([
    [1, { kind: 'perhaps_without_edns', failure: 'malformed' }],
    [2, { kind: 'failure', failure: 'servfail' }],
    [4, { kind: 'perhaps_without_edns', failure: 'refused' }],
    [5, { kind: 'failure', failure: 'refused' }],
    [6, { kind: 'failure', failure: 'servfail' }],
    [9, { kind: 'failure', failure: 'servfail' }],
  ])('with code %i is told apart', (code, reading) => {
    expect(read('A', {}, code)).toEqual(reading);
  });

  test('is heard where the question is not repeated', () => {
    const query = asked('A');
    const answer = encode({ type: 'response', id: query.id, flags: 1, questions: [] });
    expect(readResponse(answer, query)).toMatchObject({ kind: 'perhaps_without_edns' });
  });

  test('with an EDNS version is distinguished from an empty answer', () => {
    const opt = {
      name: '.',
      type: 'OPT',
      udpPayloadSize: 1_232,
      extendedRcode: 1,
      ednsVersion: 0,
      flags: 0,
      flag_do: false,
      options: [],
    } as Answer;
    expect(read('A', { additionals: [opt] })).toMatchObject({ kind: 'perhaps_without_edns' });
  });

  test('with the length shows before anything else is read', () => {
    const flags = TRUNCATED_RESPONSE;
    const query = asked('A');
    const cut = answerTo(query, { answers: [record('a.example', 'A', '192.0.2.1')] }, 0, flags);
    expect(readResponse(cut.subarray(0, -2), query)).toEqual({ kind: 'truncated' });
  });

  test.each([
    ['cut off', -2, 1],
    ['with more records announced than there are', undefined, 2],
    ['with more records announced than are read', undefined, 0xffff],
  ])('is an answer %s', (_name, end, count) => {
    const query = asked('A');
    const answer = answerTo(query, { answers: [record('a.example', 'A', '192.0.2.1')] });
    answer.writeUInt16BE(count, 6);
    expect(readResponse(answer.subarray(0, end), query)).toEqual(malformed);
  });

  test('is an answer that holds only what was not asked for', () => {
    expect(read('A', { answers: [record('b.example', 'A', '192.0.2.1')] })).toEqual(malformed);
  });
});

describe('a packet is passed over', () => {
  const query = asked('A');
  const answer = answerTo(query, { answers: [record('a.example', 'A', '192.0.2.1')] });
  const other = (name: string, type: RecordType) => ({ ...createQuery(name, type, true), id: query.id });

  test.each([
    ['with another identifier', answerTo({ ...query, id: query.id ^ 1 }, {})],
    ['about another name', answerTo(other('b.example', 'A'), {})],
    ['about another type', answerTo(other('a.example', 'AAAA'), {})],
    ['that is a question', query.octets],
    [
      'that repeats no question and states something',
      encode({ type: 'response', id: query.id, questions: [] }),
    ],
    ['too short for a header', answer.subarray(0, 11)],
  ])('%s', (_name, octets) => {
    expect(readResponse(octets, query)).toBeUndefined();
  });

  test('but not for the case of its letters', () => {
    const loud = Buffer.from(answer);
    loud.write('A', loud.indexOf('a', 12));
    expect(readResponse(loud, query)).toMatchObject({ kind: 'answer' });
  });
});
