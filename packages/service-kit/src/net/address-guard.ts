import ipaddr from 'ipaddr.js';

/** Says whether an address may be contacted, and in which spelling exactly. */
export type AddressGuard = (address: string) => GuardedAddress;

export type GuardedAddress =
  | {
      readonly allowed: true;
      /** Connect to this very string: it is what was checked, so nothing can be resolved anew in between. */
      readonly address: string;
    }
  | { readonly allowed: false };

type Ip = ipaddr.IPv4 | ipaddr.IPv6;
type Range = readonly [Ip, number];

/** NAT64's well-known prefix (RFC 6052 section 2.1), through which IPv6-only networks reach IPv4 hosts. */
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
/** All global unicast addresses that IANA has opened; the rest of the space must not be routed. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whom we contact is named by strangers, in DNS or by a URL, so without this check anybody could aim us at a service
 * of our own network. Public unicast addresses pass unless `admitsPublic` is false, and those that the operator lists.
 */
export function createAddressGuard(
  allowedRanges: readonly string[],
  { admitsPublic = true }: { readonly admitsPublic?: boolean } = {},
): AddressGuard {
  const ranges = allowedRanges.map(parseRange);
  return address => {
    const ip = parse(address);
    if (ip === undefined || !((admitsPublic && isPublic(ip)) || ranges.some(range => contains(range, ip)))) {
      return { allowed: false };
    }
    return { allowed: true, address: ip.toString() };
  };
}

/** Parses strictly: shorthands such as `127.1` or `0x7f.1` and zones such as `%eth0` are no addresses that a stranger means well with. */
function parse(address: string): Ip | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) {
    return ipaddr.IPv4.parse(address);
  }
  if (!address.includes(':') || address.includes('%') || !ipaddr.IPv6.isValid(address)) {
    return undefined;
  }
  const ip = ipaddr.IPv6.parse(address);
  // The kernel treats ::ffff:a.b.c.d as the IPv4 address (RFC 4291 section 2.5.5.2), and so must the check.
  return ip.isIPv4MappedAddress() ? ip.toIPv4Address() : ip;
}

function isPublic(ip: Ip): boolean {
  if (ip.kind() === 'ipv4') {
    return ip.range() === 'unicast';
  }
  const ipv6 = ip as ipaddr.IPv6;
  if (ipv6.match(nat64)) {
    // The translator will contact the IPv4 address in the last 32 bits, so that is what counts.
    return ipaddr.fromByteArray(ipv6.toByteArray().slice(12)).range() === 'unicast';
  }
  // 6to4, Teredo and the other embeddings carry ranges of their own here and fail, whatever they embed.
  return ipv6.match(globalUnicast) && ipv6.range() === 'unicast';
}

function contains([network, prefixLength]: Range, ip: Ip): boolean {
  return network.kind() === ip.kind() && ip.match([network, prefixLength] as [ipaddr.IPv4, number]);
}

function parseRange(cidr: string): Range {
  return ipaddr.parseCIDR(cidr);
}
