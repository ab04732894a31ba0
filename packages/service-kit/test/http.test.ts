import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { testServiceKeys } from '@mailproof/dev-house';
import { defineOperation, problemDocument } from '@mailproof/shared-types';
import request from 'supertest';
import { z } from 'zod';
import {
  createHealth,
  createLogger,
  createOperationClient,
  createServiceApp,
  createServiceGuard,
  createTokenSigner,
  type PrivateServiceKey,
  Problem,
  type PublicServiceKeys,
  type RunningService,
  readConfig,
  route,
  type Service,
  type ServiceSettings,
  serviceSettings,
  startService,
} from '../src/index.ts';

/** An operation that answers, fails or waits, depending on its body. */
const act = defineOperation({
  id: 'act',
  method: 'post',
  path: '/internal/v1/things/:thing/act',
  summary: 'Act',
  description: 'Acts.',
  answeredBy: 'gateway',
  access: { kind: 'service', callers: ['gateway'] },
  query: z.strictObject({ bright: z.enum(['yes', 'no']).optional() }),
  params: z.strictObject({ thing: z.string().max(20) }),
  body: z.strictObject({
    behave: z.enum(['well', 'badly', 'exhausted', 'flaky', 'indiscreetly', 'patiently']),
    size: z.int().optional(),
    note: z.string().optional(),
    words: z.record(z.string(), z.unknown()).optional(),
  }),
  bodyBytesMax: 1_000,
  success: { status: 200, description: 'Done.', schema: z.object({ thing: z.string() }) },
  repeatable: true,
  problems: ['credits_exhausted'],
});

const logger = createLogger({ service: 'test', level: 'silent' });
let keys: Awaited<ReturnType<typeof testServiceKeys>>;
let settings: ServiceSettings;
let service: Service;
let running: RunningService;
let calls = 0;
/** Outcomes of requests, in the order in which they started. */
const ends: Promise<{ readonly wasDelivered: boolean; readonly wasAborted: boolean }>[] = [];

beforeAll(async () => {
  keys = await testServiceKeys();
  settings = readConfig(z.object(serviceSettings), { PORT: '0', ...keys.settingsOf('credit-ledger') });
  const health = createHealth({});
  const guard = createServiceGuard('credit-ledger', settings.SERVICE_PEER_KEYS as PublicServiceKeys)(act);
  service = {
    logger,
    health,
    stop: async () => undefined,
    app: createServiceApp({
      logger,
      health,
      problemTypeBase: 'https://docs.example/errors/',
      routes: [
        route(act, guard, async ({ params, body }, { signal, whenAnswered }) => {
          calls += 1;
          const isOver = new Promise<boolean>(resolve => whenAnswered(resolve));
          ends.push(isOver.then(wasDelivered => ({ wasDelivered, wasAborted: signal.aborted })));
          if (body.behave === 'patiently') {
            await once(signal, 'abort');
          }
          if (body.behave === 'badly') {
            throw new Error('the password is hunter2');
          }
          if (body.behave === 'exhausted') {
            throw new Problem('credits_exhausted', {
              detail: 'No credits.',
              extra: { required: 2, available: 1 },
              headers: { 'retry-after': '7' },
            });
          }
          if (body.behave === 'flaky' && calls % 3 !== 0) {
            throw new Problem('service_unavailable');
          }
          return body.behave === 'indiscreetly' ? { ...params, secret: 'hunter2' } : params;
        }),
      ],
    }),
  };
  running = await startService(service, settings);
});

afterAll(() => running.stop());

async function post(
  body: string | object,
  headers: Record<string, string> = { 'content-type': 'application/json' },
  query = '',
) {
  const sign = await createTokenSigner(keys.signingKeys.gateway as PrivateServiceKey);
  return request(service.app)
    .post(`/internal/v1/things/lamp/act${query}`)
    .set('authorization', `Bearer ${await sign('credit-ledger')}`)
    .set(headers)
    .serialize(octetsAsTheyAre)
    .send(body);
}

function octetsAsTheyAre(body: unknown): string {
  return Buffer.isBuffer(body) ? (body as unknown as string) : JSON.stringify(body);
}

function expectProblem(
  response: { status: number; type: string; text: string; body: unknown },
  status: number,
  code: string,
) {
  expect({ status: response.status, type: response.type }).toEqual({
    status,
    type: 'application/problem+json',
  });
  expect(problemDocument.parse(response.body)).toMatchObject({
    status,
    code,
    type: `https://docs.example/errors/${code}`,
    remedy: expect.stringMatching(/\.$/),
  });
  expect(response.text).not.toMatch(/hunter2|\.ts:|node_modules|\n\s+at /);
}

