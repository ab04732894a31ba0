import { Resolver } from 'node:dns/promises';
import type { DnsAnswer } from '../../domain/dns/mail-dns.ts';
import { reversedAddress } from '../../domain/standing/examination/block-lists.ts';
import type { ReverseDns } from '../../domain/standing/examination/look-around.ts';

const tryTimeoutMs = 1_500;
const triesMax = 2;

/** Validations do not need PTR records, so the service's own DNS port does not support them. */
export function createReverseDns(servers: readonly string[] | undefined): ReverseDns {
  return async (address, deadline) => {
    const resolver = new Resolver({ timeout: tryTimeoutMs, tries: triesMax });
    if (servers !== undefined) {
      resolver.setServers(servers);
    }
    const cancel = () => resolver.cancel();
    const timer = setTimeout(cancel, deadline.remainingMs());
    deadline.signal.addEventListener('abort', cancel, { once: true });
    try {
      // Not `reverse`, which also reads the hosts file and reports every failure as a missing name.
      const names = await resolver.resolvePtr(reverseName(address));
      return names.length === 0 ? { kind: 'nodata' } : { kind: 'answer', records: names };
    } catch (error) {
      return readError((error as NodeJS.ErrnoException).code);
    } finally {
      clearTimeout(timer);
      deadline.signal.removeEventListener('abort', cancel);
    }
  };
}

/** The name for a reverse lookup (RFC 1035 section 3.5; RFC 3596 section 2.5 for IPv6). */
function reverseName(address: string): string {
  return `${reversedAddress(address)}.${address.includes(':') ? 'ip6' : 'in-addr'}.arpa`;
}

function readError(code: string | undefined): DnsAnswer<never> {
  switch (code) {
    case 'ENOTFOUND':
      return { kind: 'nxdomain' };
    case 'ENODATA':
      return { kind: 'nodata' };
    case 'ESERVFAIL':
      return { kind: 'failure', failure: 'servfail' };
    case 'EREFUSED':
    case 'ECONNREFUSED':
      return { kind: 'failure', failure: 'refused' };
    case 'ETIMEOUT':
    case 'ECANCELLED':
      return { kind: 'failure', failure: 'timeout' };
    default:
      return { kind: 'failure', failure: 'malformed' };
  }
}
