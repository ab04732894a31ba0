import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { testServiceKeys } from '@mailproof/dev-house';
import { defineOperation, streamedBody } from '@mailproof/shared-types';
import { z } from 'zod';
import { internalPort, serviceSettings } from '../src/config.ts';
import { giveRequestTime, watchRequest } from '../src/http/connection-bounds.ts';
import {
  createHealth,
  createLogger,
  createOperationClient,
  createPublicServiceApps,
  createTokenSigner,
  forwardingRoute,
  type OperationClient,
  Problem,
  type RunningService,
  readConfig,
  route,
  startService,
} from '../src/index.ts';

const nothing = z.strictObject({});
const upload = defineOperation({
  id: 'upload',
  method: 'post',
  path: '/upload',
  summary: 'Upload',
  description: 'Takes octets in.',
  answeredBy: 'gateway',
  access: { kind: 'apiKey', scope: 'validation' },
  params: nothing,
  query: nothing,
  body: streamedBody,
  bodyBytesMax: 50_000_000,
  bodyMsMax: 120_000,
  bodyMediaType: 'text/csv',
  otherBodyMediaTypes: ['application/vnd.ms-excel'],
  bodyIsUndecoded: true,
  success: {
    status: 201,
    description: 'Taken.',
    schema: z.object({ octets: z.int(), head: z.array(z.int()) }),
  },
  repeatable: false,
  problems: ['too_many_rows', 'request_timeout'],
});
const hurried = defineOperation({ ...upload, id: 'hurried', path: '/hurried', bodyMsMax: 200 });
/** An operation whose pace is measured over one second. */
const paced = defineOperation({ ...upload, id: 'paced', path: '/paced', bodySilentMsMax: 1_000 });
const bytesPerSecondMin = 5_000;

let signing: string;
let peerKeys: Record<string, string>;
let front: RunningService;
let back: RunningService;
let peer: OperationClient;
/** The outcome of reading in the service that takes the body. */
let ended: Promise<unknown>;
let onChunk: (octets: number) => Promise<void>;

type Take = (body: AsyncIterable<Uint8Array>) => Promise<{ octets: number; head: number[] }>;

/** A service that takes bodies itself, or forwards them to a peer. */
async function start(to: Take | OperationClient, uploadBytesPerSecondMin = 0): Promise<RunningService> {
  const settings = readConfig(z.object({ ...serviceSettings, INTERNAL_PORT: internalPort }), {
    PORT: '0',
    INTERNAL_PORT: '0',
    ...peerKeys,
  });
  const logger = createLogger({ service: 'test', level: 'silent' });
  const health = createHealth({});
  const guard = async () => 'a client';
  const routes = [upload, hurried, paced].map(operation =>
    typeof to === 'function'
      ? route(operation, guard, ({ body }) => to(body))
      : forwardingRoute(operation, guard, async input => {
          const { content } = await to.forward(operation, input, { deadlineMs: 60_000 });
          return content;
        }),
  );
  const apps = createPublicServiceApps({
    logger,
    health,
    problemTypeBase: 'urn:',
    publicBaseUrl: 'http://127.0.0.1',
    routes,
    uploadBytesPerSecondMin,
  });
  return startService({ logger, health, ...apps, stop: async () => undefined }, settings);
}

const receive: Take = body => {
  const work = (async () => {
    let octets = 0;
    const head: number[] = [];
    for await (const chunk of body) {
      head.push(...chunk.subarray(0, 4 - head.length));
      octets += chunk.length;
      await onChunk(octets);
    }
    return { octets, head };
  })();
  ended = work.catch((error: unknown) => error);
  return work;
};

beforeAll(async () => {
  const keys = await testServiceKeys();
  peerKeys = keys.settingsOf('credit-ledger');
  signing = keys.settingsOf('gateway')['SERVICE_SIGNING_KEY'] ?? '';
  back = await start(receive);
  peer = await peerAt(back.port);
  front = await start(peer, bytesPerSecondMin);
});

beforeEach(() => {
  onChunk = async () => undefined;
});

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) {
    socket.destroy();
  }
});

afterAll(async () => {
  await front?.stop();
  await peer?.close();
  await back?.stop();
});

