import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { testRedisUrl, testServiceKeys, waitFor } from '@mailproof/dev-house';
import { defineOperation } from '@mailproof/shared-types';
import express, { type Express } from 'express';
import type { Redis } from 'ioredis';
import request from 'supertest';
import { z } from 'zod';
import { heldBackSinceMs } from '../src/http/client-connections.ts';
import {
  createFailureCount,
  createHealth,
  createLogger,
  createPublicServiceApps,
  createRateLimiter,
  createServiceGuard,
  createTokenSigner,
  type PrivateServiceKey,
  Problem,
  type PublicServiceKeys,
  readConfig,
  refusalHeaders,
  rememberRefusals,
  route,
  serviceSettings,
} from '../src/index.ts';
import { openRedis, untilConnected } from '../src/stores/redis.ts';

const perMinuteMax = 5;
const act = defineOperation({
  ...{ id: 'act', method: 'get', path: '/internal/v1/act', summary: 'Act', description: 'Acts.' },
  answeredBy: 'gateway',
  access: { kind: 'service', callers: ['gateway'] },
  params: z.strictObject({}),
  query: z.strictObject({}),
  body: z.undefined(),
  bodyBytesMax: 0,
  success: { status: 200, description: 'Done.', schema: z.object({ isDone: z.boolean() }) },
  repeatable: true,
  problems: [],
});

let redis: Redis;
const look = defineOperation({
  ...act,
  id: 'look',
  path: '/api/v1/look',
  access: { kind: 'apiKey', scope: 'validation' },
});

const begin = defineOperation({
  ...look,
  id: 'begin',
  method: 'post',
  path: '/api/v1/begin',
  query: z.strictObject({ credits_max: z.string().optional() }),
});

/** A link in a mail: mail programs send a body with it (RFC 8058). */
const stop = defineOperation({ ...begin, id: 'stop', path: '/stop', access: { kind: 'secretUrl' } });

const hurry = defineOperation({ ...look, id: 'hurry', path: '/api/v1/hurry' });

let internal: Express;
let outside: Express;
let token: string;
const lines: { message: string; [fact: string]: unknown }[] = [];

beforeAll(async () => {
  redis = openRedis(await testRedisUrl(), () => undefined);
  await untilConnected(redis, 30_000);
  const keys = await testServiceKeys();
  const settings = readConfig(z.object(serviceSettings), { PORT: '0', ...keys.settingsOf('credit-ledger') });
  token = await (await createTokenSigner(keys.signingKeys.gateway as PrivateServiceKey))('credit-ledger');
  const countFailure = createFailureCount({
    rateLimiter: rememberRefusals(createRateLimiter(redis, 'gateway')),
    subject: `refusals-test-${process.pid}`,
    perMinuteMax,
  });
  const guardOf = createServiceGuard(
    'credit-ledger',
    settings.SERVICE_PEER_KEYS as PublicServiceKeys,
    countFailure,
  );
  const logger = createLogger({
    service: 'test',
    level: 'info',
    destination: { write: line => void lines.push(JSON.parse(line)) },
  });
  const apps = createPublicServiceApps({
    logger,
    health: createHealth({}),
    problemTypeBase: 'https://docs.example/errors/',
    publicBaseUrl: 'http://127.0.0.1',
    trustedProxies: ['loopback'],
    countFailure,
    routes: [
      route(act, guardOf(act), async () => ({ isDone: true })),
      route(
        look,
        async () => undefined,
        async () => ({ isDone: true }),
      ),
      route(
        begin,
        async () => undefined,
        async () => ({ isDone: true }),
      ),
      route(
        stop,
        async () => undefined,
        async () => ({ isDone: true }),
      ),
      route(
        hurry,
        async (request, response) => {
          response.locals['accountId'] = 'acc_one';
          throw new Problem('rate_limited', { headers: refusalHeaders(request, { resetInMs: 1_500 }) });
        },
        async () => ({ isDone: true }),
      ),
    ],
    mountPages: each => void each.get('/page', (_request, response) => void response.send('A page.')),
  });
  internal = apps.app;
  outside = apps.publicApp;
});

afterAll(() => redis.disconnect());

it('refuses a body that an operation would ignore, and accepts an empty one', async () => {
  const send = async (body: string | undefined, type = 'application/json') => {
    const { status, body: answer } = await request(outside)
      .post(begin.path)
      .set('content-type', type)
      .send(body);
    return [status, answer.code ?? answer.isDone];
  };
  for (const body of [undefined, '', '{}', ' { }\n', 'null']) expect(await send(body)).toEqual([200, true]);
  const refused = [400, 'invalid_request'];
  expect(await send('{"credits_max":1}')).toEqual(refused);
  expect(await send('credits_max=1', 'application/x-www-form-urlencoded')).toEqual(refused);
  expect(await send(`{${' '.repeat(2_000)}}`)).toEqual(refused);
  const link = await request(outside).post(stop.path).type('form').send('List-Unsubscribe=One-Click');
  expect(link.status).toBe(200);
});

