import { Resolver } from 'node:dns/promises';
import { type Deadline, isOver } from '../domain/deadline.ts';
import type { DnsAnswer, DnsFailure, MailDns } from '../domain/dns/mail-dns.ts';

/** One try waits this long before the next; the deadline ends all of them. */
const tryTimeoutMs = 2_000;
const triesMax = 3;

/** What the resolver library calls the ways in which a question stays unanswered. */
const failures: Readonly<Record<string, DnsFailure>> = {
  ETIMEOUT: 'timeout',
  ECANCELLED: 'timeout',
  ESERVFAIL: 'servfail',
  EREFUSED: 'refused',
  ENOTIMP: 'refused',
  // No server took the question.
  ECONNREFUSED: 'refused',
  // The name cannot be asked about at all; the zone's owner wrote it into an MX record.
  EBADNAME: 'malformed',
  EBADRESP: 'malformed',
  EFORMERR: 'malformed',
};

/** Asks the given name servers, or the machine's own when none are given. */
export function createResolverDns(servers: readonly string[] | undefined): MailDns {
  async function ask<DnsRecord>(
    deadline: Deadline,
    question: (resolver: Resolver) => Promise<readonly DnsRecord[]>,
  ): Promise<DnsAnswer<DnsRecord>> {
    if (isOver(deadline)) {
      return { kind: 'failure', failure: 'timeout' };
    }
    // One resolver a question, because cancelling cancels everything that a resolver is asking.
    const resolver = new Resolver({ timeout: tryTimeoutMs, tries: triesMax });
    if (servers !== undefined) {
      resolver.setServers(servers);
    }
    const cancel = () => resolver.cancel();
    const timer = setTimeout(cancel, deadline.remainingMs());
    deadline.signal.addEventListener('abort', cancel, { once: true });
    try {
      const records = await question(resolver);
      return records.length === 0 ? { kind: 'nodata' } : { kind: 'answer', records };
    } catch (error) {
      return readError((error as NodeJS.ErrnoException).code);
    } finally {
      clearTimeout(timer);
      deadline.signal.removeEventListener('abort', cancel);
    }
  }

  return {
    resolveMx: (name, deadline) =>
      ask(deadline, async resolver =>
        (await resolver.resolveMx(name)).map(({ priority, exchange }) => ({
          preference: priority,
          exchange,
        })),
      ),
    resolveAddresses: (name, family, deadline) =>
      ask(deadline, resolver => (family === 4 ? resolver.resolve4(name) : resolver.resolve6(name))),
  };
}

function readError(code: string | undefined): DnsAnswer<never> {
  if (code === 'ENOTFOUND') {
    return { kind: 'nxdomain' };
  }
  if (code === 'ENODATA') {
    return { kind: 'nodata' };
  }
  return { kind: 'failure', failure: failures[code ?? ''] ?? 'malformed' };
}
