import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { realReplies } from '../../../test/replies/read-replies.ts';
import { deadlineAfter } from '../../domain/concurrency/deadline.ts';
import type { Reply } from '../../domain/smtp/reply.ts';
import { createLineChannel, createReplyParser } from './line-channel.ts';

function parse(...portions: readonly (string | Uint8Array)[]): { replies: Reply[]; garbled: boolean } {
  const parser = createReplyParser();
  const encoder = new TextEncoder();
  const replies = portions.flatMap(portion =>
    parser.feed(typeof portion === 'string' ? encoder.encode(portion) : portion),
  );
  return { replies, garbled: parser.isGarbled() };
}

describe('replies', () => {
  test('of one line are read with their enhanced code', () => {
    expect(parse('550 5.1.1 User unknown\r\n')).toEqual({
      replies: [{ code: 550, enhanced: '5.1.1', lines: ['User unknown'] }],
      garbled: false,
    });
  });

  test('of several lines end at the line without a hyphen', () => {
    expect(parse('250-mx.example\r\n250-SIZE 10\r\n250 SMTPUTF8\r\n').replies).toEqual([
      { code: 250, lines: ['mx.example', 'SIZE 10', 'SMTPUTF8'] },
    ]);
  });

  test('may consist of the code alone, and may end in a bare line feed', () => {
    expect(parse('250\r\n250-one\n250\n').replies).toEqual([
      { code: 250, lines: [''] },
      { code: 250, lines: ['one', ''] },
    ]);
  });

  test('keep characters that straddle two portions', () => {
    const octets = new TextEncoder().encode('250 Jörg\r\n');
    expect(parse(octets.slice(0, 6), octets.slice(6)).replies).toEqual([{ code: 250, lines: ['Jörg'] }]);
  });

  test('of old servers, which write Latin letters in one octet each, keep these', () => {
    expect(parse(Buffer.from('550 Empf\u00e4nger unbekannt\r\n', 'latin1')).replies[0]?.lines).toEqual([
      'Empfänger unbekannt',
    ]);
  });

  test.each([
    ['qmail', '550 sorry, no mailbox here by that name. (#5.1.1 - chkuser)\r\n', '5.1.1'],
    ['Cisco', '550 #5.1.0 Address rejected.\r\n', '5.1.0'],
    ['a code of another class', '550 4.2.1 Busy\r\n', undefined],
    ['a version number', '220 2.4.19.7 server ready\r\n', undefined],
  ])('carry the enhanced code as %s writes it', (_name, line, enhanced) => {
    expect(parse(line).replies[0]?.enhanced).toBe(enhanced);
  });

  test('lose control characters, which could forge lines of a log', () => {
    expect(parse('550 a\u001b[2Jb\r\n').replies[0]?.lines).toEqual(['a [2Jb']);
  });
});

describe('garbage', () => {
  test.each([
    ['text without a code', 'HTTP/1.1 400 Bad Request\r\n'],
    ['a code out of range', '650 hello\r\n'],
    ['a code of two digits', '25 hello\r\n'],
    ['lines with different codes', '250-one\r\n220 two\r\n'],
    ['an acceptance that turns into a refusal', '250-one\r\n550 two\r\n'],
    ['a refusal that turns into a greeting', '550-one\r\n220 two\r\n'],
    ['an empty line', '\r\n'],
    ['a line longer than 2,048 octets', `250 ${'a'.repeat(2_100)}`],
    ['more than 100 lines', '220-more\r\n'.repeat(101)],
    ['more than 65,536 octets', `220-${'a'.repeat(2_000)}\r\n`.repeat(40)],
  ])('is %s', (_name, text) => {
    expect(parse(text)).toEqual({ replies: [], garbled: true });
  });

  test('ends the reading permanently', () => {
    expect(parse('250 ok\r\nnonsense\r\n', '250 ok\r\n')).toMatchObject({
      replies: [{ code: 250 }],
      garbled: true,
    });
  });
});

test('a greeting that turns us away in the middle says what it says in the end', () => {
  const text = '220-mx.a.example ESMTP\r\n550 5.7.1 Service unavailable; client [192.0.2.1] blocked\r\n';
  expect(parse(text)).toMatchObject({
    replies: [{ code: 550, enhanced: '5.7.1', lines: ['Service unavailable; client [192.0.2.1] blocked'] }],
    garbled: false,
  });
});

