import ipaddr from 'ipaddr.js';

/** The labels under which DNS keeps facts about an address: octets or nibbles, last first (RFC 5782 section 2). */
export function reversedAddress(address: string): string {
  const ip = ipaddr.parse(address);
  const labels =
    ip.kind() === 'ipv4' ? ip.toByteArray().map(String) : [...Buffer.from(ip.toByteArray()).toString('hex')];
  return labels.reverse().join('.');
}

/** The entry that every list holds, so that one can see whether it answers (RFC 5782 section 5). */
export function testAddress(address: string): string {
  return address.includes(':') ? '::ffff:7f00:2' : '127.0.0.2';
}
