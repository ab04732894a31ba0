import http from 'node:http';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { oauthScopeNames } from '@mailproof/shared-types';
import { json } from './fake-gateway.ts';
import { startToolServer, type ToolServer } from './lone-tool-server.ts';
import { eras, resultOf, send } from './messages.ts';

let server: ToolServer;
let authorization: string;

beforeAll(async () => {
  server = await startToolServer({ MCP_ALLOWED_ORIGINS: 'https://app.example,http://localhost:*' });
  authorization = `Bearer ${await server.token()}`;
});

afterAll(() => server?.stop());

interface Plain {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** Sends exactly these headers; `fetch` adds some and allows neither `Host` nor `Origin`. */
async function plain(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: string | Buffer,
): Promise<Plain> {
  return new Promise((resolve, reject) => {
    const request = http.request(`${server.url}${path}`, { method, headers }, async response => {
      const { statusCode = 0, headers: got } = response;
      resolve({ status: statusCode, headers: got, body: await text(response) });
    });
    request.once('error', reject);
    request.end(body);
  });
}

const messageHeaders = () => ({
  authorization,
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
});
const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });

describe('the types that a client takes', () => {
  it.each([
    ['are both when it names none', undefined, 200],
    ['are both when it takes all', '*/*', 200],
    ['are those that it names', 'application/json', 406],
  ])('%s', async (_name, accept, status) => {
    const { accept: _both, ...headers } = messageHeaders();
    const answer = await plain('POST', '/mcp', { ...headers, ...(accept && { accept }) }, ping);
    expect(answer.status).toBe(status);
  });
});

describe('the host of a request', () => {
  it.each(['evil.example', 'evil.example:80', '127.0.0.1.evil.example', '192.0.2.1'])(
    'is refused when it is %s, with any token',
    async host => {
      const answer = await plain('POST', '/mcp', { ...messageHeaders(), host }, ping);
      expect(answer.status).toBe(421);
      expect(JSON.parse(answer.body)).toMatchObject({ code: 'misdirected_request' });
    },
  );

  it.each(['localhost', '127.0.0.1:1234', '[::1]'])(
    'may be a name of loopback, as our own is: %s',
    async host => {
      expect((await plain('POST', '/mcp', { ...messageHeaders(), host }, ping)).status).toBe(200);
    },
  );
});

describe('the origin of a request', () => {
  it.each([
    'https://evil.example',
    'null',
    'https://app.example.evil.example',
    'http://app.example',
    'file://',
  ])('is refused when it is %s, before the token is checked', async origin => {
    for (const headers of [{ ...messageHeaders(), origin }, { origin }]) {
      const answer = await plain('POST', '/mcp', headers, ping);
      expect(answer.status).toBe(403);
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
      expect(JSON.parse(answer.body)).toMatchObject({ code: 'origin_not_allowed' });
    }
  });

  it.each(['https://app.example', 'http://localhost:6274', 'http://localhost', 'http://127.0.0.1:9'])(
    'may be %s, whose pages can read the answer and the challenge',
    async origin => {
      const answer = await plain('POST', '/mcp', { ...messageHeaders(), origin }, ping);
      expect(answer.status).toBe(200);
      expect(answer.headers['access-control-allow-origin']).toBe(origin);
      expect(answer.headers.vary).toContain('Origin');
      const refused = await plain('POST', '/mcp', { origin }, ping);
      expect(refused.status).toBe(401);
      expect(refused.headers['access-control-allow-origin']).toBe(origin);
      expect(refused.headers['access-control-expose-headers']?.split(', ')).toEqual(
        expect.arrayContaining(['www-authenticate', 'mcp-session-id']),
      );
      expect(refused.headers['access-control-allow-credentials']).toBeUndefined();
    },
  );

  it('gets its preflight answered without a token', async () => {
    const answer = await plain('OPTIONS', '/mcp', {
      origin: 'http://localhost:6274',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,mcp-protocol-version,mcp-method,mcp-name',
    });
    expect(answer.status).toBe(204);
    expect(answer.headers['access-control-allow-headers']?.split(', ')).toEqual(
      expect.arrayContaining([
        'authorization',
        'content-type',
        'mcp-protocol-version',
        'mcp-method',
        'mcp-name',
        'last-event-id',
        'traceparent',
      ]),
    );
    expect(answer.headers['access-control-allow-methods']).toContain('POST');
  });

  it('is rejected at the preflight if it is unknown', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    expect((await plain('OPTIONS', '/mcp', headers)).status).toBe(403);
  });
});

