import ipaddr from 'ipaddr.js';

/**
 * Returns the network of a client address: one customer commonly has a whole IPv6 /64, so that counts as one address.
 */
export function networkOf(ip: string | undefined): string {
  if (ip === undefined || !ipaddr.isValid(ip)) {
    return 'unknown';
  }
  const address = ipaddr.process(ip);
  return address.kind() === 'ipv4'
    ? address.toString()
    : ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/64`).toString();
}
