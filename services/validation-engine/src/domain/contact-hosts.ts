import type { EmailAddress } from '@mailproof/shared-types';
import type { AddressGuard } from './address-guard.ts';
import { type Clock, type Deadline, isOver, within } from './deadline.ts';
import type { MailHost } from './dns/find-mail-hosts.ts';
import type { MailDns } from './dns/mail-dns.ts';
import { resolveHost } from './dns/resolve-host.ts';
import { findProvider } from './providers/find-provider.ts';
import type { MadeUpRecipient } from './smtp/made-up-recipients.ts';
import { type ProbePorts, probeRecipient } from './smtp/probe-recipient.ts';
import { endsSearch } from './verdict/decide.ts';
import type { Attempt, Evidence } from './verdict/evidence.ts';

export interface ContactPorts extends ProbePorts {
  readonly dns: MailDns;
  readonly guard: AddressGuard;
  readonly clock: Clock;
}

/** What is the same for every host of the domain. */
export interface Errand {
  readonly email: EmailAddress;
  readonly madeUp: readonly MadeUpRecipient[];
}

/** RFC 5321 section 5.1 asks for at least two addresses to be tried; beyond five it is only knocking. */
const contactsMax = 5;
/** So that one host with many dead addresses does not use up the attempts of its colleagues. */
const contactsPerHostMax = 2;
const lookUpTimeoutMs = 8_000;

/** A consumer service that dislikes several recipients in one transaction. */
const oneRecipientProviders: ReadonlySet<string> = new Set(['outlook_com']);

/** Asks the hosts in order until one gives an answer, all have been tried, or time is up. */
export async function contactHosts(
  ports: ContactPorts,
  hosts: readonly MailHost[],
  errand: Errand,
  deadline: Deadline,
): Promise<Pick<Evidence, 'attempts' | 'complete'>> {
  const attempts: Attempt[] = [];
  const contacted = new Set<string>();
  for (const [index, host] of hosts.entries()) {
    const hostDeadline = shareOf(deadline, ports.clock, index < hosts.length - 1);
    const located = await locate(ports, host, hostDeadline);
    if (located.kind !== 'located') {
      attempts.push(located);
      continue;
    }
    const addresses = located.addresses
      .filter(address => !contacted.has(address))
      .slice(0, contactsPerHostMax);
    for (const [position, address] of addresses.entries()) {
      if (contacted.size === contactsMax || isOver(deadline)) {
        return { attempts, complete: false };
      }
      contacted.add(address);
      const addressDeadline = shareOf(hostDeadline, ports.clock, position < addresses.length - 1);
      const attempt = await contact(ports, host, address, errand, addressDeadline);
      attempts.push(attempt);
      if (endsSearch(attempt)) {
        return { attempts, complete: true };
      }
    }
  }
  return { attempts, complete: !isOver(deadline) };
}

/**
 * Half of what is left, where somebody comes after: a slow first host, which is common, gets a fair chance, and a
 * silent one cannot use up the time of the next.
 */
function shareOf(deadline: Deadline, clock: Clock, othersFollow: boolean): Deadline {
  return othersFollow ? within(clock, deadline, deadline.remainingMs() / 2) : deadline;
}

type Located =
  | { readonly kind: 'located'; readonly addresses: readonly string[] }
  | Extract<Attempt, { kind: 'no_address' | 'dns_failure' | 'forbidden' }>;

/** Finds the addresses of a host that may be contacted. */
async function locate(ports: ContactPorts, host: MailHost, deadline: Deadline): Promise<Located> {
  let addresses = host.addresses;
  if (addresses === undefined) {
    const answer = await resolveHost(ports.dns, host.name, within(ports.clock, deadline, lookUpTimeoutMs));
    if (answer.kind === 'failure') {
      return { kind: 'dns_failure', host: host.name, failure: answer.failure };
    }
    if (answer.kind !== 'addresses') {
      return { kind: 'no_address', host: host.name };
    }
    addresses = answer.addresses;
  }
  const checked = addresses.map(ports.guard);
  const allowed = checked.flatMap(address => (address.allowed ? [address.address] : []));
  return allowed.length > 0
    ? { kind: 'located', addresses: allowed }
    : { kind: 'forbidden', host: host.name };
}

async function contact(
  ports: ContactPorts,
  host: MailHost,
  address: string,
  errand: Errand,
  deadline: Deadline,
): Promise<Attempt> {
  const provider = findProvider(host.name, errand.email.domain.ascii)?.id;
  const plan = {
    ...errand,
    host: host.name,
    address,
    provider,
    oneRecipientPerTransaction: provider !== undefined && oneRecipientProviders.has(provider),
  };
  return { ...(await probeRecipient(ports, plan, deadline)), host: host.name, address };
}
