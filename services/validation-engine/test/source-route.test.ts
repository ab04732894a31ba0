import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type MailLab, postfix, startMailLab } from '@mailproof/mail-lab';
import type { SourceRoute } from '../src/adapters/smtp/tcp-connector.ts';
import { createTcpConnector } from '../src/adapters/smtp/tcp-connector.ts';
import { deadlineAfter } from '../src/domain/concurrency/deadline.ts';
import { labSettings, startEngine, until } from './engine-in-lab.ts';
import { type SocksServer, type SocksServerScript, startSocksServer } from './socks-server.ts';

const clock = { nowMs: () => performance.now() };
const opened: { close(): unknown }[] = [];
let hosts: Server[];
let ports: { readonly ipv4: number; readonly ipv6: number };
let clients: string[];

beforeEach(async () => {
  clients = [];
  hosts = ['127.0.0.1', '::1'].map(address =>
    createServer(socket => {
      clients.push(socket.remoteAddress ?? '');
      socket.on('error', () => undefined);
      socket.end('220 mx.ordinary.example ESMTP\r\n');
    }).listen(0, address),
  );
  await Promise.all(hosts.map(host => once(host, 'listening')));
  const [ipv4 = 0, ipv6 = 0] = hosts.map(host => (host.address() as AddressInfo).port);
  ports = { ipv4, ipv6 };
});

afterEach(async () => {
  for (const host of hosts) {
    host.close();
  }
  await Promise.all(opened.splice(0).map(server => server.close()));
});

async function proxyWith(script: SocksServerScript = {}): Promise<SocksServer> {
  const server = await startSocksServer(script);
  opened.push(server);
  return server;
}

/** Connects and returns the greeting, or the reason for a failure. */
async function greet(
  address: string,
  route: SourceRoute,
  timeoutMs = 20_000,
  signal = new AbortController().signal,
): Promise<string> {
  const deadline = deadlineAfter(clock, timeoutMs, signal);
  const port = address.includes(':') ? ports.ipv6 : ports.ipv4;
  const outcome = await createTcpConnector(port, route).connect(address, deadline);
  if (outcome.kind === 'failure') {
    return outcome.failure;
  }
  const greeting = await outcome.connection.listen(deadline);
  outcome.connection.close();
  return greeting.kind === 'reply' ? String(greeting.reply.code) : greeting.failure;
}

const viaProxy = (server: { port: number }, login: Partial<NonNullable<SourceRoute['proxy']>> = {}) => ({
  proxy: { host: '127.0.0.1', port: server.port, ...login },
});

