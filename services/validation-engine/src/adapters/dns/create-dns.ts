import type { Clock } from '../../domain/deadline.ts';
import type { EvidenceDns } from '../../domain/dns/evidence-dns.ts';
import type { MailDns } from '../../domain/dns/mail-dns.ts';
import { createCachingLookup } from './caching-lookup.ts';
import { createDnsClient } from './dns-client.ts';
import { nameServers } from './name-servers.ts';

/** Asks for TXT records as they are at this moment, remembering nothing. */
export function createFreshDns(
  servers: readonly string[] | undefined,
  clock: Clock,
): Pick<EvidenceDns, 'resolveText'> {
  const client = createDnsClient(nameServers(servers), clock);
  return { resolveText: (name, deadline) => client.lookUp(name, 'TXT', deadline) };
}

/** Asks the given name servers, or the machine's own when none are given, and remembers what they said. */
export function createDns(servers: readonly string[] | undefined, clock: Clock): MailDns & EvidenceDns {
  const lookup = createCachingLookup(createDnsClient(nameServers(servers), clock), clock);
  return {
    resolveMx: (name, deadline) => lookup.lookUp(name, 'MX', deadline),
    resolveAddresses: (name, family, deadline) => lookup.lookUp(name, family === 4 ? 'A' : 'AAAA', deadline),
    resolveText: (name, deadline) => lookup.lookUp(name, 'TXT', deadline),
    resolveKey: (name, type, deadline) => lookup.lookUp(name, type, deadline),
  };
}