describe('methods', () => {
  it.each(['GET', 'DELETE', 'PUT', 'HEAD'])('%s is rejected', async method => {
    const answer = await plain(method, '/mcp', { authorization, accept: 'text/event-stream' });
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe('POST');
  });

  it('takes the path with a slash after it, and no other', async () => {
    expect((await plain('POST', '/mcp/', messageHeaders(), ping)).status).toBe(200);
    const beside = await plain('POST', '/mcp/other', messageHeaders(), ping);
    expect(beside.status).toBe(404);
    expect(beside.headers['content-type']).toBe('application/problem+json');
  });
});

describe('messages', () => {
  const deep = `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`;

  it.each([
    ['no JSON', '{"jsonrpc":', -32_700],
    ['nothing', '', -32_700],
    ['octets that are no UTF-8', Buffer.from([0x22, 0xff, 0x22]), -32_700],
    ['half a surrogate pair', '{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}', -32_700],
    ['a number', '12', -32_600],
    ['null', 'null', -32_600],
    ['a batch', `[${ping}]`, -32_600],
    ['nested beyond reason', `{"jsonrpc":"2.0","id":1,"method":"ping","params":${deep}}`, -32_600],
  ])('that are %s are answered by an error of JSON-RPC', async (_what, body, code) => {
    const answer = await plain('POST', '/mcp', messageHeaders(), body);
    expect(answer.status).toBe(400);
    expect(answer.headers['content-type']).toMatch('application/json');
    expect(JSON.parse(answer.body)).toMatchObject({ jsonrpc: '2.0', error: { code }, id: null });
    expect(answer.body).not.toMatch(/at |node:|\/services\//);
  });

  it('that are not UTF-8 are told where', async () => {
    const spoilt = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"p\xffng"}', 'latin1');
    const answer = await plain('POST', '/mcp', messageHeaders(), spoilt);
    expect(answer.body).toContain('not valid UTF-8: byte 36 is damaged');
  });

  it.each(['*/*', 'text/html, */*;q=0.8', ''])('of clients that accept %p are answered', async accept => {
    const answer = await plain('POST', '/mcp', { ...messageHeaders(), accept }, ping);
    expect([answer.status, answer.body]).toEqual([200, expect.stringContaining('"result":{}')]);
  });

  it('with null for no arguments call the tool', async () => {
    server.gateway.on('/api/v1/me', json(200, { credits: 41 }));
    const answer = await plain(
      'POST',
      '/mcp',
      messageHeaders(),
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"svc_get_account_status","arguments":null}}',
    );
    expect(answer.body).toContain('"data":{"credits":41}');
  });

  const tooLarge = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'ping',
    params: { x: 'x'.repeat(70_000) },
  });

  it.each([
    ['in clear', {}, tooLarge],
    ['packed', { 'content-encoding': 'gzip' }, gzipSync(tooLarge)],
    ['in pieces', { 'transfer-encoding': 'chunked' }, tooLarge],
  ])('that are too large %s are refused', async (_how, headers, body) => {
    const answer = await plain('POST', '/mcp', { ...messageHeaders(), ...headers }, body);
    expect(answer.status).toBe(413);
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'body_too_large' });
  });

  it('of another type are refused', async () => {
    const answer = await plain('POST', '/mcp', { ...messageHeaders(), 'content-type': 'text/plain' }, ping);
    expect(answer.status).toBe(415);
  });

  it('whose headers say something else than they themselves are refused in 2026-07-28', async () => {
    const params = { name: 'svc_get_account_status' };
    const headers = { authorization, 'mcp-name': 'svc_validate_email' };
    const answer = await send(server.url, '2026-07-28', { method: 'tools/call', params }, headers);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: { code: -32_020 } });
  });

  it('of 2026-07-28 are discovered and may be kept for a while', async () => {
    const ask = (method: string, params?: Record<string, unknown>) =>
      send(server.url, '2026-07-28', { method, ...(params && { params }) }, { authorization });
    const discovered = await ask('server/discover');
    expect(discovered.body).toMatchObject({
      result: {
        supportedVersions: expect.arrayContaining(['2026-07-28']),
        capabilities: { tools: { listChanged: false }, resources: { listChanged: false } },
        instructions: expect.stringContaining('svc_validate_email'),
      },
    });
    for (const answer of [
      await ask('tools/list'),
      await ask('resources/list'),
      await ask('resources/read', { uri: 'svc://usage-guide' }),
    ]) {
      expect(answer.body).toMatchObject({ result: { ttlMs: expect.any(Number), cacheScope: 'public' } });
    }
    expect((await ask('resources/read', { uri: 'svc://no-guide' })).body).toMatchObject({
      error: { code: -32_602 },
    });
  });

  it.each(['2025-11-25', '2025-06-18'])(
    'of %s begin with initialize, and no session',
    async protocolVersion => {
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1.0.0' } };
      const answer = await send(
        server.url,
        '2025-11-25',
        { method: 'initialize', params },
        { authorization },
      );
      expect(answer.body).toMatchObject({
        result: { protocolVersion, capabilities: { tools: { listChanged: false } } },
      });
      expect(answer.headers.get('mcp-session-id')).toBeNull();
    },
  );

  it('that ask for changes are told at once that there will be none', async () => {
    const params = { notifications: { toolsListChanged: true } };
    const answer = await send(
      server.url,
      '2026-07-28',
      { method: 'subscriptions/listen', params },
      { authorization },
    );
    // The response was read to its end; a stream that stays open would not get here.
    expect(answer.status).toBe(200);
  });
});

