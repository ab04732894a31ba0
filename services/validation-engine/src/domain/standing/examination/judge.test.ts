import { describe, expect, test } from '@jest/globals';
import type { HostAddresses } from '../../dns/find-mail-hosts.ts';
import type { DnsAnswer } from '../../dns/mail-dns.ts';
import { blockLists, reversedAddress, testAddress } from './block-lists.ts';
import { judge } from './judge.ts';
import type { BlockListSeen, HostSeen, Observations } from './observations.ts';

const ours = '192.0.2.25';
const name = 'probe.checker.example';
const nxdomain = { kind: 'nxdomain' } as const;
const timeout = { kind: 'failure', failure: 'timeout' } as const;
const [zen] = blockLists;

function leadsTo(...addresses: string[]): HostAddresses {
  return { kind: 'addresses', addresses };
}

function answer(...records: string[]): DnsAnswer<string> {
  return { kind: 'answer', records };
}

const mx = { kind: 'answer', records: [{ preference: 5, exchange: 'mx.a.example' }] } as const;
const resolver = { server: '192.0.2.53:53', domain: 'a.example', answer: mx, elapsedMs: 3 } as const;
const greeted: HostSeen = {
  kind: 'greeted',
  host: 'mx.a.example',
  code: 220,
  text: 'mx.a.example ESMTP',
  elapsedMs: 40,
  clientAddress: ours,
};

/** A machine with nothing to complain about. */
const healthy: Observations = {
  resolvers: [resolver],
  greetings: [{ domain: 'a.example', hosts: [greeted] }],
  publicAddress: { kind: 'echoed', addresses: [ours], hosts: ['mx.a.example'] },
  ehloName: { name, addresses: leadsTo(ours) },
  reverse: { address: ours, names: answer(name), forward: [{ name, addresses: leadsTo(ours) }] },
  blockLists: blockLists.map(list => ({ list, own: nxdomain, test: answer('127.0.0.2') })),
};

function statuses(changes: Partial<Observations>, check?: string): string[] {
  return judge({ ...healthy, ...changes }, { smtpPort: 25, withBlockLists: true })
    .filter(finding => check === undefined || finding.check === check)
    .map(({ status }) => status);
}

test('finds nothing wrong with a healthy machine', () => {
  const findings = judge(healthy, { smtpPort: 25, withBlockLists: true });
  expect(findings.map(({ status, advice }) => [status, advice])).toEqual(
    Array(findings.length).fill(['ok', undefined]),
  );
  expect(findings).toHaveLength(8);
});

test('gives advice with everything that is not ok', () => {
  const sick: Observations = {
    resolvers: [],
    greetings: [],
    publicAddress: { kind: 'unknown' },
    ehloName: undefined,
    reverse: undefined,
    blockLists: undefined,
  };
  for (const finding of judge(sick, { smtpPort: 25, withBlockLists: true })) {
    expect(finding).toMatchObject({ status: expect.not.stringMatching('^ok$'), advice: expect.any(String) });
  }
});

test('omits block lists if they are skipped', () => {
  const findings = judge({ ...healthy, blockLists: undefined }, { smtpPort: 25, withBlockLists: false });
  expect(findings.map(({ check }) => check)).not.toContain('block_lists');
});

describe('name servers', () => {
  const deaf = { ...resolver, answer: timeout };

  test.each([
    ['none', [], ['failed']],
    ['only silent ones', [deaf, deaf], ['failed', 'failed']],
    ['a silent one next to one that answers', [deaf, resolver], ['warning', 'ok']],
    [
      'one that denies a domain next to one that knows it',
      [{ ...resolver, answer: nxdomain }, resolver],
      ['warning', 'ok'],
    ],
    ['only one, which denies a domain that exists', [{ ...resolver, answer: nxdomain }], ['failed']],
    ['a slow one', [{ ...resolver, elapsedMs: 1_500 }], ['warning']],
  ])('%s', (_name, resolvers, expected) => {
    expect(statuses({ resolvers }, 'resolvers')).toEqual(expected);
  });
});

