import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startToolServer, type ToolServer } from './lone-tool-server.ts';
import { send } from './messages.ts';

let server: ToolServer;

beforeAll(async () => {
  server = await startToolServer({
    AUTH_FAILURES_PER_MINUTE_MAX: '3',
    OAUTH_REQUESTS_PER_MINUTE_MAX: '10',
    TRUSTED_PROXIES: 'loopback',
  });
});

afterAll(() => server?.stop());

const list = (from: string, authorization?: string) =>
  send(
    server.url,
    '2025-11-25',
    { method: 'tools/list' },
    { 'x-forwarded-for': from, ...(authorization !== undefined && { authorization }) },
  );

async function statusesOf(requests: number, from: string, authorization?: string): Promise<number[]> {
  const statuses: number[] = [];
  for (let sent = 0; sent < requests; sent += 1) {
    statuses.push((await list(from, authorization)).status);
  }
  return statuses;
}

describe('tokens that are none of ours', () => {
  it('are limited per client network, and others are not kept out', async () => {
    expect(await statusesOf(4, '2001:db8::1', 'Bearer guess')).toEqual([401, 401, 401, 429]);
    const limited = await list('2001:db8::ffff', 'Bearer guess');
    expect(limited.status).toBe(429);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await list('2001:db8:0:1::1', 'Bearer guess')).status).toBe(401);
    expect((await list('2001:db8::1', `Bearer ${await server.token()}`)).status).toBe(200);
  });
});

describe('what clients send in all innocence', () => {
  it('is no failure: no token, and tokens that are over', async () => {
    expect(await statusesOf(5, '192.0.2.1')).toEqual([401, 401, 401, 401, 401]);
    const over = await server.token({ claims: { exp: Math.floor(Date.now() / 1_000) - 60 } });
    expect(await statusesOf(5, '192.0.2.2', `Bearer ${over}`)).toEqual([401, 401, 401, 401, 401]);
  });
});

describe('what scanners send', () => {
  it('is counted like tokens that are none of ours, and a proxy keeps its connection', async () => {
    const headers = { 'x-forwarded-for': '192.0.2.3' };
    const ask = (path: string, method = 'GET') => fetch(`${server.url}${path}`, { method, headers });
    const statuses = [(await ask('/nowhere')).status, (await ask('/wp-login.php')).status];
    statuses.push((await list('192.0.2.3', 'Bearer guess')).status);
    expect(statuses).toEqual([404, 404, 401]);
    const limited = await ask('/nowhere');
    expect([limited.status, limited.headers.get('connection')]).toEqual([429, 'keep-alive']);
    expect((await list('192.0.2.3', `Bearer ${await server.token()}`)).status).toBe(200);
    expect((await ask('/health')).headers.get('connection')).not.toBe('close');
  });
});

describe('asking where to sign in', () => {
  it('is limited per client network, apart from failures', async () => {
    expect(await statusesOf(11, '192.0.2.4')).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
    expect((await list('192.0.2.4', 'Bearer guess')).status).toBe(401);
    expect((await list('192.0.2.4', `Bearer ${await server.token()}`)).status).toBe(200);
  });
});