it('counts unknown paths, wrong methods and forged tokens against one address, and refuses no other request', async () => {
  const asked = [
    await request(outside).get('/nowhere'),
    await request(outside).delete(look.path),
    await request(outside).put('/livez'),
    await request(internal).get(act.path),
    await request(internal).get(act.path).set('authorization', 'Bearer forged'),
  ];
  expect(asked.map(({ status }) => status)).toEqual([404, 405, 404, 401, 401]);
  for (const send of [
    () => request(outside).get('/nowhere'),
    () => request(outside).delete(look.path),
    () => request(internal).get(act.path).set('authorization', 'Bearer forged'),
  ]) {
    const sentAtMs = performance.now();
    const { status, body, headers } = await send();
    expect([status, body.code, headers['connection']]).toEqual([429, 'too_many_failed_attempts', 'close']);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    // Late, so that a client that opens a connection for each failure uses almost no CPU time.
    expect(performance.now() - sentAtMs).toBeGreaterThan(900);
  }
  // A valid token from the same address is served, and so are operations, pages and health.
  const valid = await request(internal).get(act.path).set('authorization', `Bearer ${token}`);
  expect([valid.status, valid.body]).toEqual([200, { isDone: true }]);
  expect((await request(outside).get(look.path)).status).toBe(200);
  expect((await request(outside).get('/page')).status).toBe(200);
  expect((await request(internal).get('/livez')).status).toBe(200);
});

it('marks the connection of a delayed refusal, so that it can be closed to make room', async () => {
  const server = createServer(outside).listen(0, '127.0.0.1');
  const sockets: Socket[] = [];
  server.on('connection', socket => sockets.push(socket));
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const fail = async () => (await fetch(`http://127.0.0.1:${port}/nowhere`)).status;
  while ((await fail()) !== 429);
  const refused = fail();
  const isHeldBack = () => sockets.some(socket => heldBackSinceMs(socket) !== undefined);
  await waitFor('The refusal is held back', isHeldBack, { deadlineMs: 30_000, everyMs: 5 });
  expect(await refused).toBe(429);
  server.close();
});

it('admits many failures of one address one by one, and delays no other address', async () => {
  const countFailure = createFailureCount({
    rateLimiter: createRateLimiter(redis, 'gateway'),
    subject: `turns-test-${process.pid}`,
    perMinuteMax: 1_000,
  });
  const app = express().set('trust proxy', 'loopback');
  app.use(async (failing, response) => {
    response.locals['requestId'] = randomUUID();
    await countFailure(failing, response);
    response.sendStatus(401);
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  const fail = (address: string) => request(server).get('/').set('x-forwarded-for', address);
  const startedAtMs = performance.now();
  const answeredMs: number[] = [];
  const flood = Array.from({ length: 240 }, async () => {
    expect((await fail('192.0.2.3')).status).toBe(401);
    answeredMs.push(performance.now() - startedAtMs);
  });
  await waitFor('The first failures have passed', () => answeredMs.length > 0, {
    deadlineMs: 30_000,
    everyMs: 5,
  });
  expect((await fail('192.0.2.4')).status).toBe(401);
  expect(answeredMs.length).toBeLessThan(240);
  await Promise.all(flood);
  // Twenty pass at once, then one every 20 ms.
  expect(answeredMs.at(-1)).toBeGreaterThan(1_950);
  server.close();
});

it('refuses immediately, and keeps the connection, for requests of a trusted proxy', async () => {
  const through = () =>
    request(outside).get('/nowhere').set({ 'x-forwarded-for': '192.0.2.1', connection: 'keep-alive' });
  for (let failures = 0; failures < perMinuteMax; failures += 1) expect((await through()).status).toBe(404);
  const sentAtMs = performance.now();
  const { status, headers } = await through();
  expect([status, headers['connection']]).toEqual([429, 'keep-alive']);
  expect(performance.now() - sentAtMs).toBeLessThan(900);
});

it('says when to retry, and closes a connection that is the client’s own', async () => {
  const ownConnection = request(outside).get(hurry.path).set({ connection: 'keep-alive' });
  const ofProxy = request(outside)
    .get(hurry.path)
    .set({ 'x-forwarded-for': '192.0.2.2', connection: 'keep-alive' });
  const answers = [await ownConnection, await ofProxy].map(({ status, headers }) => [
    status,
    headers['retry-after'],
    headers['connection'],
  ]);
  expect(answers).toEqual([
    [429, '2', 'close'],
    [429, '2', 'keep-alive'],
  ]);
});

it('logs refused requests in one line a second, each request that was let in, and no probe', async () => {
  lines.length = 0;
  const startedAtMs = performance.now();
  await Promise.all(Array.from({ length: 100 }, () => request(outside).get('/nowhere')));
  await request(internal).get(act.path).set('authorization', `Bearer ${token}`);
  await request(internal).get('/readyz');
  const seconds = Math.ceil((performance.now() - startedAtMs) / 1_000);
  const refused = lines.filter(({ message }) => message === 'requests refused');
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length).toBeLessThanOrEqual(seconds + 1);
  const served = lines.filter(({ message }) => message === 'request');
  expect(served).toEqual([expect.objectContaining({ operation: 'act', status: 200 })]);
  expect(lines).toHaveLength(refused.length + served.length);
});

it('logs a request over the rate once, with the account that a guard found', async () => {
  lines.length = 0;
  // All refusals share one line per second, so the next line follows within a second.
  await waitFor(
    'A refusal is logged',
    async () => {
      await request(outside).get(hurry.path);
      return lines.length > 0;
    },
    { deadlineMs: 30_000 },
  );
  expect(lines).toEqual([
    expect.objectContaining({ message: 'requests refused', code: 'rate_limited', accountId: 'acc_one' }),
  ]);
});