describe('through a SOCKS5 proxy', () => {
  test('a host is reached by its address', async () => {
    const proxy = await proxyWith();
    expect(await greet('127.0.0.1', viaProxy(proxy))).toBe('220');
    expect(await greet('::1', viaProxy(proxy))).toBe('220');
    expect(proxy.requests).toEqual([
      { type: 1, address: '127.0.0.1', port: ports.ipv4 },
      { type: 4, address: '0000:0000:0000:0000:0000:0000:0000:0001', port: ports.ipv6 },
    ]);
    await until(() => proxy.connectionsOpen() === 0);
  });

  test('a name and a password are given where they are wanted', async () => {
    const proxy = await proxyWith({ login: ['probe', 'secret'] });
    expect(await greet('127.0.0.1', viaProxy(proxy, { user: 'probe', password: 'secret' }))).toBe('220');
    expect(await greet('127.0.0.1', viaProxy(proxy, { user: 'probe', password: 'wrong' }))).toBe(
      'proxy_failed',
    );
    expect(await greet('127.0.0.1', viaProxy(proxy))).toBe('proxy_failed');
  });

  test.each([
    [1, 'proxy_failed'],
    [2, 'proxy_failed'],
    [3, 'unreachable'],
    [4, 'unreachable'],
    [5, 'unreachable'],
    [6, 'unreachable'],
    [7, 'proxy_failed'],
    [8, 'proxy_failed'],
    [99, 'proxy_failed'],
  ])('its reply %i is read as %s', async (refusal, failure) => {
    const proxy = await proxyWith({ refusal });
    expect(await greet('127.0.0.1', viaProxy(proxy))).toBe(failure);
    await until(() => proxy.connectionsOpen() === 0);
  });

  test('its silence is its own before it knows the host, and the host’s from then on', async () => {
    const mute = await proxyWith({ silentFrom: 'greeting' });
    expect(await greet('127.0.0.1', viaProxy(mute), 200)).toBe('proxy_failed');
    const waiting = await proxyWith({ silentFrom: 'request' });
    expect(await greet('127.0.0.1', viaProxy(waiting), 3_000)).toBe('unreachable');
    await until(() => mute.connectionsOpen() + waiting.connectionsOpen() === 0);
  });

  test('a proxy that is away, hangs up or speaks something else has failed itself', async () => {
    const gone = await startSocksServer();
    await gone.close();
    expect(await greet('127.0.0.1', viaProxy(gone))).toBe('proxy_failed');
    expect(await greet('127.0.0.1', viaProxy(await proxyWith({ hangsUp: true })))).toBe('proxy_failed');
    // The mail host itself is not a proxy.
    expect(await greet('127.0.0.1', viaProxy({ port: ports.ipv4 }))).toBe('proxy_failed');
  });

  test('a caller that gives up leaves nothing behind', async () => {
    const proxy = await proxyWith({ silentFrom: 'request' });
    const client = new AbortController();
    const waiting = greet('127.0.0.1', viaProxy(proxy), 60_000, client.signal);
    await until(() => proxy.requests.length === 1);
    client.abort();
    expect(await waiting).toBe('proxy_failed');
    await until(() => proxy.connectionsOpen() === 0);
  });
});

describe('from a local address', () => {
  test('hosts see that address', async () => {
    expect(await greet('127.0.0.1', { localAddresses: ['127.0.0.9', '::1'] })).toBe('220');
    expect(await greet('::1', { localAddresses: ['127.0.0.9', '::1'] })).toBe('220');
    expect(clients).toEqual(['127.0.0.9', '::1']);
  });

  test('a host of another family is not connected to', async () => {
    expect(await greet('::1', { localAddresses: ['127.0.0.9'] })).toBe('no_local_address');
    expect(await greet('127.0.0.1', { localAddresses: ['::1'] })).toBe('no_local_address');
    expect(clients).toEqual([]);
  });

  test('an address that is not this machine’s is our own failure', async () => {
    expect(await greet('127.0.0.1', { localAddresses: ['192.0.2.1'] })).toBe('no_local_address');
  });
});

describe('a validation', () => {
  let lab: MailLab;

  beforeEach(async () => {
    const name = 'mx.ordinary.example';
    lab = await startMailLab({
      catalog: [
        {
          domain: 'ordinary.example',
          story: 'Knows its people.',
          dns: { mx: [[10, name]] },
          hosts: { [name]: postfix(['ada']) },
          expected: [],
        },
      ],
    });
    opened.push(lab);
  });

  test('goes through the proxy, and a proxy that fails is told apart from the host', async () => {
    const proxy = await proxyWith({ login: ['probe', 'p@ss'] });
    const VALIDATION_SOCKS5_URL = `socks5://probe:p%40ss@127.0.0.1:${proxy.port}`;
    const engine = await startEngine({ ...labSettings(lab), VALIDATION_SOCKS5_URL });
    try {
      expect(await engine.validate('ada@ordinary.example')).toMatchObject({ result: 'ok' });
      expect(proxy.requests.length).toBe(1);
      await proxy.close();
      opened.splice(opened.indexOf(proxy), 1);
      const { result, reason, details } = await engine.validate('grace@ordinary.example');
      expect({ result, reason }).toEqual({ result: 'unknown', reason: 'own_network_failed' });
      expect(details.explanation).toMatch(/proxy/);
      expect(details.sessions[0]?.exchanges).toEqual([{ command: '', reply: '[proxy_failed]' }]);
    } finally {
      await engine.stop();
    }
  });
});