describe('an operation', () => {
  it('answers what its contract describes and nothing else', async () => {
    expect((await post({ behave: 'indiscreetly' })).body).toEqual({ thing: 'lamp' });
  });

  it.each([
    ['malformed JSON', '{"behave":', 'malformed_json'],
    ['a JSON value that is no object', '"well"', 'invalid_request'],
    ['null', 'null', 'invalid_request'],
    ['a member of the wrong type', '{"behave":5}', 'invalid_request'],
    ['an unknown member', '{"behave":"well","extra":1}', 'invalid_request'],
    ['a member called __proto__', '{"behave":"well","__proto__":{"size":1}}', 'invalid_request'],
    ['an empty body', '', 'invalid_request'],
  ])('answers 400 to %s', async (_what, body, code) => {
    expectProblem(await post(body), 400, code);
  });

  it.each([
    ['an octet that begins no character', '\xff', 14],
    ['a character that is cut off', '\xc3', 14],
    ['an overlong form', '\xc0\xaf', 14],
    ['half a surrogate pair in UTF-8', '\xed\xa0\x80', 14],
    ['ISO 8859-1', 'Ren\xe9e', 17],
    ['damage behind what is none', '\xc3\xa9\xef\xbf\xbd\xff', 19],
  ])('answers 400 to %s and says where it is', async (_what, spoilt, octet) => {
    const before = calls;
    const body = Buffer.from(`{"behave":"ab${spoilt}"}`, 'latin1');
    const response = await post(body);
    expectProblem(response, 400, 'invalid_request');
    expect(response.body['detail']).toContain(`not valid UTF-8: byte ${octet} `);
    expect(calls).toBe(before);
  });

  it.each([
    ['half a surrogate pair', '{"behave":"well","note":"\\ud83d"}'],
    ['the other half', '{"behave":"well","note":"\\uDE00x"}'],
    ['NUL', '{"behave":"well","note":"a\\u0000b"}'],
    ['half a pair as a name', '{"behave":"well","words":{"\\ud83d":1}}'],
    ['NUL within arrays', '{"behave":"well","words":{"a":[["\\u0000"]]}}'],
  ])('answers 400 to a string with %s', async (_what, body) => {
    const before = calls;
    const response = await post(body);
    expectProblem(response, 400, 'invalid_request');
    expect(response.body['detail']).toContain('an unpaired surrogate');
    expect(calls).toBe(before);
  });

  it('accepts escaped text, and a byte order mark', async () => {
    expect((await post('\ufeff{"behave":"\\u0077ell"}')).status).toBe(200);
    expect((await post('{"behave":"well","note":"\\ud83d\\ude00 \\\\u0000"}')).status).toBe(200);
  });

  it.each(['?bright=%ff', '?bright=%c3', '?bright=%', '?bright=yes%00', '?%ed%a0%80=yes'])(
    'answers 400 to the query %s',
    async query => {
      const response = await post('{"behave":"well"}', { 'content-type': 'application/json' }, query);
      expectProblem(response, 400, 'invalid_request');
      expect(response.body['detail']).toContain('The query is not valid text');
    },
  );

  it('points at the member that is wrong', async () => {
    expect((await post({ behave: 'well', size: 'big' })).body).toMatchObject({
      errors: [{ pointer: '/size' }],
    });
  });

  it('answers 413 to a body beyond its limit, compressed or not', async () => {
    expectProblem(await post(JSON.stringify({ behave: 'x'.repeat(1_000_000) })), 413, 'body_too_large');
  });

  it.each([
    ['another type', { 'content-type': 'text/plain' }],
    ['no type', { 'content-type': '' }],
    ['another character set', { 'content-type': 'application/json; charset=iso-8859-1' }],
    ['UTF-16', { 'content-type': 'application/json; charset=utf-16' }],
    ['an unknown encoding', { 'content-type': 'application/json', 'content-encoding': 'zip' }],
  ])('answers 415 to %s', async (_what, headers) => {
    expectProblem(await post('{"behave":"well"}', headers), 415, 'unsupported_media_type');
  });

  it('responds with 500 without internal details', async () => {
    expectProblem(await post({ behave: 'badly' }), 500, 'internal_error');
  });
});

describe('a path', () => {
  it('that does not exist is a 404', async () => {
    expectProblem(await request(service.app).get('/nowhere'), 404, 'route_not_found');
  });

  it('that is no valid percent-encoding is a 400', async () => {
    expectProblem(await request(service.app).post('/internal/v1/things/%zz/act'), 400, 'invalid_request');
  });

  it('called by another method is a 405 that lists the right ones', async () => {
    const response = await request(service.app).delete('/internal/v1/things/lamp/act');
    expectProblem(response, 405, 'method_not_allowed');
    expect(response.headers).toMatchObject({ allow: 'POST' });
  });
});

