import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { testServiceKeys } from '@mailproof/dev-house';
import { type AccountId, defineOperation, forwarded, newId, type UserId } from '@mailproof/shared-types';
import express, { type Express } from 'express';
import request from 'supertest';
import { z } from 'zod';
import {
  createHealth,
  createLogger,
  createOperationClient,
  createPublicServiceApps,
  createServiceApp,
  createServiceGuard,
  createTokenSigner,
  forwardingRoute,
  type Handler,
  type OperationClient,
  type PrivateServiceKey,
  Problem,
  type PublicServiceKeys,
  type Route,
  route,
} from '../src/index.ts';

const change = defineOperation({
  id: 'change-thing',
  method: 'put',
  path: '/app/v1/things/:thing_id',
  summary: 'Change a thing',
  description: 'Changes a thing.',
  answeredBy: 'enrichment',
  access: { kind: 'session', role: 'member', byKey: { scope: 'validation' } },
  params: z.strictObject({ thing_id: z.string().regex(/^[a-z.]+$/) }),
  query: z.strictObject({ limit: z.coerce.number().int().max(9).optional() }),
  body: z.strictObject({
    name: z.string().trim().min(1).max(20),
    does: z.enum(['well', 'badly', 'leak', 'break', 'refuse']).default('well'),
    words: z.array(z.record(z.string(), z.string())).optional(),
  }),
  bodyBytesMax: 1_000,
  success: { status: 201, description: 'Changed.', schema: z.object({ name: z.string(), of: z.string() }) },
  repeatable: true,
  takesIdempotencyKey: true,
  problems: ['credits_exhausted'],
});
const twin = forwarded(change);

const accountId = newId('account') as AccountId;
const callerId = newId('user') as UserId;
const logger = createLogger({ service: 'test', level: 'silent' });
const health = createHealth({});
const base = { logger, health, problemTypeBase: 'https://docs.example/errors/' };

/** The requests that the owner got. */
const asked: unknown[] = [];

const handleTwin: Handler<Pick<typeof twin, keyof typeof twin>, unknown> = async ({
  params,
  query,
  body,
}) => {
  asked.push({ params, query, body });
  switch (body.does) {
    case 'badly':
      throw new Error('the password is hunter2');
    case 'leak':
      return { name: body.name, of: params.thing_id, secret: 'hunter2' };
    case 'break':
      return { name: body.name, of: { secret: 'hunter2' } as unknown as string };
    case 'refuse':
      throw new Problem('credits_exhausted', {
        detail: 'No credits.',
        extra: { required: 2, available: 1 },
        headers: { 'retry-after': '7' },
      });
    default:
      return { name: body.name, of: params.thing_id };
  }
};

const closing: (() => Promise<unknown>)[] = [];
let peer: OperationClient;
/** Parses every request, as the gateway does for operations that it answers itself. */
let parsing: Express;
/** Forwards to the owner. */
let forwarding: Express;
let signing: PrivateServiceKey;

beforeAll(async () => {
  const keys = await testServiceKeys();
  signing = keys.signingKeys.gateway as PrivateServiceKey;
  const peerKeys = JSON.parse(keys.settingsOf('enrichment')['SERVICE_PEER_KEYS'] ?? '') as PublicServiceKeys;
  const owner = createServiceApp({
    ...base,
    routes: [route(twin, createServiceGuard('enrichment', peerKeys)(twin), handleTwin)],
  });
  peer = await peerAt(createServer(owner));
  forwarding = publicApp(forwardingTo(peer));
  parsing = publicApp(
    route(
      change,
      async () => 'a person',
      ({ params, ...input }, context) =>
        handleTwin({ ...input, params: { ...params, accountId, callerId } }, context),
    ),
  );
});

afterEach(() => void asked.splice(0));
afterAll(() => Promise.all(closing.map(close => close())));

function publicApp(mounted: Route): Express {
  const publicBaseUrl = 'http://127.0.0.1';
  return createPublicServiceApps({ ...base, publicBaseUrl, routes: [mounted] }).publicApp;
}

