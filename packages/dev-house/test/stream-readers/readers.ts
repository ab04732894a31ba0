import { once } from 'node:events';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { Duplex, Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { projectRoot } from '../../src/project-root.ts';

/** Yields octets one at a time and counts those that were taken. */
export class Sender {
  taken = 0;

  async *octets(text: string | Uint8Array): AsyncGenerator<Buffer> {
    for (const octet of Buffer.from(text as string)) {
      this.taken += 1;
      yield Buffer.of(octet);
    }
  }

  async *text(text: string): AsyncGenerator<string> {
    for (const character of text) {
      this.taken += 1;
      yield character;
    }
  }

  /** Calls `take` with one octet at a time. */
  push(text: string | Uint8Array, take: (octet: Buffer) => unknown): void {
    for (const octet of Buffer.from(text as string)) {
      this.taken += 1;
      take(Buffer.of(octet));
    }
  }
}

export interface StreamReader {
  /** The reader's file, relative to the project root. */
  readonly file: string;
  /** The input for which a reader examines the same octets most often. */
  readonly worst: string;
  /** True if octets travel over a real connection, which may merge some of them. */
  readonly overNetwork?: true;
  /** Makes the reader read this many octets, one at a time. */
  readonly feed: (module: Module, octets: number, sender: Sender) => unknown;
}

/** Loaded by a computed path: packages may not depend on services. */
export const load = (file: string) => import(join(projectRoot, file));
type Module = Awaited<ReturnType<typeof load>>;

async function drain(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _item of items);
}

/** Checks that an input is refused at its end. */
async function refused(work: Promise<unknown>): Promise<void> {
  const outcome = await work.then(
    () => 'taken',
    () => 'refused',
  );
  if (outcome === 'taken') throw new Error('The reader took what it has to refuse.');
}

const a = (octets: number) => 'a'.repeat(octets);
const quoted = (octets: number) => `"${a(octets - 1)}`;
/** A long cell, then cells whose quotes are restored. */
const strayQuotes = (octets: number) => `${a(octets / 2 - 1)},${'"a"b,'.repeat(octets / 10)}`;
const kit = 'packages/service-kit/src';
const engine = 'services/validation-engine/src';
const files = 'services/enrichment/src/adapters/files';
const csv = { delimiter: ',', max_record_size: 1_000_000 };

