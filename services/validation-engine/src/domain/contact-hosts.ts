import type { EmailAddress } from '@mailproof/shared-types';
import type { AddressGuard } from './address-guard.ts';
import { type Clock, type Deadline, isOver, underOwnSignal, within } from './deadline.ts';
import { addressesInOrderOf, type MailHost } from './dns/find-mail-hosts.ts';
import type { MailDns } from './dns/mail-dns.ts';
import { resolveHost } from './dns/resolve-host.ts';
import { findProvider, operatorOf } from './providers/find-provider.ts';
import type { MadeUpRecipient } from './smtp/made-up-recipients.ts';
import { type ProbePorts, probeRecipient } from './smtp/probe-recipient.ts';
import { endsSearch, equalsMatter } from './verdict/decide.ts';
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

/** Hosts of equal preference that are asked beside one that has answered. */
const equalsMax = 2;
/** The most time for them: there is an answer already, which stands where they are silent. */
const equalsTimeoutMs = 5_000;

/** A consumer service that dislikes several recipients in one transaction. */
const oneRecipientProviders: ReadonlySet<string> = new Set(['outlook_com']);

/**
 * Asks the hosts in order until one gives an answer, all have been tried, or time is up. Where hosts of the same
 * preference have other operators, so that they may disagree, some of these are asked too: a sender takes any of them.
 */
export async function contactHosts(
  ports: ContactPorts,
  hosts: readonly MailHost[],
  errand: Errand,
  deadline: Deadline,
): Promise<Pick<Evidence, 'attempts' | 'complete'>> {
  const dialed = new Set<string>();
  const found = await searchHosts(ports, hosts, errand, dialed, deadline);
  const answer = found.attempts.find(endsSearch);
  const host = hosts.find(({ name }) => name === answer?.host);
  if (answer === undefined || host === undefined || !equalsMatter(answer)) {
    return found;
  }
  const equals = equalsOf(host, hosts, found.attempts, errand);
  const asked = await askEquals(ports, equals, errand, dialed, deadline);
  return { attempts: [...found.attempts, ...asked], complete: found.complete };
}

/**
 * Asks the hosts until one has answered. An address that is slow to connect keeps its chance while the next one is tried
 * (the idea of RFC 8305): the first answer wins.
 *
 * @param dialed - takes the addresses that were dialed
 */
async function searchHosts(
  ports: ContactPorts,
  hosts: readonly MailHost[],
  errand: Errand,
  dialed: Set<string>,
  deadline: Deadline,
): Promise<Pick<Evidence, 'attempts' | 'complete'>> {
  return underOwnSignal(deadline.signal, async answered => {
    const untilAnswered: Deadline = {
      signal: answered.signal,
      remainingMs: () => (answered.signal.aborted ? 0 : deadline.remainingMs()),
    };
    const search = createSearch(ports, errand, dialed, () => answered.abort());
    const { attempts } = search;
    for (const [index, host] of hosts.entries()) {
      if (search.isAnswered()) {
        break;
      }
      const hostDeadline = shareOf(untilAnswered, ports.clock, index < hosts.length - 1);
      const located = await locate(ports, host, errand, hostDeadline);
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

function createSearch(
  ports: ContactPorts,
  errand: Errand,
  dialed: Set<string>,
  onAnswered: () => void,
): Search {
  const attempts: Attempt[] = [];
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

/** The hosts that a sender may take in place of one that answered, one of each operator. */
function equalsOf(
  { name, preference }: MailHost,
  hosts: readonly MailHost[],
  attempts: readonly Attempt[],
  { email }: Errand,
): readonly MailHost[] {
  const tried = new Set(attempts.map(({ host }) => host));
  const operators = new Set([operatorOf(name, email.domain.ascii)]);
  const equals = hosts.filter(host => {
    const operator = operatorOf(host.name, email.domain.ascii);
    const isOther =
      preference !== undefined &&
      host.preference === preference &&
      !tried.has(host.name) &&
      !operators.has(operator);
    if (isOther) {
      operators.add(operator);
    }
    return isOther;
  });
  return equals.slice(0, equalsMax);
}

/** Asks all of them at once, at addresses that have not been dialed. */
async function askEquals(
  ports: ContactPorts,
  equals: readonly MailHost[],
  errand: Errand,
  dialed: ReadonlySet<string>,
  deadline: Deadline,
): Promise<readonly Attempt[]> {
  const guard: AddressGuard = address => {
    const guarded = ports.guard(address);
    return guarded.allowed && dialed.has(guarded.address) ? { allowed: false } : guarded;
  };
  const end = within(ports.clock, deadline, equalsTimeoutMs);
  const asked = await Promise.all(
    equals.map(host => searchHosts({ ...ports, guard }, [host], errand, new Set(), end)),
  );
  return asked.flatMap(({ attempts }) => attempts);
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
async function locate(
  ports: ContactPorts,
  host: MailHost,
  { email }: Errand,
  deadline: Deadline,
): Promise<Located> {
  let addresses = host.addresses;
  if (addresses === undefined) {
    const answer = await resolveHost(ports.dns, host.name, within(ports.clock, deadline, lookUpTimeoutMs));
    if (answer.kind === 'failure') {
      return { kind: 'dns_failure', host: host.name, failure: answer.failure };
    }
    if (answer.kind !== 'addresses') {
      return { kind: 'no_address', host: host.name };
    }
    addresses = addressesInOrderOf(email.domain.ascii, answer.addresses);
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
