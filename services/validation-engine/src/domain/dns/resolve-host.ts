import type { Deadline } from '../deadline.ts';
import type { DnsFailure, MailDns } from './mail-dns.ts';

/** The addresses of a host, or why there are none. */
export type HostAddresses =
  | { readonly kind: 'addresses'; readonly addresses: readonly string[] }
  | { readonly kind: 'nxdomain' | 'nodata' }
  | { readonly kind: 'failure'; readonly failure: DnsFailure };

/**
 * Asks for A and AAAA at once. IPv4 comes first, because many mail hosts demand more of IPv6 clients. One family's
 * failure hides no answer of the other; without any address it does matter, since it may have hidden one.
 */
export async function resolveHost(dns: MailDns, name: string, deadline: Deadline): Promise<HostAddresses> {
  const [ipv4, ipv6] = await Promise.all([
    dns.resolveAddresses(name, 4, deadline),
    dns.resolveAddresses(name, 6, deadline),
  ]);
  const addresses = [ipv4, ipv6].flatMap(answer => (answer.kind === 'answer' ? answer.records : []));
  if (addresses.length > 0) {
    return { kind: 'addresses', addresses };
  }
  for (const answer of [ipv4, ipv6]) {
    if (answer.kind === 'failure') {
      return answer;
    }
  }
  return { kind: ipv4.kind === 'nxdomain' || ipv6.kind === 'nxdomain' ? 'nxdomain' : 'nodata' };
}
