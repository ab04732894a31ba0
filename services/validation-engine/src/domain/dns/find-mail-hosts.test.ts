import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { amply, createFakeDns, emailOf, type Zone } from '../testing/fakes.ts';
import { findMailHosts, resolveHost } from './find-mail-hosts.ts';
import type { DnsAnswer, DnsFailure, MailDns, MxRecord } from './mail-dns.ts';

function find(zone: Zone, address = 'ada@a.example') {
  return findMailHosts(createFakeDns(zone), emailOf(address).domain, amply());
}

function mx(...records: readonly (readonly [number, string])[]): DnsAnswer<MxRecord> {
  return { kind: 'answer', records: records.map(([preference, exchange]) => ({ preference, exchange })) };
}

describe('the mail hosts of a domain', () => {
  test('are tried in the order of their preference', async () => {
    const hosts = await find({
      mx: { 'a.example': mx([20, 'b.example'], [5, 'C.example.'], [10, 'a.example']) },
    });
    expect(hosts).toMatchObject({
      kind: 'found',
      preferred: 'c.example',
      hosts: [{ name: 'c.example' }, { name: 'a.example' }, { name: 'b.example' }],
    });
  });

  test('of equal preference have one order for a domain, however DNS lists them', async () => {
    const names = ['one', 'two', 'three', 'four'].map(name => `${name}.example`);
    const orderOf = async (domain: string, listed: readonly string[]) => {
      const records = mx([5, 'first.example'], ...listed.map(name => [10, name] as const));
      const hosts = await find({ mx: { [domain]: records } }, `ada@${domain}`);
      return hosts.kind === 'found' ? [hosts.preferred, ...hosts.hosts.map(({ name }) => name)] : [];
    };
    const order = await orderOf('a.example', names);
    expect(await orderOf('a.example', names.toReversed())).toEqual(order);
    expect(order.slice(0, 2)).toEqual(['first.example', 'first.example']);
    expect(order.slice(2).sort()).toEqual(names.toSorted());
    // Other domains use other hosts first, which spreads the load.
    const firsts = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => (await orderOf(`d${index}.example`, names))[2]),
    );
    expect(new Set(firsts).size).toBe(names.length);
  });

  test('are none for a null MX', async () => {
    expect(await find({ mx: { 'a.example': mx([0, '']) } })).toEqual({ kind: 'no_mail_host' });
  });

  test('leave out a root among real hosts', async () => {
    const hosts = await find({ mx: { 'a.example': mx([0, '.'], [10, 'b.example']) } });
    expect(hosts).toMatchObject({ preferred: 'b.example', hosts: [{ name: 'b.example' }] });
  });

  test('named twice are tried once, at their better preference', async () => {
    const hosts = await find({
      mx: { 'a.example': mx([20, 'b.example'], [10, 'c.example'], [5, 'B.example']) },
    });
    expect(hosts).toMatchObject({ hosts: [{ name: 'b.example' }, { name: 'c.example' }] });
  });

  test('are bounded, and the answer says how many were left out', async () => {
    const many = Array.from({ length: 100 }, (_, index) => [index, `mx${index}.example`] as const);
    const hosts = await find({ mx: { 'a.example': mx(...many) } });
    expect(hosts).toMatchObject({ hostsLeftOut: 84 });
    expect(hosts.kind === 'found' && hosts.hosts).toHaveLength(16);
  });
});

describe('a domain without MX records', () => {
  const mxNodata = { 'a.example': { kind: 'nodata' } } as const;

  test('is its own mail host by its addresses, IPv4 first', async () => {
    const zone: Zone = {
      mx: mxNodata,
      ipv4: { 'a.example': { kind: 'answer', records: ['192.0.2.1'] } },
      ipv6: { 'a.example': { kind: 'answer', records: ['2001:db8::1'] } },
    };
    expect(await find(zone)).toEqual({
      kind: 'found',
      preferred: 'a.example',
      hosts: [{ name: 'a.example', addresses: ['192.0.2.1', '2001:db8::1'] }],
      hostsLeftOut: 0,
    });
  });

  test('and without addresses has no mail host', async () => {
    expect(await find({ mx: mxNodata, ipv4: { 'a.example': { kind: 'nodata' } } })).toEqual({
      kind: 'no_mail_host',
    });
  });

  test('is not written off while one kind of address is unknown', async () => {
    const zone: Zone = {
      mx: mxNodata,
      ipv4: { 'a.example': { kind: 'nodata' } },
      ipv6: { 'a.example': { kind: 'failure', failure: 'servfail' } },
    };
    expect(await find(zone)).toEqual({ kind: 'failure', failure: 'servfail' });
  });
});

test('NXDOMAIN means that the domain is missing', async () => {
  expect(await find({ mx: { 'a.example': { kind: 'nxdomain' } } })).toEqual({ kind: 'domain_missing' });
});

test.each<DnsFailure>(['timeout', 'servfail', 'refused', 'malformed'])(
  '%s is passed on as a failure',
  async failure => {
    const answer = { kind: 'failure', failure } as const;
    expect(await find({ mx: { 'a.example': answer } })).toEqual(answer);
  },
);

test('an address literal is its own mail host, and DNS is not asked', async () => {
  expect(await find({}, 'ada@[192.0.2.1]')).toMatchObject({
    preferred: '192.0.2.1',
    hosts: [{ name: '192.0.2.1', addresses: ['192.0.2.1'] }],
  });
});

const nodata: DnsAnswer<never> = { kind: 'nodata' };

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** A name server that answers A queries at once and ignores AAAA queries. */
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