const uploads: readonly StreamReader[] = [
  {
    file: 'packages/shared-types/src/streams.ts',
    worst: 'a line that does not end',
    feed: ({ linesOf }, octets, sender) =>
      drain(
        linesOf(sender.text(a(octets)), {
          ends: 'any',
          keepsUnfinished: true,
          charactersMax: octets,
          tooLong: () => new Error('too long'),
        }),
      ),
  },
  {
    file: `${engine}/domain/intake/open-list.ts`,
    worst: 'a pasted list without a line end',
    feed: async ({ openList }, octets, sender) => drain((await openList(sender.octets(a(octets)))).rows),
  },
  {
    file: `${engine}/domain/intake/open-records.ts`,
    worst: 'a record that does not end',
    feed: async ({ openRecords }, octets, sender) =>
      refused(
        openRecords(sender.octets(`["email"]\n["${a(octets - 12)}`), 0).then(
          (table: { rows: AsyncIterable<unknown> }) => drain(table.rows),
        ),
      ),
  },
  {
    file: 'packages/service-kit/src/workbook/spool.ts',
    worst: 'a workbook in single octets',
    feed: async ({ spool }, octets, sender) => {
      const { file } = await spool(sender.octets(a(octets)), async () => undefined);
      await file.close();
    },
  },
  {
    file: `${engine}/domain/intake/open-table.ts`,
    worst: 'a file whose first octets tell its format',
    feed: ({ openTable }, octets, sender) =>
      refused(
        openTable({ origin: 'file', given: {} }, sender.octets(`PK\x03\x04${a(octets - 4)}`), {
          async openSheet(all: AsyncIterable<unknown>) {
            await drain(all);
            throw new Error('It is no workbook.');
          },
        }),
      ),
  },
  ...['windows-1252', 'utf-8'].map(
    (encoding): StreamReader => ({
      file: `${engine}/domain/intake/decode-text.ts`,
      worst: `text whose encoding shows in its first octets: ${encoding}`,
      feed: ({ decodeText }, octets, sender) =>
        drain(
          decodeText(
            sender.octets(
              Buffer.concat([
                encoding === 'utf-8' ? Buffer.from('é') : Buffer.from([0xe9, 0x20]),
                Buffer.alloc(octets - 2, 'a'),
              ]),
            ),
          ).text,
        ),
    }),
  ),
  {
    file: `${engine}/adapters/files/read-rows.ts`,
    worst: 'a quote that is not closed',
    feed: ({ readRows }, octets, sender) => refused(drain(readRows(sender.text(quoted(octets)), ','))),
  },
  {
    file: `${engine}/adapters/files/read-json-records.ts`,
    worst: 'a text in an array that does not end',
    feed: ({ readJsonRecords }, octets, sender) =>
      refused(drain(readJsonRecords(sender.text(`["${a(octets - 2)}`), 'array'))),
  },
  {
    file: `${engine}/adapters/files/read-json-records.ts`,
    worst: 'an array of many fields, digits and escapes, and space between rows',
    feed: ({ readJsonRecords }, octets, sender) =>
      refused(
        drain(
          readJsonRecords(
            sender.text(
              `[${`{"\\u0061":1234567890,"b":true}, ${' '.repeat(69)}`.repeat(octets / 100)}`.slice(
                0,
                octets,
              ),
            ),
            'array',
          ),
        ),
      ),
  },
  {
    file: `${engine}/adapters/files/read-json-records.ts`,
    worst: 'a line that does not end',
    feed: ({ readJsonRecords }, octets, sender) =>
      refused(drain(readJsonRecords(sender.text(quoted(octets)), 'lines'))),
  },
  {
    file: `${kit}/csv-records.ts`,
    worst: 'a cell that does not end',
    feed: ({ csvRecords }, octets, sender) => drain(csvRecords(sender.text(a(octets)), csv)),
  },
  {
    file: `${kit}/csv-records.ts`,
    worst: 'quotes that are put back, behind a long cell',
    feed: ({ csvRecords }, octets, sender) => drain(csvRecords(sender.text(strayQuotes(octets)), csv)),
  },
  ...[a, quoted, (octets: number) => ' '.repeat(octets), (octets: number) => '\n'.repeat(octets)].map(
    (input): StreamReader => ({
      file: 'services/gateway/src/adapters/csv/read-csv.ts',
      worst: `a header that does not end: ${JSON.stringify(input(2))}`,
      feed: ({ readCsv }, octets, sender) =>
        drain(readCsv(sender.octets(input(octets)))).catch((error: Error) => {
          if (error.name !== 'UploadFault') throw error;
        }),
    }),
  ),
  {
    file: `${files}/decode.ts`,
    worst: 'text without a line end',
    feed: ({ decode }, octets, sender) => drain(decode(sender.octets(a(octets)), undefined)),
  },
  {
    file: `${files}/read-rows.ts`,
    worst: 'an object that does not end',
    feed: ({ readNdjsonRows }, octets, sender) =>
      drain(readNdjsonRows(sender.text(`{"a":"${a(octets - 6)}`))),
  },
  {
    file: `${files}/read-rows.ts`,
    worst: 'a quote that is not closed',
    feed: ({ readCsvRows }, octets, sender) =>
      refused(drain(readCsvRows(sender.text(quoted(octets)), 'a,b', undefined))),
  },
  ...(['jsonl', 'csv'] as const).map(
    (format): StreamReader => ({
      file: `${engine}/cli/fit/labeled-file.ts`,
      worst: `a ${format} line that does not end`,
      feed: ({ readLabeled }, octets, sender) =>
        refused(readLabeled(Readable.from(sender.octets(quoted(octets)), { objectMode: false }), format)),
    }),
  ),
];

