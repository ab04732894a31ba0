import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { testServiceKeys, waitFor } from '@mailproof/dev-house';
import { defineOperation, streamedBody } from '@mailproof/shared-types';
import type { Request } from 'express';
import request from 'supertest';
import { z } from 'zod';
import { openBodyStream } from '../src/http/body-stream.ts';
import {
  createHealth,
  createLogger,
  createServiceApp,
  Problem,
  type RunningService,
  readConfig,
  route,
  serviceSettings,
  startService,
} from '../src/index.ts';

const deadlineMs = 60_000;
const nothing = z.strictObject({});
const count = defineOperation({
  id: 'count',
  method: 'post',
  path: '/count',
  summary: 'Count',
  description: 'Counts octets.',
  answeredBy: 'gateway',
  access: { kind: 'service', callers: ['gateway'] },
  params: nothing,
  query: nothing,
  body: streamedBody,
  bodyBytesMax: 1_000_000,
  bodyMediaType: 'text/csv',
  success: { status: 200, description: 'Counted.', schema: z.object({ octets: z.int() }) },
  repeatable: true,
  problems: [],
});

let running: RunningService;
/** Handles each chunk; `ended` is the handler's outcome. */
let onChunk: (octets: number) => Promise<void>;
let ended: Promise<unknown>;

beforeAll(async () => {
  const keys = await testServiceKeys();
  const settings = readConfig(z.object(serviceSettings), { PORT: '0', ...keys.settingsOf('credit-ledger') });
  const logger = createLogger({ service: 'test', level: 'silent' });
  const health = createHealth({});
  const counted = route(
    count,
    async () => 'somebody',
    ({ body }) => {
      const work = countOctets(body);
      ended = work.catch((error: unknown) => error);
      return work;
    },
  );
  const app = createServiceApp({ logger, health, problemTypeBase: 'urn:', routes: [counted] });
  running = await startService({ logger, health, app, stop: async () => undefined }, settings);
});

beforeEach(() => {
  onChunk = async () => undefined;
});

afterAll(() => running.stop());

async function countOctets(body: AsyncIterable<Uint8Array>): Promise<{ octets: number }> {
  let octets = 0;
  for await (const chunk of body) {
    octets += chunk.length;
    await onChunk(octets);
  }
  return { octets };
}

const post = (body: string, type = 'text/csv') =>
  request(`http://127.0.0.1:${running.port}`).post('/count').set('content-type', type).send(body);

describe('a streamed body', () => {
  it('reaches the handler whole', async () => {
    expect((await post('a'.repeat(900_000))).body).toEqual({ octets: 900_000 });
    expect((await post('a', 'text/csv; charset=UTF-8')).body).toEqual({ octets: 1 });
  });

  it.each([
    ['another type', 'application/json', '{}', 415, 'unsupported_media_type'],
    ['another character set', 'text/csv; charset=utf-16', 'a', 415, 'unsupported_media_type'],
    ['too many octets', 'text/csv', 'a'.repeat(1_000_001), 413, 'body_too_large'],
    ['nothing', 'text/csv', '', 400, 'invalid_request'],
  ])('is refused: %s', async (_what, type, body, status, code) => {
    const response = await post(body, type);
    expect([response.status, response.body.code]).toEqual([status, code]);
  });

  it('is rejected if it is compressed', async () => {
    const response = await post('a').set('content-encoding', 'gzip');
    expect([response.status, response.body.code]).toEqual([415, 'unsupported_media_type']);
  });

  it('is rejected at the first octet above the limit if its length is unknown', async () => {
    const socket = await open('transfer-encoding: chunked');
    for (let sent = 0; sent < 11; sent += 1) {
      socket.write(`186a0\r\n${'a'.repeat(100_000)}\r\n`);
    }
    const [answer] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer.toString()).toContain('body_too_large');
  });

  it('gets a response even if the handler stops reading early', async () => {
    onChunk = async () => {
      throw new Problem('credits_exhausted');
    };
    expect((await post('a'.repeat(900_000))).body.code).toBe('credits_exhausted');
  });

  it('comes in no faster than it is read', async () => {
    let release = () => {};
    const held = new Promise<void>(resolve => {
      release = resolve;
    });
    let seen = 0;
    onChunk = async octets => {
      seen = octets;
      await held;
    };
    const socket = await open('content-length: 1000000');
    // The buffers on the way fill up; the handler gets only its first chunk.
    const drained = new Promise(resolve => socket.write('a'.repeat(1_000_000), resolve));
    await waitFor('The handler gets a chunk', () => seen > 0, { deadlineMs });
    expect(seen).toBeLessThan(200_000);
    release();
    await drained;
    expect(await ended).toEqual({ octets: 1_000_000 });
    socket.destroy();
  });

  it('ends for the handler when the client disconnects', async () => {
    let resolveStarted = () => {};
    const started = new Promise<void>(resolve => {
      resolveStarted = resolve;
    });
    onChunk = async () => resolveStarted();
    const socket = await open('content-length: 1000');
    socket.write('a,b,c');
    await started;
    socket.destroy();
    expect(await ended).toMatchObject({
      code: 'invalid_request',
      detail: expect.stringContaining('complete'),
    });
  });
});

it('closes the connection of a disconnected client whose body was not read to the end', async () => {
  const server = createServer(async (request, response) => {
    for await (const _chunk of openBodyStream(request as Request, 10_000_000)) {
      break;
    }
    response.end('enough');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  // Far more than the buffers on the way can hold.
  socket.write(`POST / HTTP/1.1\r\nhost: test\r\ncontent-length: 9000000\r\n\r\n${'a'.repeat(8_000_000)}`);
  await once(socket, 'data');
  socket.destroy();
  const connections = () =>
    new Promise<number>((resolve, reject) => {
      server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
    });
  await waitFor('The connection is closed', async () => (await connections()) === 0, { deadlineMs });
  server.close();
});

async function open(header: string): Promise<Socket> {
  const socket = connect(running.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  socket.write(`POST /count HTTP/1.1\r\nhost: test\r\ncontent-type: text/csv\r\n${header}\r\n\r\n`);
  return socket;
}
