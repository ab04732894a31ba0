import dgram from 'node:dgram';
import dns from 'node:dns';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isLocalName, isLoopbackAddress } from './block-network.ts';

const refusal = /tried to leave the machine/;
const elsewhere = '192.0.2.1';

describe('in tests, only loopback can be reached', () => {
  const server = net.createServer(socket => socket.on('error', () => undefined).end('hello'));
  let port = 0;
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    port = (server.address() as AddressInfo).port;
  });
  afterAll(async () => {
    await new Promise(closed => server.close(closed));
  });

  test.each([
    ['options', () => net.connect({ host: elsewhere, port: 25 })],
    ['a port and a host', () => net.connect(25, elsewhere)],
    ['a separate socket', () => new net.Socket().connect(25, elsewhere)],
    ['a name', () => net.connect({ host: 'mail.example', port: 25 })],
    ['TLS', () => tls.connect({ host: elsewhere, port: 443 })],
    ['IPv6', () => net.connect({ host: '2001:db8::1', port: 25 })],
    ['a name that only begins like loopback', () => net.connect({ host: 'localhost.example', port: 25 })],
  ])('refuses a connection made with %s', (_how, connect) => {
    expect(connect).toThrow(refusal);
  });

  test('refuses fetch', async () => {
    await expect(fetch(`http://${elsewhere}/`)).rejects.toMatchObject({
      cause: expect.objectContaining({ message: expect.stringMatching(refusal) }),
    });
  });

  test('rejects a name that project code resolves to another machine', async () => {
    const lookup: net.LookupFunction = (_name, _options, callback) =>
      callback(null, [{ address: elsewhere, family: 4 }]);
    const attempt = new Promise((resolve, reject) => {
      process.once('uncaughtException', reject);
      try {
        net.connect({ host: 'mail.example', port: 25, lookup }).on('connect', resolve).on('error', reject);
      } catch (error) {
        reject(error);
      }
    });
    await expect(attempt).rejects.toThrow(refusal);
  });

  test('allows a name that project code resolves to loopback', async () => {
    const lookup: net.LookupFunction = (_name, _options, callback) =>
      callback(null, [{ address: '127.0.0.1', family: 4 }]);
    const socket = net.connect({ host: 'mail.example', port, lookup });
    await once(socket, 'connect');
    socket.destroy();
  });

  test.each(['127.0.0.1', 'localhost'])('allows a connection to %s', async host => {
    const socket = net.connect({ host, port, family: 4 });
    await once(socket, 'connect');
    socket.destroy();
  });

  test('rejects datagrams to other machines and allows those to loopback', async () => {
    const socket = dgram.createSocket('udp4');
    try {
      expect(() => socket.send('x', 53, elsewhere)).toThrow(refusal);
      expect(() => socket.connect(53, elsewhere)).toThrow(refusal);
      await new Promise<void>((resolve, reject) =>
        socket.send('x', port, '127.0.0.1', error => (error ? reject(error) : resolve())),
      );
    } finally {
      socket.close();
    }
  });

  test('refuses lookups of other names', async () => {
    expect(() => dns.lookup('example.com', () => undefined)).toThrow(refusal);
    expect(() => dns.promises.lookup('example.com')).toThrow(refusal);
    await expect(dns.promises.lookup('localhost', { family: 4 })).resolves.toMatchObject({
      address: '127.0.0.1',
    });
  });

  test('rejects DNS queries to other machines', () => {
    const resolver = new dns.promises.Resolver();
    resolver.setServers([elsewhere]);
    expect(() => resolver.resolveMx('example.com')).toThrow(refusal);
    const callbackResolver = new dns.Resolver();
    callbackResolver.setServers([`${elsewhere}:5353`, '[2001:db8::1]:53']);
    expect(() => callbackResolver.resolve4('example.com', () => undefined)).toThrow(refusal);
  });

  test('allows DNS queries to a server on loopback', async () => {
    const resolver = new dns.promises.Resolver({ timeout: 100, tries: 1 });
    resolver.setServers([`127.0.0.1:${port}`]);
    await expect(resolver.resolveMx('example.com')).rejects.not.toThrow(refusal);
  });
});

describe('loopback', () => {
  test.each(['127.0.0.1', '127.255.0.9', '::1', '::ffff:127.0.0.1'])('%s is loopback', address => {
    expect(isLoopbackAddress(address)).toBe(true);
  });
  test.each(['128.0.0.1', '10.0.0.1', '0.0.0.0', '::', 'fe80::1%lo', '::ffff:8.8.8.8'])(
    '%s is not',
    address => {
      expect(isLoopbackAddress(address)).toBe(false);
    },
  );
  test.each([
    ['localhost', true],
    ['LOCALHOST.', true],
    ['mx.localhost', true],
    ['localhost.example', false],
    ['notlocalhost', false],
  ])('%s: %s', (name, isLocal) => {
    expect(isLocalName(name)).toBe(isLocal);
  });
});
