import { describe, expect, test } from '@jest/globals';
import { createAddressGuard } from './address-guard.ts';

describe('without exceptions, the guard', () => {
  const guard = createAddressGuard([]);

  test.each([
    ['0.0.0.0', 'this host'],
    ['0.1.2.3', 'this network'],
    ['10.0.0.1', 'private'],
    ['100.64.0.1', 'carrier-grade NAT'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['169.254.169.254', 'link-local, where clouds serve credentials'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.0.0.1', 'protocol assignments'],
    ['192.0.2.1', 'documentation'],
    ['192.88.99.1', '6to4 relay'],
    ['192.168.1.1', 'private'],
    ['198.18.0.1', 'benchmarking'],
    ['198.51.100.1', 'documentation'],
    ['203.0.113.1', 'documentation'],
    ['224.0.0.1', 'multicast'],
    ['240.0.0.1', 'reserved'],
    ['255.255.255.255', 'broadcast'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['::127.0.0.1', 'IPv4-compatible'],
    ['::ffff:127.0.0.1', 'IPv4-mapped loopback'],
    ['::ffff:7f00:1', 'IPv4-mapped loopback in hexadecimal'],
    ['::ffff:a9fe:a9fe', 'IPv4-mapped link-local'],
    ['::ffff:0:127.0.0.1', 'IPv4-translated'],
    ['64:ff9b::127.0.0.1', 'NAT64 of loopback'],
    ['64:ff9b::a00:1', 'NAT64 of a private address'],
    ['64:ff9b:1::8.8.8.8', 'local NAT64'],
    ['100::1', 'discard'],
    ['2001::1', 'Teredo'],
    ['2001:2::1', 'benchmarking'],
    ['2001:20::1', 'ORCHID'],
    ['2001:db8::1', 'documentation'],
    ['2002:7f00:1::', '6to4 of loopback'],
    ['2002:808:808::1', '6to4 of a public address'],
    ['3fff::1', 'documentation'],
    ['4000::1', 'not assigned'],
    ['fc00::1', 'unique local'],
    ['fd12:3456::1', 'unique local'],
    ['fe80::1', 'link-local'],
    ['fe80::1%eth0', 'link-local with a zone'],
    ['2606:4700::1111%eth0', 'a zone'],
    ['fec0::1', 'site-local'],
    ['ff02::1', 'multicast'],
    ['127.1', 'shorthand'],
    ['0x7f000001', 'hexadecimal'],
    ['2130706433', 'a number'],
    ['0177.0.0.1', 'octal'],
    ['', 'nothing'],
    ['localhost', 'a name'],
    ['[8.8.8.8]', 'brackets'],
  ])('refuses %s (%s)', address => {
    expect(guard(address)).toEqual({ allowed: false });
  });

  test.each([
    ['8.8.8.8', '8.8.8.8'],
    ['2606:4700:4700::1111', '2606:4700:4700::1111'],
    ['::ffff:8.8.8.8', '8.8.8.8'],
    ['64:ff9b::8.8.8.8', '64:ff9b::808:808'],
  ])('lets %s pass, to be contacted as %s', (address, contacted) => {
    expect(guard(address)).toEqual({ allowed: true, address: contacted });
  });
});

describe('with exceptions, the guard', () => {
  const guard = createAddressGuard(['127.42.0.0/16', 'fd00:1::/32']);

  test.each(['127.42.0.1', '127.42.255.255', '::ffff:127.42.0.1', 'fd00:1::25'])('allows %s', address => {
    expect(guard(address).allowed).toBe(true);
  });

  test.each(['127.0.0.1', '127.43.0.1', '10.0.0.1', 'fd00:2::1', '64:ff9b::127.42.0.1'])(
    'still refuses %s',
    address => {
      expect(guard(address)).toEqual({ allowed: false });
    },
  );
});

describe('without public addresses, the guard', () => {
  const guard = createAddressGuard(['127.42.0.0/16'], { admitsPublic: false });

  test.each(['127.42.0.1', '::ffff:127.42.0.1'])('allows %s', address => {
    expect(guard(address).allowed).toBe(true);
  });

  test.each(['8.8.8.8', '2606:4700:4700::1111', '64:ff9b::8.8.8.8', '127.0.0.1'])('refuses %s', address => {
    expect(guard(address)).toEqual({ allowed: false });
  });
});