const bodies: readonly StreamReader[] = [
  {
    file: `${kit}/http/body-stream.ts`,
    worst: 'a body that arrives octet by octet',
    feed: ({ openBodyStream }, octets, sender) =>
      drain(
        openBodyStream(
          Object.assign(Readable.from(sender.octets(a(octets)), { objectMode: false }), {
            headers: {},
            complete: true,
          }),
          octets,
          { msMax: 60_000, bytesPerSecondMin: 1 },
        ),
      ),
  },
  {
    file: `${kit}/net/read-bounded.ts`,
    worst: 'a body that arrives octet by octet',
    feed: ({ readBounded }, octets, sender) => readBounded(sender.octets(a(octets)), octets),
  },
  ...[
    { beginningOnly: false, encoding: 'gzip' },
    { beginningOnly: false, encoding: 'identity' },
    { beginningOnly: true, encoding: 'identity' },
  ].map(
    ({ beginningOnly, encoding }): StreamReader => ({
      file: `${kit}/net/outside.ts`,
      worst: `an answer that arrives octet by octet: ${encoding}, ${beginningOnly ? 'its beginning' : 'whole'}`,
      overNetwork: true,
      feed: (kitModule, octets, sender) => askOutside(kitModule, octets, sender, beginningOnly, encoding),
    }),
  ),
  {
    file: `${kit}/http/exchange-octets.ts`,
    worst: 'an answer that arrives octet by octet',
    feed: ({ exchangeOctets }, octets, sender) =>
      exchangeOctets(
        {
          dispatch(_request: unknown, handler: Record<string, (...given: unknown[]) => void>) {
            handler['onRequestStart']?.({ abort: () => undefined });
            handler['onResponseStart']?.({}, 200, {});
            sender.push(a(octets), octet => handler['onResponseData']?.({}, octet));
            handler['onResponseEnd']?.();
          },
        },
        {},
        new AbortController().signal,
      ),
  },
  {
    file: `${kit}/http/open-answer-stream.ts`,
    worst: 'an answer that arrives octet by octet',
    feed: async ({ openAnswerStream, textOf }, octets, sender) => {
      const dispatcher = {
        request: async () => ({ statusCode: 200, headers: {}, body: sender.octets(a(octets)) }),
      };
      const { content } = await openAnswerStream(dispatcher, {}, 200, new AbortController().signal);
      await drain(textOf(content));
    },
  },
];

const peers: readonly StreamReader[] = [
  {
    file: `${engine}/adapters/smtp/line-channel.ts`,
    worst: 'a reply of long lines that does not end',
    feed: ({ createReplyParser }, octets, sender) => {
      const parser = createReplyParser();
      sender.push(`220-${a(1_994)}\r\n`.repeat(octets / 2_000), octet => parser.feed(octet));
      if (parser.isGarbled() || !parser.isPartial()) throw new Error('The reply was not taken.');
    },
  },
  {
    file: `${engine}/adapters/smtp/line-channel.ts`,
    worst: 'a reply that does not end while a command waits for it',
    feed: async ({ createLineChannel }, octets, sender) => {
      const socket = new Duplex({ read: () => undefined });
      const channel = createLineChannel(socket);
      const reply = channel.next({ remainingMs: () => 60_000, signal: new AbortController().signal });
      sender.push(`220-${a(1_994)}\r\n`.repeat(octets / 2_000), octet => socket.emit('data', octet));
      socket.emit('end');
      await reply;
    },
  },
  {
    file: `${engine}/adapters/dns/ask-servers.ts`,
    worst: 'a message that is complete with its last octet',
    feed: ({ createMessageReader }, octets, sender) => {
      const read = createMessageReader();
      const message = Buffer.alloc(octets);
      message.writeUInt16BE(octets - 2);
      let octetsRead = 0;
      sender.push(message, octet => {
        octetsRead = read(octet)?.length ?? 0;
      });
      if (octetsRead !== octets - 2) throw new Error('The message was not read.');
    },
  },
  {
    file: 'packages/mail-lab/src/dns/server.ts',
    worst: 'a question that is shorter than it says',
    overNetwork: true,
    feed: async ({ startDnsServer }, octets, sender) => {
      const server = await startDnsServer({ address: '127.0.0.1', port: 0, roundTripMs: () => 0 });
      const socket = connect({ port: server.port, host: '127.0.0.1', noDelay: true });
      await once(socket, 'connect');
      for await (const octet of sender.octets(Buffer.alloc(octets, 0xff))) {
        await new Promise(resolve => socket.write(octet, resolve));
        await turn();
      }
      await server.close();
    },
  },
];