async function peerAt(server: Server): Promise<OperationClient> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = createOperationClient({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    audience: 'enrichment',
    sign: await createTokenSigner(signing),
  });
  closing.push(async () => {
    await client.close();
    server.close();
  });
  return client;
}

function forwardingTo(through: OperationClient): Route {
  return forwardingRoute(
    change,
    async () => 'a person',
    async ({ params, query, body }) => {
      const on = { params: { ...params, accountId, callerId }, query, body };
      const { content } = await through.forward(twin, on, { deadlineMs: 5_000 });
      return content;
    },
  );
}

interface Sent {
  readonly body?: string | Buffer;
  readonly headers?: Record<string, string>;
  readonly to?: string;
}

const json = { 'content-type': 'application/json' };
const good = '{"name":"A"}';

async function put(app: Express, { body = good, headers = json, to = 'lamp' }: Sent) {
  const answer = await request(app)
    .put(`/app/v1/things/${to}`)
    .set(headers)
    .serialize(octets => octets)
    .buffer(true)
    .parse((response, done) => {
      text(response as unknown as IncomingMessage).then(
        whole => done(null, whole),
        error => done(error as Error, undefined),
      );
    })
    .send(body);
  const { date: _date, 'x-request-id': requestId, ...rest } = answer.headers as Record<string, string>;
  return {
    status: answer.status,
    headers: rest,
    body: String(answer.body).replaceAll(String(requestId), '<request>'),
  };
}

const octets = (content: string) => Buffer.from(content, 'latin1');
const gzip = { ...json, 'content-encoding': 'gzip' };

const requests: Readonly<Record<string, Sent>> = {
  'that is valid': {},
  'with a byte order mark': { body: `\ufeff${good}` },
  'with text that parsing normalizes': { body: '{"name":"  A "}' },
  'with a member twice': { body: '{"name":7,"name":"B"}' },
  'that is compressed': { body: gzipSync(good), headers: gzip },
  'with a parameter': { to: 'lamp?limit=3' },
  'without a body': { body: '' },
  'of a body that is empty once decompressed': { body: gzipSync(''), headers: gzip },
  'of a body that is not compressed as it says': { body: 'A', headers: gzip },
  'of a body that is not JSON': { body: '{"name":' },
  'of two values': { body: `${good}${good}` },
  'of an array': { body: '[]' },
  'of null': { body: 'null' },
  'of a number that is too large': { body: '{"name":1e400}' },
  'without a member': { body: '{}' },
  'with an unknown member': { body: '{"name":"A","more":1}' },
  'with a prototype': { body: '{"__proto__":{"name":"A"}}' },
  'with a prototype and all members': { body: '{"name":"A","__proto__":{"does":"badly"}}' },
  'with members that are wrong in many places': {
    body: '{"name":"","does":"~/","words":[{"a/b~":1},{"c":2}]}',
  },
  'that is not UTF-8': { body: octets('{"name":"\xff"}') },
  'with a NUL': { body: '{"name":"A\\u0000"}' },
  'with half a surrogate pair in a name': { body: '{"name":"A","words":[{"\\ud800":""}]}' },
  'that is nested deep': { body: `${'['.repeat(499)}${']'.repeat(499)}` },
  'of the largest size': { body: `${good}${' '.repeat(988)}` },
  'of one octet more': { body: `${good}${' '.repeat(989)}` },
  'that decompresses to more': { body: gzipSync(Buffer.alloc(100_000, ' ')), headers: gzip },
  'of another media type': { headers: { 'content-type': 'text/plain' } },
  'of another charset': { headers: { 'content-type': 'application/json; charset=latin1' } },
  'of an unknown encoding': { headers: { ...json, 'content-encoding': 'zzz' } },
  'with a path that is not valid': { to: 'LAMP' },
  'with a path of two dots': { to: '..' },
  'with a path that contains another': { to: '..%2F..%2Faccounts' },
  'with a path that is not text': { to: '%ff' },
  'with an unknown parameter': { to: `lamp?accountId=${newId('account')}` },
  'with a parameter twice': { to: 'lamp?limit=1&limit=2' },
  'with a query that is not text': { to: 'lamp?limit=%ff' },
  'with path and body that are not valid': { to: 'LAMP', body: '{"name":1}' },
  'with a path that is not valid and a body that is not JSON': { to: 'LAMP', body: '{' },
  'with a query that is not valid and a body that is not UTF-8': {
    to: 'lamp?limit=1&limit=2',
    body: octets('"\xff"'),
  },
  'that its owner refuses': { body: '{"name":"A","does":"refuse"}' },
  'that its owner fails at': { body: '{"name":"A","does":"badly"}' },
  'whose answer has more than the contract names': { body: '{"name":"A","does":"leak"}' },
  'whose answer breaks the contract': { body: '{"name":"A","does":"break"}' },
};

