import { BlockList, isIPv6 } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether the address never leaves the machine. An IPv4 address written as an IPv6 one counts as what it is. */
export function isLoopbackAddress(address: string): boolean {
  const withoutZone = address.split('%', 1)[0] ?? address;
  return loopback.check(withoutZone, isIPv6(withoutZone) ? 'ipv6' : 'ipv4');
}

/** RFC 6761, section 6.3: `localhost` and all names below it are loopback. */
export function isLocalName(name: string): boolean {
  return /^(.+\.)?localhost\.?$/i.test(name);
}