const pipelined = 'GET / HTTP/1.1\r\nHost: a.test\r\n\r\n';

const connections: readonly StreamReader[] = ['octet by octet', 'all at once'].map(
  (how): StreamReader => ({
    file: `${kit}/http/connection-bounds.ts`,
    worst: `pipelined requests, ${how}`,
    feed: async ({ boundConnections }, octets, sender) => {
      const requests = Math.floor(octets / pipelined.length);
      const text = pipelined.repeat(requests).padEnd(octets, '\r\n');
      const all = Promise.withResolvers<void>();
      const server = createHttpServer();
      let answered = 0;
      boundConnections(
        server,
        (_request: unknown, response: ServerResponse) => {
          response.end();
          answered += 1;
          if (answered === requests) all.resolve();
        },
        {
          ...{ connectionsMax: 2, connectionsPerAddressMax: 1, isProxy: () => true },
          ...{ onClientError: all.reject, requestMsMax: 60_000, onLateRequest: all.reject },
        },
      );
      const socket = new Duplex({ read: () => undefined, write: (_octets, _encoding, done) => done() });
      server.emit('connection', socket);
      const portions: Buffer[] = [];
      sender.push(text, octet => (how === 'all at once' ? portions.push(octet) : socket.push(octet)));
      if (portions.length > 0) socket.push(Buffer.from(text));
      await all.promise;
      socket.destroy();
    },
  }),
);

export const readers: readonly StreamReader[] = [...uploads, ...bodies, ...peers, ...connections];

async function askOutside(
  { createOutside }: Module,
  octets: number,
  sender: Sender,
  beginningOnly: boolean,
  encoding: string,
): Promise<void> {
  const { createAddressGuard } = await load(`${kit}/net/address-guard.ts`);
  // Noise does not compress, so the compressed body also has this size.
  const noise = Buffer.from(
    Array.from({ length: octets }, (_, index) => Math.imul(index, 2_654_435_761) >>> 24),
  );
  const body = (encoding === 'gzip' ? gzipSync(noise, { level: 0 }) : noise).subarray(0, octets);
  const server = createHttpServer((_request, response) => {
    response.writeHead(200, { 'content-encoding': encoding });
    void answer(response, sender.octets(body));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const outside = createOutside({ guard: createAddressGuard(['127.0.0.0/8']), allowsHttp: true });
  await outside
    .request({
      url: new URL(`http://127.0.0.1:${port}/`),
      deadlineMs: 60_000,
      bytesMax: octets * 2,
      beginningOnly,
      // A busy machine takes longer than customers wait.
      beginningMsMax: 60_000,
    })
    // A truncated compressed body cannot be read.
    .catch(() => undefined);
  await outside.close();
  server.closeAllConnections();
  server.close();
}

async function answer(response: ServerResponse, octets: AsyncIterable<Buffer>): Promise<void> {
  for await (const octet of octets) {
    await new Promise(resolve => response.write(octet, resolve));
    await turn();
  }
  response.end();
}