describe('a person who opens the address in a browser', () => {
  const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

  it.each([
    ['/', 200],
    ['/mcp', 401],
  ])('at %s learns what it is for', async (path, status) => {
    const answer = await plain('GET', path, { accept });
    expect([answer.status, answer.headers['content-type']]).toEqual([status, 'text/html; charset=utf-8']);
    expect(answer.body).toContain(`<strong>${server.publicUrl}/mcp</strong>`);
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
  });

  it('has links and an icon on it, and no policy forbids the icon', async () => {
    const answer = await plain('GET', '/', { accept });
    expect(answer.body).toContain('href="cursor://anysphere.cursor-deeplink/mcp/install?name=mailproof');
    expect(answer.body).toContain('<link rel="icon" href="/icon.svg" type="image/svg+xml">');
    expect(answer.headers['content-security-policy']).toContain("img-src 'self'");
    const favicon = await plain('GET', '/favicon.ico', {});
    expect([favicon.status, favicon.headers['content-type']]).toEqual([200, 'image/png']);
  });

  it('still gets the challenge, and a key in the URL is refused as before', async () => {
    const answer = await plain('GET', '/mcp', { accept });
    expect(answer.headers['www-authenticate']).toContain('resource_metadata="');
    const withKey = await plain('GET', '/mcp?api_key=x', { accept });
    expect(JSON.parse(withKey.body)).toMatchObject({ code: 'static_key_not_supported' });
  });

  it.each(['*/*', 'application/json', 'text/event-stream', ''])(
    'is no program that accepts %p',
    async its => {
      expect((await plain('GET', '/', { accept: its })).status).toBe(404);
      const answer = await plain('GET', '/mcp', { accept: its });
      expect([answer.status, JSON.parse(answer.body).code]).toEqual([401, 'missing_access_token']);
    },
  );
});

describe('a client that has the address without its path', () => {
  it.each(['POST', 'GET', 'DELETE', 'PUT'])('gets the right one at %s', async method => {
    const answer = await plain(method, '/', messageHeaders(), method === 'POST' ? ping : undefined);
    expect([answer.status, answer.headers['content-type']]).toEqual([404, 'application/problem+json']);
    expect(JSON.parse(answer.body)).toMatchObject({
      code: 'route_not_found',
      detail: `The MCP endpoint is ${server.publicUrl}/mcp. Enter this URL in your client.`,
    });
  });
});

