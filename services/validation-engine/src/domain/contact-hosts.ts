import type { EmailAddress } from '@mailproof/shared-types';
import type { AddressGuard } from './address-guard.ts';
import { type Clock, type Deadline, isOver, underOwnSignal, within } from './deadline.ts';
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

/** RFC 5321 section 5.1 asks for at least two addresses to be tried; beyond five that connect it is only knocking. */
const contactsMax = 5;
/** So that one host with many addresses does not use up the attempts of its colleagues. */
const contactsPerHostMax = 2;
/** Addresses that are dialed at all, the dead ones included. */
const dialsMax = 16;
const dialsPerHostMax = 6;
const lookUpTimeoutMs = 8_000;

/** A consumer service that dislikes several recipients in one transaction. */
const oneRecipientProviders: ReadonlySet<string> = new Set(['outlook_com']);

/**
 * Asks the hosts in order until one gives an answer, all have been tried, or time is up. An address that is slow to
 * connect keeps its chance while the next one is tried (the idea of RFC 8305): the first answer wins.
 */
export async function contactHosts(
  ports: ContactPorts,
  hosts: readonly MailHost[],
  errand: Errand,
  deadline: Deadline,
): Promise<Pick<Evidence, 'attempts' | 'complete'>> {
  return underOwnSignal(deadline.signal, async answered => {
    const untilAnswered: Deadline = {
      signal: answered.signal,
      remainingMs: () => (answered.signal.aborted ? 0 : deadline.remainingMs()),
    };
    const search = createSearch(ports, errand, () => answered.abort());
    const { attempts } = search;
    for (const [index, host] of hosts.entries()) {
      if (search.isAnswered()) {
        break;
      }
      const hostDeadline = shareOf(untilAnswered, ports.clock, index < hosts.length - 1);
      const located = await locate(ports, host, hostDeadline);
      if (located.kind !== 'located') {
        attempts.push(located);
        continue;
      }
      const addresses = located.addresses.filter(search.isNew).slice(0, dialsPerHostMax);
      for (const [position, address] of addresses.entries()) {
        if (search.isAnswered() || contactsOf(attempts, host) >= contactsPerHostMax) {
          break;
        }
        if (search.isLongEnough() || isOver(deadline)) {
          await search.end();
          return { attempts, complete: search.isAnswered() };
        }
        await search.begin(
          host,
          address,
          shareOf(hostDeadline, ports.clock, position < addresses.length - 1),
        );
      }
    }
    await search.end();
    return { attempts, complete: search.isAnswered() || !isOver(deadline) };
  });
}

/** What is under way at the hosts of a domain. */
interface Search {
  /** In the order in which they began. */
  readonly attempts: Attempt[];
  isNew(address: string): boolean;
  isLongEnough(): boolean;
  isAnswered(): boolean;
  /** Resolves with the end of the attempt, or when it is slow to connect and the next one should begin. */
  begin(host: MailHost, address: string, deadline: Deadline): Promise<void>;
  /** Waits for the attempts that were slow. */
  end(): Promise<void>;
}

function createSearch(ports: ContactPorts, errand: Errand, onAnswered: () => void): Search {
  const attempts: Attempt[] = [];
  const dialed = new Set<string>();
  const underWay: Promise<void>[] = [];
  let isAnswered = false;

  return {
    attempts,
    isNew: address => !dialed.has(address),
    isLongEnough: () => contactsOf(attempts) >= contactsMax || dialed.size >= dialsMax,
    isAnswered: () => isAnswered,
    begin(host, address, deadline) {
      dialed.add(address);
      const place = attempts.length;
      attempts.push({ kind: 'not_connected', host: host.name, address, failure: 'unreachable' });
      return new Promise((resolve, reject) => {
        const contacting = contact(ports, host, address, errand, deadline, resolve).then(attempt => {
          attempts[place] = attempt;
          if (endsSearch(attempt) && !isAnswered) {
            isAnswered = true;
            onAnswered();
          }
          resolve();
        });
        contacting.catch(reject);
        underWay.push(contacting);
      });
    },
    async end() {
      await Promise.all(underWay);
    },
  };
}

/** Attempts that reached a host or failed on our side. A dead address costs no host anything and does not count. */
function contactsOf(attempts: readonly Attempt[], host?: MailHost): number {
  return attempts.filter(
    attempt =>
      (attempt.kind === 'probed' ||
        (attempt.kind === 'not_connected' && attempt.failure !== 'unreachable')) &&
      (host === undefined || attempt.host === host.name),
  ).length;
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
  onSlow: () => void,
): Promise<Attempt> {
  const provider = findProvider(host.name, errand.email.domain.ascii)?.id;
  const plan = {
    ...errand,
    host: host.name,
    address,
    provider,
    oneRecipientPerTransaction: provider !== undefined && oneRecipientProviders.has(provider),
  };
  return { ...(await probeRecipient(ports, plan, deadline, onSlow)), host: host.name, address };
}
