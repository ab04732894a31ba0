import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { testRedisUrl, testServiceKeys } from '@mailproof/dev-house';
import { defineOperation } from '@mailproof/shared-types';
import type { Redis } from 'ioredis';
import request from 'supertest';
import { z } from 'zod';
import {
  createFailureCount,
  createHealth,
  createLogger,
  createRateLimiter,
  createServiceApp,
  createServiceGuard,
  createTokenSigner,
  openRedis,
  type PrivateServiceKey,
  type PublicServiceKeys,
  readConfig,
  rememberRefusals,
  route,
  serviceSettings,
  untilConnected,
} from '../src/index.ts';

const perMinuteMax = 5;
const act = defineOperation({
  ...{ id: 'act', method: 'get', path: '/internal/v1/act', summary: 'Act', description: 'Acts.' },
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
let app: ReturnType<typeof createServiceApp>;
let token: string;
const lines: { message: string; [fact: string]: unknown }[] = [];

beforeAll(async () => {
  redis = openRedis(await testRedisUrl(), () => undefined);
  await untilConnected(redis, 30_000);
  const keys = await testServiceKeys();
  const settings = readConfig(z.object(serviceSettings), { PORT: '0', ...keys.settingsOf('credit-ledger') });
  token = await (await createTokenSigner(keys.signingKeys.gateway as PrivateServiceKey))('credit-ledger');
  const countFailure = createFailureCount({
    rateLimiter: rememberRefusals(createRateLimiter(redis)),
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
  app = createServiceApp({
    logger,
    health: createHealth({}),
    problemTypeBase: 'https://docs.example/errors/',
    countFailure,
    routes: [route(act, guardOf(act), async () => ({ isDone: true }))],
    mountPages: each => void each.get('/page', (_request, response) => void response.send('A page.')),
  });
});

afterAll(() => redis.disconnect());

it('counts unknown paths, wrong methods and forged tokens against one address, and keeps out nobody else', async () => {
  const asked = [
    await request(app).get('/nowhere'),
    await request(app).delete(act.path),
    await request(app).get(act.path),
    await request(app).get(act.path).set('authorization', 'Bearer forged'),
    await request(app).put('/livez'),
  ];
  expect(asked.map(({ status }) => status)).toEqual([404, 405, 401, 401, 404]);
  for (const send of [
    () => request(app).get('/nowhere'),
    () => request(app).delete(act.path),
    () => request(app).get(act.path).set('authorization', 'Bearer forged'),
  ]) {
    const { status, body, headers } = await send();
    expect([status, body.code, headers['connection']]).toEqual([429, 'too_many_failed_attempts', 'close']);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  }
  // A valid token from the same address is served on a connection that stays, and so are pages and health.
  const valid = await request(app).get(act.path).set('authorization', `Bearer ${token}`);
  expect([valid.status, valid.body]).toEqual([200, { isDone: true }]);
  expect((await request(app).get('/page')).status).toBe(200);
  expect((await request(app).get('/livez')).status).toBe(200);
});

it('tells of refused requests in one line a second, and of each request that was let in', async () => {
  lines.length = 0;
  const startedAtMs = performance.now();
  for (let sent = 0; sent < 100; sent += 1) {
    await request(app).get('/nowhere');
  }
  await request(app).get(act.path).set('authorization', `Bearer ${token}`);
  const seconds = Math.ceil((performance.now() - startedAtMs) / 1_000);
  const refused = lines.filter(({ message }) => message === 'requests refused');
  expect(refused.length).toBeLessThanOrEqual(seconds + 1);
  const served = lines.filter(({ message }) => message === 'request');
  expect(served).toEqual([expect.objectContaining({ operation: 'act', status: 200 })]);
  expect(lines).toHaveLength(refused.length + served.length);
});
