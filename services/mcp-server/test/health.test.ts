import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPrivateRedis, waitFor } from '@mailproof/dev-house';
import { json } from './fake-gateway.ts';
import { startToolServer, type ToolServer } from './lone-tool-server.ts';
import { resultOf, send } from './messages.ts';

let redis: Awaited<ReturnType<typeof startPrivateRedis>>;
let server: ToolServer;

beforeAll(async () => {
  redis = await startPrivateRedis();
  server = await startToolServer({ REDIS_URL: redis.url });
});

afterAll(async () => {
  await server?.stop();
  await redis?.stop();
});

async function health() {
  const response = await fetch(`${server.url}/health`);
  return { status: response.status, body: await response.json() };
}

/** Reports are cached for a second, so the response changes slightly later than the actual state. */
async function healthBecomes(ok: boolean): Promise<void> {
  const answer = await waitFor(
    `The tool server says ${ok}`,
    async () => {
      const now = await health();
      return (now.body as { ok: boolean }).ok === ok ? now : undefined;
    },
    { deadlineMs: 60_000 },
  );
  expect(answer).toEqual({ status: ok ? 200 : 503, body: { ok, service: 'mcp-server' } });
}

describe('GET /health', () => {
  it('is ok when the gateway is, and asks it once however often it is asked', async () => {
    server.gateway.on('/readyz', json(200, { ready: true }));
    await healthBecomes(true);
    server.gateway.received.length = 0;
    await Promise.all(Array.from({ length: 50 }, health));
    // Two checks if the cached second ends in between, but never one per request.
    expect(server.gateway.received.length).toBeLessThan(25);
  });

  it('is not ok while the gateway is not ready', async () => {
    server.gateway.on('/readyz', json(503, { ready: false }));
    await healthBecomes(false);
    server.gateway.on('/readyz', json(200, { ready: true }));
    await healthBecomes(true);
  });

  it('is not ok without an answer of the gateway', async () => {
    server.gateway.on('/readyz', () => undefined);
    await healthBecomes(false);
    server.gateway.on('/readyz', json(200, { ready: true }));
    await healthBecomes(true);
  });

  it('is not ok without Redis', async () => {
    await redis.kill();
    await healthBecomes(false);
  });
});

describe('while Redis is away', () => {
  it('calls of tools go through, since the gateway counts them, and what cannot be counted may be tried again', async () => {
    server.gateway.on('/api/v1/me', json(200, { credits: 1 }));
    const authorization = `Bearer ${await server.token()}`;
    const params = { name: 'svc_get_account_status' };
    const called = await send(server.url, '2026-07-28', { method: 'tools/call', params }, { authorization });
    expect(resultOf(called)).toMatchObject({ structuredContent: { ok: true } });
    const listed = await send(server.url, '2026-07-28', { method: 'tools/list' }, { authorization });
    expect(listed.status).toBe(503);
    expect(Number(listed.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(listed.body).toMatchObject({ code: 'service_unavailable' });
  });
});

describe('without a signing key', () => {
  it('is not ok: no one could sign in', async () => {
    const keyless = await startToolServer({}, { publishedKeys: async () => ({ keys: [] }) });
    try {
      keyless.gateway.on('/readyz', json(200, { ready: true }));
      const response = await fetch(`${keyless.url}/health`);
      expect([response.status, await response.json()]).toEqual([503, { ok: false, service: 'mcp-server' }]);
    } finally {
      await keyless.stop();
    }
  });
});
