import { expect, test } from '@jest/globals';
import { nameServers, readNameServer } from './ask-servers.ts';

test.each([
  ['192.0.2.53', { address: '192.0.2.53', port: 53, family: 4 }],
  ['192.0.2.53:5353', { address: '192.0.2.53', port: 5353, family: 4 }],
  ['2001:db8::53', { address: '2001:db8::53', port: 53, family: 6 }],
  ['[2001:db8::53]:5353', { address: '2001:db8::53', port: 5353, family: 6 }],
  ['fe80::1%eth0', { address: 'fe80::1%eth0', port: 53, family: 6 }],
])('%s is read', (text, server) => {
  expect(readNameServer(text)).toEqual(server);
});

test('the machine’s own servers are found where none are given', () => {
  const servers = nameServers(undefined)();
  expect(servers.length).toBeGreaterThan(0);
  expect(servers[0]).toMatchObject({ address: expect.any(String), port: expect.any(Number) });
});