describe('the metadata of the protected resource', () => {
  it.each(['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp'])(
    'is at %s for every client',
    async path => {
      const answer = await plain('GET', path, { origin: 'https://anybody.example' });
      expect(answer.status).toBe(200);
      expect(answer.headers['access-control-allow-origin']).toBe('https://anybody.example');
      expect(JSON.parse(answer.body)).toEqual({
        resource: `${server.publicUrl}/mcp`,
        authorization_servers: [server.publicUrl],
        scopes_supported: oauthScopeNames,
        bearer_methods_supported: ['header'],
        resource_name: 'Mailproof',
        resource_documentation: 'http://127.0.0.1:8/docs',
      });
    },
  );

  it('is for reading', async () => {
    const answer = await plain('POST', '/.well-known/oauth-protected-resource', {}, '{}');
    expect(answer.status).toBe(405);
  });
});

describe('calls of a tool that ask for no answer', () => {
  it('reach no tool, and share the limit of requests that reach none', async () => {
    const few = await startToolServer({ MCP_REQUESTS_PER_SECOND_MAX: '1' });
    try {
      const headers = { ...messageHeaders(), authorization: `Bearer ${await few.token()}` };
      const body = '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"svc_get_account_status"}}';
      const ask = async () => (await fetch(`${few.url}/mcp`, { method: 'POST', headers, body })).status;
      const statuses = await Promise.all(Array.from({ length: 30 }, ask));
      expect(new Set(statuses)).toEqual(new Set([202, 429]));
      expect(few.gateway.unexpected).toEqual([]);
    } finally {
      await few.stop();
    }
  });
});

describe('calls of a tool with a forged state', () => {
  it('reach no tool, and share the limit of requests that reach none', async () => {
    const few = await startToolServer({ MCP_REQUESTS_PER_SECOND_MAX: '1' });
    try {
      const headers = { authorization: `Bearer ${await few.token()}` };
      const params = { name: 'svc_get_account_status', arguments: {}, requestState: 'forged' };
      const ask = () => send(few.url, '2026-07-28', { method: 'tools/call', params }, headers);
      const statuses = await Promise.all(
        Array.from({ length: 30 }, async () => {
          const { status, body } = await ask();
          expect(body).toHaveProperty('error');
          return status;
        }),
      );
      expect(new Set(statuses)).toEqual(new Set([200, 429]));
      expect(few.gateway.received).toEqual([]);
    } finally {
      await few.stop();
    }
  });
});

describe.each(eras)('requests of %s that reach no tool', era => {
  it('are limited per account, and calls of tools are not counted among them', async () => {
    const few = await startToolServer({ MCP_REQUESTS_PER_SECOND_MAX: '1' });
    try {
      few.gateway.on('/api/v1/me', json(200, { credits: 1 }));
      const headers = { authorization: `Bearer ${await few.token()}` };
      const call = (params: Record<string, unknown>) =>
        send(few.url, era, { method: 'tools/call', params }, headers);
      const list = () => send(few.url, era, { method: 'tools/list' }, headers);
      // All at once, so that they fall within one second.
      const lists = await Promise.all(Array.from({ length: 30 }, list));
      const refused = lists.filter(({ status }) => status === 429);
      expect(refused.length).toBeGreaterThan(0);
      expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
      const status = { name: 'svc_get_account_status', arguments: {} };
      const calls = await Promise.all(Array.from({ length: 12 }, () => call(status)));
      expect(calls.map(answer => resultOf(answer).structuredContent['ok'])).toEqual(Array(12).fill(true));
      const wrong = { name: 'svc_validate_email', arguments: {} };
      const wrongCalls = await Promise.all(Array.from({ length: 30 }, () => call(wrong)));
      const statuses = wrongCalls.map(answer => resultOf(answer).structuredContent['status']);
      expect(statuses).toContain(429);
      const unknown = await Promise.all(Array.from({ length: 30 }, () => call({ name: 'svc_nothing' })));
      expect(unknown.map(answer => answer.status)).toContain(429);
      const other = await few.connect();
      const otherHeaders = { authorization: `Bearer ${await few.token({ assistant: other })}` };
      expect((await send(few.url, era, { method: 'tools/list' }, otherHeaders)).status).toBe(200);
    } finally {
      await few.stop();
    }
  });
});
