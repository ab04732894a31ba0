import { createHash } from 'node:crypto';
import type { EmailAddress } from '@mailproof/shared-types';
import { type Deadline, notWanted, underOwnSignal } from '../concurrency/deadline.ts';
import type { DnsFailure, MailDns, MxRecord } from './mail-dns.ts';

/** A host to try. */
export interface MailHost {
  /** A lower-case name, or the address of a literal. */
  readonly name: string;
  /** The preference of its MX record; absent for a literal and for an implicit MX. */
  readonly preference?: number;
  /** Known already for a literal and for an implicit MX. */
  readonly addresses?: readonly string[];
}

export type MailHosts =
  | {
      readonly kind: 'found';
      /** The host to report: the first by name among equals, so that it does not change. */
      readonly preferred: string;
      readonly hosts: readonly MailHost[];
      /** How many hosts exceed the limit; these are never contacted. */
      readonly hostsLeftOut: number;
    }
  /** NXDOMAIN: the domain does not exist. */
  | { readonly kind: 'domain_missing' }
  /** The domain says "no mail" with a null MX (RFC 7505), or has neither MX nor address. */
  | { readonly kind: 'no_mail_host' }
  | { readonly kind: 'failure'; readonly failure: DnsFailure };

/** More than any sensible domain publishes; a hostile zone may publish thousands. */
const mailHostsMax = 16;

/** Finds the hosts that take mail for a domain (RFC 5321 section 5.1). */
export async function findMailHosts(
  dns: MailDns,
  domain: EmailAddress['domain'],
  deadline: Deadline,
): Promise<MailHosts> {
  if (domain.kind === 'literal') {
    // An address literal is its own mail host and needs no DNS (RFC 5321 section 4.1.3).
    return found(domain.address, [{ name: domain.address, addresses: [domain.address] }], 0);
  }
  const answer = await dns.resolveMx(domain.ascii, deadline);
  switch (answer.kind) {
    case 'answer':
      return orderMailHosts(answer.records, domain.ascii);
    case 'nodata':
      return findImplicitHost(dns, domain.ascii, deadline);
    case 'nxdomain':
      return { kind: 'domain_missing' };
    case 'failure':
      return answer;
  }
}

/** With no MX record, the domain itself is the host, if it has an address (RFC 5321 section 5.1). */
async function findImplicitHost(dns: MailDns, name: string, deadline: Deadline): Promise<MailHosts> {
  const host = await resolveHost(dns, name, deadline);
  switch (host.kind) {
    case 'addresses':
      return found(name, [{ name, addresses: addressesInOrderOf(name, host.addresses) }], 0);
    case 'nodata':
      return { kind: 'no_mail_host' };
    case 'nxdomain':
      return { kind: 'domain_missing' };
    case 'failure':
      return host;
  }
}

/** Sorts by lowest preference first (RFC 5321 section 5.1), and equal preferences in the order of the domain. */
function orderMailHosts(records: readonly MxRecord[], domain: string): MailHosts {
  const best = new Map<string, number>();
  for (const { exchange, preference } of records) {
    const name = exchange.toLowerCase().replace(/\.$/, '');
    // A root name among real hosts violates RFC 7505 section 3. It names no host, so it is skipped.
    if (name !== '') {
      best.set(name, Math.min(preference, best.get(name) ?? preference));
    }
  }
  const byPreference = Map.groupBy([...best.keys()].sort(), name => best.get(name) ?? 0);
  const groups = [...byPreference].sort(([one], [other]) => one - other).map(([, names]) => names);
  const preferred = groups[0]?.[0];
  if (preferred === undefined) {
    return { kind: 'no_mail_host' };
  }
  const hosts = groups.flatMap(group =>
    inOrderOf(domain, group).map(name => ({ name, preference: best.get(name) ?? 0 })),
  );
  return found(preferred, hosts.slice(0, mailHostsMax), Math.max(0, hosts.length - mailHostsMax));
}

/**
 * Orders hosts of equal preference, always in the same way for one domain, so that the same question gets the same
 * answer and finds sessions that are already open. Each domain has a different order, which spreads the load as RFC
 * 5321 section 5.1 asks.
 */
function inOrderOf(domain: string, equals: readonly string[]): readonly string[] {
  if (equals.length < 2) {
    return equals;
  }
  const rankOf = (name: string) => createHash('sha256').update(`${domain} ${name}`).digest('hex');
  return equals
    .map(name => ({ name, rank: rankOf(name) }))
    .sort((one, other) => (one.rank < other.rank ? -1 : 1))
    .map(({ name }) => name);
}

/** Orders the addresses of one host by the domain and not by the DNS answer; IPv4 stays first. */
export function addressesInOrderOf(domain: string, addresses: readonly string[]): readonly string[] {
  const isIpv6 = (address: string) => address.includes(':');
  return [false, true].flatMap(family =>
    inOrderOf(
      domain,
      addresses.filter(address => isIpv6(address) === family),
    ),
  );
}

function found(preferred: string, hosts: readonly MailHost[], hostsLeftOut: number): MailHosts {
  return { kind: 'found', preferred, hosts, hostsLeftOut };
}

/** The addresses of a host, or why there are none. */
export type HostAddresses =
  | { readonly kind: 'addresses'; readonly addresses: readonly string[] }
  | { readonly kind: 'nxdomain' | 'nodata' }
  | { readonly kind: 'failure'; readonly failure: DnsFailure };

/**
 * How much longer AAAA may take than A, in milliseconds: some name servers never answer AAAA queries (RFC 4074 section
 * 4.1).
 */
const ipv6GraceMs = 500;

/**
 * Queries A and AAAA at once. IPv4 comes first, because many mail hosts demand more of IPv6 clients. A failure of one
 * family does not hide the other's answer. If there is no address at all, the failure counts, since it may have hidden
 * one.
 */
export async function resolveHost(dns: MailDns, name: string, deadline: Deadline): Promise<HostAddresses> {
  const [ipv4, ipv6] = await underOwnSignal(deadline.signal, async enough => {
    const asked = dns.resolveAddresses(name, 6, {
      signal: enough.signal,
      remainingMs: () => deadline.remainingMs(),
    });
    const first = await dns.resolveAddresses(name, 4, deadline);
    const timer =
      first.kind === 'answer' ? setTimeout(() => enough.abort(notWanted), ipv6GraceMs) : undefined;
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
