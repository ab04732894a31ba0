import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { amply } from '../testing/fakes.ts';
import type { DnsAnswer, MailDns } from './mail-dns.ts';
import { resolveHost } from './resolve-host.ts';

const nodata: DnsAnswer<never> = { kind: 'nodata' };

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** A name server that answers A at once and is deaf to AAAA. */
function createHalfDeafDns(ipv4: DnsAnswer<string>): MailDns & { cancelled: () => boolean } {
  let cancelled = false;
  return {
    cancelled: () => cancelled,
    resolveMx: async () => nodata,
    resolveAddresses: async (_name, family, { signal }) =>
      family === 4
        ? ipv4
        : new Promise(resolve => {
            signal.addEventListener('abort', () => {
              cancelled = true;
              resolve({ kind: 'failure', failure: 'timeout' });
            });
          }),
  };
}

test('a name server that is deaf to AAAA does not hold up what A says', async () => {
  const dns = createHalfDeafDns({ kind: 'answer', records: ['192.0.2.1'] });
  const host = resolveHost(dns, 'mx.a.example', amply());
  await jest.advanceTimersByTimeAsync(500);
  expect(await host).toEqual({ kind: 'addresses', addresses: ['192.0.2.1'] });
  expect(dns.cancelled()).toBe(true);
});

test('without an IPv4 address AAAA gets all the time there is', async () => {
  const dns = createHalfDeafDns(nodata);
  void resolveHost(dns, 'mx.a.example', amply());
  await jest.advanceTimersByTimeAsync(5_000);
  expect(dns.cancelled()).toBe(false);
});