describe('what is not HTTP', () => {
  it.each([
    ['garbage', 'NONSENSE\r\n\r\n', 400],
    ['a header beyond 16 kB', `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
  ])('is refused with a problem document: %s', async (_what, bytes, status) => {
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(running.port, '127.0.0.1', () => socket.write(bytes));
      let text = '';
      socket.on('data', chunk => {
        text += chunk.toString();
      });
      socket.on('end', () => resolve(text));
      socket.on('error', reject);
    });
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toContain('application/problem+json');
  });
});

describe('a call from service to service', () => {
  async function call(
    behave: 'well' | 'badly' | 'exhausted' | 'flaky' | 'patiently',
    { port = running.port, thing = 'lamp', deadlineMs = 20_000 } = {},
  ) {
    const client = createOperationClient({
      baseUrl: `http://127.0.0.1:${port}`,
      audience: 'credit-ledger',
      sign: await createTokenSigner(keys.signingKeys.gateway as PrivateServiceKey),
    });
    try {
      return await client.call(act, { params: { thing }, body: { behave } }, { deadlineMs });
    } finally {
      await client.close();
    }
  }

  it('answers the parsed result', async () => {
    expect(await call('well')).toEqual({ thing: 'lamp' });
  });

  it.each(['.', '..', 'a/b', '?x', '%2e%2e', 'é'])(
    'takes %j for a parameter, not for a path',
    async thing => {
      expect(await call('well', { thing })).toEqual({ thing });
    },
  );

  it('passes on a problem that the contract names, with its numbers and its time to wait', async () => {
    await expect(call('exhausted')).rejects.toMatchObject({
      code: 'credits_exhausted',
      headers: { 'retry-after': '7' },
      extra: { required: 2, available: 1 },
    });
  });

  it('turns any other failure into our own', async () => {
    await expect(call('badly')).rejects.toMatchObject({ code: 'internal_error' });
  });

  it('repeats a repeatable operation while the peer is away for a moment', async () => {
    calls = 0;
    expect(await call('flaky')).toEqual({ thing: 'lamp' });
    expect(calls).toBe(3);
  });

  it('is aborted at the peer when its caller disconnects, but not once it has a response', async () => {
    ends.length = 0;
    await call('well');
    await expect(call('patiently', { deadlineMs: 300 })).rejects.toThrow('is not responding');
    expect(await Promise.all(ends)).toEqual([
      { wasDelivered: true, wasAborted: false },
      { wasDelivered: false, wasAborted: true },
    ]);
  });

  it('reports an unavailable peer when its port refuses connections', async () => {
    const closed = await startService({ ...service }, settings);
    await closed.stop();
    await expect(call('well', { port: closed.port })).rejects.toMatchObject({ code: 'service_unavailable' });
  });
});

it('listens on the configured address', () => {
  const { port } = { port: running.port } satisfies Partial<AddressInfo>;
  expect(port).toBeGreaterThan(0);
});

it('finds a literal path although a route before it has a parameter in its position', async () => {
  const answering = (id: string, method: 'get' | 'post', path: string) =>
    route(
      defineOperation({
        id,
        method,
        path,
        summary: 'Answer',
        description: 'Answers its id.',
        answeredBy: 'gateway',
        access: { kind: 'service', callers: ['gateway'] },
        params: z.object({}),
        query: z.strictObject({}),
        body: z.undefined(),
        bodyBytesMax: 0,
        success: { status: 200, description: 'Done.', schema: z.object({ id: z.string() }) },
        repeatable: true,
        problems: [],
      }),
      async () => undefined,
      async () => ({ id }),
    );
  const app = createServiceApp({
    logger,
    health: createHealth({}),
    problemTypeBase: 'urn:',
    routes: [
      answering('any', 'get', '/things/:thing'),
      answering('any-part', 'get', '/:kind/of/:thing'),
      answering('removal', 'post', '/things/removal'),
      answering('part', 'get', '/things/of/:thing'),
    ],
  });
  expect((await request(app).post('/things/removal')).body).toEqual({ id: 'removal' });
  expect((await request(app).get('/things/of/lamp')).body).toEqual({ id: 'part' });
  expect((await request(app).get('/things/lamp')).body).toEqual({ id: 'any' });
  expect((await request(app).get('/lamps/of/lamp')).body).toEqual({ id: 'any-part' });
});