describe('port 25', () => {
  const unreachable: HostSeen = { kind: 'not_greeted', host: 'mx.b.example', failure: 'unreachable' };
  const mute: HostSeen = { kind: 'not_greeted', host: 'mx.b.example', failure: 'timeout' };

  test.each<[string, HostSeen[], string]>([
    ['is closed where no host can be reached', [unreachable, unreachable], 'failed'],
    ['is closed if hosts connect and stay silent', [mute], 'failed'],
    ['is open with a warning where one host of two greets', [greeted, unreachable], 'warning'],
    [
      'is open with a warning where a host turns us away',
      [{ ...greeted, code: 554, text: 'go away' }],
      'warning',
    ],
    [
      'cannot be judged where hosts have no address',
      [{ kind: 'not_contacted', host: 'mx.a.example' }],
      'cannot_tell',
    ],
    ['cannot be judged without hosts', [], 'cannot_tell'],
  ])('%s', (_name, hosts, expected) => {
    expect(statuses({ greetings: [{ domain: 'a.example', hosts }] }, 'port_25')).toEqual([expected]);
  });
});

test('several public addresses are a warning', () => {
  const publicAddress = { kind: 'echoed', addresses: [ours, '192.0.2.26'], hosts: ['mx.a.example'] } as const;
  expect(statuses({ publicAddress }, 'public_address')).toEqual(['warning']);
});

describe('the EHLO name', () => {
  test.each<[string, Observations['ehloName'], string]>([
    ['that is missing', undefined, 'warning'],
    ['without an address', { name, addresses: nxdomain }, 'failed'],
    ['that leads elsewhere', { name, addresses: leadsTo('192.0.2.99') }, 'warning'],
    ['that cannot be looked up', { name, addresses: timeout }, 'cannot_tell'],
  ])('%s', (_name, ehloName, expected) => {
    expect(statuses({ ehloName }, 'ehlo_name')).toEqual([expected]);
  });
});

describe('reverse DNS', () => {
  const other = 'host-25.provider.example';

  test.each<[string, Observations['reverse'], string]>([
    ['without a public address', undefined, 'cannot_tell'],
    ['without a PTR record', { address: ours, names: nxdomain, forward: [] }, 'failed'],
    ['that cannot be asked', { address: ours, names: timeout, forward: [] }, 'cannot_tell'],
    [
      'whose name does not lead back',
      { address: ours, names: answer(name), forward: [{ name, addresses: leadsTo('192.0.2.99') }] },
      'failed',
    ],
    [
      'whose name cannot be looked up',
      { address: ours, names: answer(name), forward: [{ name, addresses: timeout }] },
      'cannot_tell',
    ],
    [
      'with another name than EHLO says',
      { address: ours, names: answer(other), forward: [{ name: other, addresses: leadsTo(ours) }] },
      'warning',
    ],
  ])('%s', (_name, reverse, expected) => {
    expect(statuses({ reverse }, 'reverse_dns')).toEqual([expected]);
  });
});

describe('a block list', () => {
  const listed = answer('127.0.0.2');

  test.each<[string, Pick<BlockListSeen, 'own' | 'test'>, string]>([
    ['that lists the address', { own: answer('127.0.0.4'), test: listed }, 'failed'],
    [
      'that refuses public resolvers',
      { own: answer('127.255.255.254'), test: answer('127.255.255.254') },
      'cannot_tell',
    ],
    ['that answers nothing at all', { own: nxdomain, test: nxdomain }, 'cannot_tell'],
    ['that is silent', { own: timeout, test: timeout }, 'cannot_tell'],
    ['that is silent about our address', { own: timeout, test: listed }, 'cannot_tell'],
    [
      'behind a resolver that invents answers',
      { own: answer('198.51.100.1'), test: answer('198.51.100.1') },
      'cannot_tell',
    ],
  ])('%s', (_name, answers, expected) => {
    const seen = zen === undefined ? [] : [{ list: zen, ...answers }];
    expect(statuses({ blockLists: seen }, 'block_lists')).toEqual([expected]);
  });
});

test('addresses are turned round as RFC 5782 section 2 says', () => {
  expect(reversedAddress('192.0.2.99')).toBe('99.2.0.192');
  expect(reversedAddress('2001:db8:1:2:3:4:567:89ab')).toBe(
    'b.a.9.8.7.6.5.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.8.b.d.0.1.0.0.2',
  );
  expect(testAddress('192.0.2.1')).toBe('127.0.0.2');
  expect(reversedAddress(testAddress('2001:db8::1'))).toMatch(
    /^2\.0\.0\.0\.0\.0\.f\.7\.f\.f\.f\.f\.(0\.){19}0$/,
  );
});
