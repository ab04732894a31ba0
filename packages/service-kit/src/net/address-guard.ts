import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { limits } from '@mailproof/shared-types';
import ipaddr from 'ipaddr.js';

/** Decides whether an address may be contacted, and returns the exact string to use. */
export type AddressGuard = (address: string) => GuardedAddress;

export type GuardedAddress =
  | {
      readonly allowed: true;
      /** Connect to exactly this string, which was checked, so that nothing is resolved again. */
      readonly address: string;
    }
  | { readonly allowed: false };

type Ip = ipaddr.IPv4 | ipaddr.IPv6;
type Range = readonly [Ip, number];

/** NAT64's well-known prefix (RFC 6052 section 2.1), through which IPv6-only networks reach IPv4 hosts. */
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
/** The block from which IANA allocates global unicast addresses; addresses outside it must not be routed. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Creates a guard for hosts that strangers name, in DNS or in a URL. Without it, anyone could direct us to a service in
 * our network. It allows the addresses that the operator lists and, unless `admitsPublic` is false, public unicast
 * addresses.
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

/** Parses strictly: refuses short forms such as `127.1` or `0x7f.1` and zones such as `%eth0` as attacks. */
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
    // The translator will contact the IPv4 address in the last 32 bits, so check that.
    return ipaddr.fromByteArray(ipv6.toByteArray().slice(12)).range() === 'unicast';
  }
  // 6to4, Teredo and other embeddings have ranges other than `unicast`, so they fail regardless of the embedded
  // address.
  return ipv6.match(globalUnicast) && ipv6.range() === 'unicast';
}

function contains([network, prefixLength]: Range, ip: Ip): boolean {
  return network.kind() === ip.kind() && ip.match([network, prefixLength] as [ipaddr.IPv4, number]);
}

function parseRange(cidr: string): Range {
  return ipaddr.parseCIDR(cidr);
}

/** Thrown for a host without an address that may be contacted. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

/**
 * Resolves a name once and returns only addresses that passed the check, so that a second lookup cannot differ (DNS
 * rebinding). For the `connect` options of undici, `node:net` and `node:tls`. An address in a URL is not resolved: see
 * `assertHostAllowed`.
 */
export function guardedLookup(guard: AddressGuard, lookup: LookupFunction = systemLookup): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) {
        callback(error, []);
        return;
      }
      const allowed = [found].flat().flatMap(entry => {
        const guarded = guard(typeof entry === 'string' ? entry : entry.address);
        return guarded.allowed ? [{ address: guarded.address, family: isIP(guarded.address) }] : [];
      });
      const [first] = allowed;
      if (!first) {
        callback(new AddressRefused('The host has no allowed address.'), []);
      } else if (options.all) {
        callback(null, allowed);
      } else {
        callback(null, first.address, first.family);
      }
    });
  };
}

/**
 * @throws AddressRefused if the host of the URL is an address, in any notation, that may not be contacted, or a name
 *   that is too long for DNS. OpenSSL refuses such a name for TLS, Node leaves the error in OpenSSL's queue, and its
 *   next cipher job ends the process.
 */
export function assertHostAllowed(url: URL, guard: AddressGuard): void {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (host.replace(/\.$/, '').length > limits.domainOctetsMax) {
    throw new AddressRefused('The name of the host is too long.');
  }
  if (isIP(host) !== 0 && !guard(host).allowed) {
    throw new AddressRefused('The address is not allowed.');
  }
}