describe('any octets', () => {
  const runs = { numRuns: 10_000 };
  const encoder = new TextEncoder();
  const soup = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc
      .array(
        fc.constantFrom(
          '250',
          '550',
          '-',
          ' ',
          '\r',
          '\n',
          '\r\n',
          '5.1.1',
          'text',
          '\u0000',
          'ö',
          '250-a\r\n',
          '250 b\r\n',
        ),
        { maxLength: 60 },
      )
      .map(parts => encoder.encode(parts.join(''))),
  );
  /** Replies of real hosts, several in a row, with a few octets inserted, overwritten or removed. */
  const spoilt = fc
    .tuple(
      fc.array(fc.constantFrom(...realReplies), { minLength: 1, maxLength: 3 }),
      fc.array(
        fc.record({
          at: fc.nat(600),
          octets: fc.uint8Array({ maxLength: 3 }),
          removed: fc.nat(3),
        }),
        { maxLength: 4 },
      ),
    )
    .map(([lines, spoilings]) =>
      spoilings.reduce(
        (octets, { at, octets: put, removed }) =>
          Uint8Array.from([...octets.subarray(0, at), ...put, ...octets.subarray(at + removed)]),
        encoder.encode(lines.map(({ line }) => `${line.replaceAll('\n', '\r\n')}\r\n`).join('')),
      ),
    );

  test('parse alike in portions of any size', () => {
    fc.assert(
      fc.property(fc.oneof(soup, spoilt), fc.array(fc.nat(600), { maxLength: 12 }), (octets, cuts) => {
        const borders = [
          0,
          ...cuts.map(cut => Math.min(cut, octets.length)).sort((a, b) => a - b),
          octets.length,
        ];
        const portions = borders.slice(1).map((end, index) => octets.slice(borders[index], end));
        expect(parse(...portions)).toEqual(parse(octets));
      }),
      runs,
    );
  });

  test('give replies within their bounds', () => {
    fc.assert(
      fc.property(fc.oneof(soup, spoilt), octets => {
        const { replies } = parse(octets);
        expect(replies.length).toBeLessThanOrEqual(octets.filter(octet => octet === 0x0a).length);
        for (const { code, enhanced, lines } of replies) {
          expect(code).toBeGreaterThanOrEqual(200);
          expect(code).toBeLessThan(600);
          // A code of RFC 3463 has class 2, 4 or 5; a reply of class 3 has none.
          expect(enhanced ?? '2.0.0').toMatch(/^[245]\.\d{1,3}\.\d{1,3}$/);
          expect((enhanced ?? String(code))[0]).toBe(String(code)[0]);
          expect(lines.length).toBeGreaterThan(0);
          expect(lines.length).toBeLessThanOrEqual(100);
          expect(lines.every(line => line.length <= 2_048 && !/\p{Cc}/u.test(line))).toBe(true);
        }
      }),
      runs,
    );
  });

  test('give nothing more after garbage, and hold nothing back for it', () => {
    fc.assert(
      fc.property(fc.oneof(soup, spoilt), fc.oneof(soup, spoilt), (octets, more) => {
        const parser = createReplyParser();
        parser.feed(octets);
        const wasGarbled = parser.isGarbled();
        const replies = parser.feed(more);
        expect(wasGarbled ? replies : []).toEqual([]);
        expect(parser.isGarbled() || !wasGarbled).toBe(true);
      }),
      runs,
    );
  });

  test('of what real hosts say, unspoilt, give every reply', () => {
    for (const { line } of realReplies) {
      // Sources often show only the first of several lines.
      const whole = line.replace(/(\d{3})-([^\n]*)$/, '$1 $2');
      const text = `${whole.replaceAll('\n', '\r\n')}\r\n`;
      expect(parse(text, text)).toMatchObject({ replies: [{}, {}], garbled: false });
    }
  });
});

describe('replies that nothing reads', () => {
  const line = '220 x\r\n';
  const open: { destroy(): void }[] = [];

  afterEach(() => {
    for (const end of open.splice(0)) {
      end.destroy();
    }
  });

  /** A connected pair of sockets, with the channel on our side. */
  async function connected() {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const [host] = (await once(server, 'connection')) as [Socket];
    server.close();
    host.on('error', () => undefined);
    open.push(socket, host);
    const channel = createLineChannel(socket);
    const next = (waitMs = 20_000) =>
      channel.next(deadlineAfter({ nowMs: () => performance.now() }, waitMs, new AbortController().signal));
    const send = async (count: number) => {
      const octets = socket.bytesRead + count * line.length;
      host.write(line.repeat(count));
      while (socket.bytesRead < octets && !socket.destroyed) {
        await once(socket, 'data', { signal: AbortSignal.timeout(5_000) });
      }
    };
    return { socket, channel, next, send };
  }

  test('are kept up to 256, and each one that is read makes room for another', async () => {
    const { socket, next, send } = await connected();
    await send(256);
    expect(await next()).toMatchObject({ kind: 'reply', reply: { code: 220, lines: ['x'] } });
    await send(1);
    expect(socket.destroyed).toBe(false);
    for (let count = 0; count < 256; count += 1) {
      expect(await next()).toMatchObject({ kind: 'reply' });
    }
    expect(await next(10)).toEqual({ kind: 'failure', failure: 'timeout' });
  });

  test.each([
    ['at once', [257]],
    ['one after the other', [256, 1]],
    ['in a flood', [5_000]],
  ])('end the connection as garbled beyond 256 that come %s', async (_, counts) => {
    const { socket, channel, next, send } = await connected();
    const closed = once(socket, 'close', { signal: AbortSignal.timeout(5_000) });
    for (const count of counts) {
      await send(count);
    }
    await closed;
    expect(socket.destroyed).toBe(true);
    expect(channel.readUnasked()).toEqual({ kind: 'failure', failure: 'garbled' });
    let outcome = await next();
    let replies = 0;
    for (; outcome.kind === 'reply'; outcome = await next()) {
      replies += 1;
    }
    // Those that had arrived are still there, and the end is not mistaken for a host that closed the connection.
    expect(replies).toBeGreaterThanOrEqual(255);
    expect(outcome).toEqual({ kind: 'failure', failure: 'garbled' });
  });
});
