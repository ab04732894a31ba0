import { type Deadline, underOwnSignal } from '../deadline.ts';
import type { DnsFailure, MailDns } from './mail-dns.ts';

/** The addresses of a host, or why there are none. */
export type HostAddresses =
  | { readonly kind: 'addresses'; readonly addresses: readonly string[] }
  | { readonly kind: 'nxdomain' | 'nodata' }
  | { readonly kind: 'failure'; readonly failure: DnsFailure };

/** How much longer AAAA may take than A: some name servers never answer the question (RFC 4074 section 4.1). */
const ipv6GraceMs = 500;

/**
 * Asks for A and AAAA at once. IPv4 comes first, because many mail hosts demand more of IPv6 clients. One family's
 * failure hides no answer of the other; without any address it does matter, since it may have hidden one.
 */
export async function resolveHost(dns: MailDns, name: string, deadline: Deadline): Promise<HostAddresses> {
  const [ipv4, ipv6] = await underOwnSignal(deadline.signal, async enough => {
    const asked = dns.resolveAddresses(name, 6, {
      signal: enough.signal,
      remainingMs: () => deadline.remainingMs(),
    });
    const first = await dns.resolveAddresses(name, 4, deadline);
    const timer = first.kind === 'answer' ? setTimeout(() => enough.abort(), ipv6GraceMs) : undefined;
    const second = await asked;
    clearTimeout(timer);
    return [first, second] as const;
  });
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