describe('a request', () => {
  it.each(Object.entries(requests))('%s has the same answer where it is forwarded', async (_what, sent) => {
    const here = await put(parsing, sent);
    const askedHere = asked.splice(0);
    expect(await put(forwarding, sent)).toEqual(here);
    expect(asked).toEqual(askedHere);
    expect(here.body).not.toContain('hunter2');
  });
});

describe('of what is forwarded', () => {
  it('the account and the user are those of the caller, regardless of what the client sends', async () => {
    await put(forwarding, { headers: { ...json, accountid: newId('account') } });
    expect(asked).toEqual([
      { params: { accountId, callerId, thing_id: 'lamp' }, query: {}, body: { name: 'A', does: 'well' } },
    ]);
  });

  /** An owner that gives the answers in turn and records the requests. */
  async function askOwner(answers: readonly ((app: express.Response) => unknown)[], sent: Sent = {}) {
    const received: { readonly url: string; readonly type: string | undefined; readonly body: string }[] = [];
    const owner = express().use(async (incoming, response) => {
      const answer = answers[Math.min(received.length, answers.length - 1)];
      received.push({
        url: incoming.url,
        type: incoming.headers['content-type'],
        body: await text(incoming),
      });
      answer?.(response);
    });
    const through = await peerAt(createServer(owner));
    const answer = await put(publicApp(forwardingTo(through)), sent);
    return { received, answer };
  }

  const answerJson = (content: string) => (response: express.Response) =>
    response.status(201).type('json').end(content);

  it('the octets of the body and of the answer are not touched', async () => {
    const body = ' {"name": "A",\n"name":"\u00e9", "more": 1.0}';
    const content = '{ "name": "\\u00e9", "later": [1.0] }';
    const { received, answer } = await askOwner([answerJson(content)], {
      body: gzipSync(body),
      headers: { ...gzip, 'content-type': 'application/json; charset=UTF-8' },
    });
    expect(received).toEqual([
      {
        url: `/internal/v1/accounts/${accountId}/users/${callerId}/things/lamp`,
        type: 'application/json',
        body,
      },
    ]);
    expect([answer.status, answer.body]).toEqual([201, content]);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(content.length),
    });
  });

  it('the same octets are sent again while the owner is away', async () => {
    const away = (response: express.Response) => response.socket?.destroy();
    const { received, answer } = await askOwner([away, away, answerJson('{}')]);
    expect(received.map(({ body }) => body)).toEqual([good, good, good]);
    expect(answer.status).toBe(201);
  });

  it('an answer that is not JSON, or has another status, is not passed back', async () => {
    const page = (response: express.Response) => response.status(201).type('html').end('<b>hunter2</b>');
    const other = (response: express.Response) => response.status(200).json({ secret: 'hunter2' });
    for (const [status, answering] of [
      [503, page],
      [500, other],
    ] as const) {
      const { answer } = await askOwner([answering]);
      expect(answer.status).toBe(status);
      expect(answer.body).not.toContain('hunter2');
    }
  });

  it('no request larger than the contract allows, or of another type, is sent to the owner', async () => {
    for (const what of ['of one octet more', 'that decompresses to more', 'of another media type']) {
      const { received } = await askOwner([answerJson('{}')], requests[what]);
      expect(received).toEqual([]);
    }
  });
});