async function peerAt(port: number): Promise<OperationClient> {
  return createOperationClient({
    baseUrl: `http://127.0.0.1:${port}`,
    audience: 'credit-ledger',
    sign: await createTokenSigner(JSON.parse(signing)),
  });
}

async function send(body: Uint8Array, type = 'text/csv', port = front.port) {
  const response = await fetch(`http://127.0.0.1:${port}/upload`, {
    method: 'POST',
    headers: { 'content-type': type },
    body: body as Uint8Array<ArrayBuffer>,
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** Starts an upload that the test ends. */
async function open(path = '/upload', { port } = front): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: test\r\ncontent-type: text/csv\r\ntransfer-encoding: chunked\r\n\r\n`,
  );
  return socket;
}

const piece = (octets: number) => `${octets.toString(16)}\r\n${'a'.repeat(octets)}\r\n`;

async function answerAt(socket: Socket): Promise<string> {
  let text = '';
  while (!/\r\n\r\n.*\}/s.test(text)) {
    const [data] = (await once(socket, 'data')) as [Buffer];
    text += data.toString();
  }
  return text;
}

describe('a body that is forwarded', () => {
  it('arrives octet by octet as it was sent, regardless of its declared encoding', async () => {
    const octets = new Uint8Array(9_000_000).fill(0xe9);
    octets.set([0xff, 0xfe, 0x00, 0x80]);
    for (const type of ['text/csv; charset=utf-16', 'application/vnd.ms-excel']) {
      expect(await send(octets, type)).toEqual({
        status: 201,
        body: { octets: 9_000_000, head: [0xff, 0xfe, 0x00, 0x80] },
      });
    }
    expect((await send(octets, 'application/json')).status).toBe(415);
  });

  it('is taken no faster than the service behind reads it', async () => {
    let release = () => {};
    const held = new Promise<void>(resolve => {
      release = resolve;
    });
    let started = () => {};
    const beginning = new Promise<void>(resolve => {
      started = resolve;
    });
    onChunk = async () => {
      started();
      await held;
    };
    const socket = await open();
    // Far more than all buffers on the way can hold, including those of two sockets.
    let sent = false;
    socket.write(piece(40_000_000), () => {
      sent = true;
    });
    await beginning;
    // By now the buffers are full; the rest waits until it is read.
    for (let turns = 0; turns < 1_000; turns += 1) {
      await new Promise(resolve => setImmediate(resolve));
    }
    expect(sent).toBe(false);
    release();
    socket.write('0\r\n\r\n');
    expect(await answerAt(socket)).toContain('"octets":40000000');
  });

  it('is refused by the service behind while it is still coming in', async () => {
    onChunk = async () => {
      throw new Problem('too_many_rows', { detail: 'One too many.' });
    };
    const socket = await open();
    socket.write(piece(100_000));
    const answer = await answerAt(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('One too many.');
    // Data that still arrives does no harm, and the connection serves the next request.
    socket.write(
      `${piece(5_000_000)}0\r\n\r\nPOST /upload HTTP/1.1\r\nhost: test\r\ncontent-length: 0\r\n\r\n`,
    );
    expect(await answerAt(socket)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('ends for the owning service when the client disconnects', async () => {
    let started = () => {};
    const beginning = new Promise<void>(resolve => {
      started = resolve;
    });
    onChunk = async () => started();
    const socket = await open();
    socket.write(piece(1_000));
    await beginning;
    socket.destroy();
    expect(await ended).toMatchObject({ code: 'invalid_request' });
  });

  it('is given up when it takes too long', async () => {
    const socket = await open('/hurried');
    socket.write(piece(10));
    const answer = await answerAt(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toContain('request_timeout');
    expect(await ended).toBeInstanceOf(Error);
  });

  it('ends when it arrives below the minimum rate, and the answer says what to do', async () => {
    const socket = await open('/paced');
    const answer = answerAt(socket);
    const trickle = setInterval(() => socket.write(piece(10)), 20);
    expect(await answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(await answer).toContain(
      'The body arrived at less than 5000 bytes per second for 1 seconds. Retry over a faster connection.',
    );
    clearInterval(trickle);
    expect(await ended).toBeInstanceOf(Error);
  });

  it('is accepted at any rate above the minimum, and at any rate if there is no minimum', async () => {
    const taken = async (service: RunningService, octets: number, pieces: number) => {
      const socket = await open('/paced', service);
      const answer = answerAt(socket);
      for (let sent = 0; sent < pieces; sent += 1) {
        socket.write(piece(octets));
        await new Promise(resolve => setTimeout(resolve, 100));
      }
      socket.write('0\r\n\r\n');
      return answer;
    };
    const [fast, slow] = await Promise.all([taken(front, 2_000, 30), taken(back, 1, 30)]);
    expect(fast).toContain('"octets":60000');
    expect(slow).toContain('"octets":30');
  });

  it('is not held to a pace while its reader is at work', async () => {
    const edge = await start(receive, bytesPerSecondMin);
    let resume = () => {};
    const resumed = new Promise<void>(resolve => {
      resume = resolve;
    });
    onChunk = async octets => {
      if (octets === 10) {
        // Longer than the pace window, and far too little data for the pace has arrived by then.
        await new Promise(resolve => setTimeout(resolve, 1_500));
        resume();
      }
    };
    const socket = await open('/paced', edge);
    const answer = answerAt(socket);
    socket.write(piece(10));
    await resumed;
    for (const more of [piece(10), piece(10), '0\r\n\r\n']) {
      socket.write(more);
      // The server waits for the client, each time much shorter than the pace window.
      await new Promise(resolve => setTimeout(resolve, 50));
    }
    expect(await answer).toContain('"octets":30');
    await edge.stop();
  });

  it('waits until the service behind accepts connections', async () => {
    const later = await start(receive);
    const { port } = later;
    await later.stop();
    const late = await peerAt(port);
    const waiting = await start(late);
    const sent = send(new Uint8Array(500_000), 'text/csv', waiting.port);
    await wait(50);
    const asked: (string | undefined)[] = [];
    const server = createHttpServer((incoming, response) => {
      asked.push(incoming.headers.connection);
      let octets = 0;
      incoming.on('data', (chunk: Buffer) => {
        octets += chunk.length;
      });
      incoming.on('end', () => {
        response.writeHead(201, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ octets, head: [] }));
      });
    }).listen(port, '127.0.0.1');
    await once(server, 'listening');
    expect(await sent).toEqual({ status: 201, body: { octets: 500_000, head: [] } });
    // A kept connection could be ended by a service that stops while it gets a body.
    expect(asked).toEqual(['close']);
    await waiting.stop();
    await late.close();
    server.close();
  });

  it('is not sent again when the service behind breaks off', async () => {
    let connections = 0;
    const broken = createServer(socket => {
      connections += 1;
      socket.on('error', () => undefined);
      socket.once('data', () => socket.destroy());
    });
    await once(broken.listen(0, '127.0.0.1'), 'listening');
    const through = await peerAt((broken.address() as AddressInfo).port);
    const between = await start(through);
    const answer = await send(new Uint8Array(1_000_000), 'text/csv', between.port);
    expect([answer.status, answer.body['code'], connections]).toEqual([503, 'service_unavailable', 1]);
    await between.stop();
    await through.close();
    broken.close();
  });
});

describe('a request that dawdles', () => {
  it('is given up when its body does not come in in time, unless it is given more', async () => {
    let late = () => {};
    const lateness = new Promise<void>(resolve => {
      late = resolve;
    });
    let whole = (_body: string) => {};
    const arrival = new Promise<string>(resolve => {
      whole = resolve;
    });
    const server = createHttpServer((request, response) => {
      watchRequest(request, response, 50, late);
      if (request.url === '/patient') {
        giveRequestTime(request, 60_000);
        request.on('data', (data: Buffer) => whole(data.toString()));
      }
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const begin = (path: string) => {
      const socket = connect(port, '127.0.0.1');
      sockets.push(socket);
      socket.write(`POST ${path} HTTP/1.1\r\nhost: test\r\ncontent-length: 4\r\n\r\n`);
      return socket;
    };
    const patient = begin('/patient');
    begin('/hurried');
    await lateness;
    patient.write('here');
    expect(await arrival).toBe('here');
    server.closeAllConnections();
    server.close();
  });
});
