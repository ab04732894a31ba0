import type { EmailAddress } from '@mailproof/shared-types';
import {
  type Clock,
  type Deadline,
  isOver,
  notWanted,
  underOwnSignal,
  within,
} from '../concurrency/deadline.ts';
import { addressesInOrderOf, type MailHost, resolveHost } from '../dns/find-mail-hosts.ts';
import type { MailDns } from '../dns/mail-dns.ts';

import { findProvider, operatorOf } from '../providers/find-provider.ts';
import type { MadeUpRecipient } from '../smtp/made-up-recipients.ts';
import { type ProbePorts, probeRecipient } from '../smtp/probe-recipient.ts';
import { decideByProbe, endsSearch, equalsMatter } from '../verdict/decide.ts';
import type { Attempt, Evidence } from '../verdict/evidence.ts';

export interface ContactPorts extends ProbePorts {
  readonly dns: MailDns;
  readonly guard: AddressGuard;
  readonly clock: Clock;
}

/** Decides whether an address may be contacted, and in exactly which spelling. */
export type AddressGuard = (address: string) => GuardedAddress;

export type GuardedAddress =
  | {
      readonly allowed: true;
      /** Connect to exactly this string: it was checked, and no second resolution can change it. */
      readonly address: string;
    }
  | { readonly allowed: false };

/** The part of the work that is the same for every host of the domain. */
export interface ContactTask {
  readonly email: EmailAddress;
  readonly madeUp: readonly MadeUpRecipient[];
}

/**
 * RFC 5321 section 5.1 asks for at least two addresses to be tried; after five that connect, further attempts are
 * useless.
 */
const contactsMax = 5;
/** Keeps one host with many addresses from using up the attempts of the other hosts. */
const contactsPerHostMax = 2;
/** Addresses that are dialed in total, including dead ones. */
const dialsMax = 16;
const dialsPerHostMax = 6;
const lookUpTimeoutMs = 8_000;

/** Hosts of equal preference that are asked in addition to one that has answered. */
const equalsMax = 2;
/** The most time for them: there is already an answer, which stands if they are silent. */
const equalsTimeoutMs = 5_000;

/** Consumer services that dislike several recipients in one transaction. */
const oneRecipientProviders: ReadonlySet<string> = new Set(['outlook_com']);

/**
 * Asks the hosts in order until one gives an answer, all have been tried, or time is up. Hosts of the same preference
 * that have other operators may disagree, so some of these are asked too: a sender takes any of them.
 */
export async function contactHosts(
  ports: ContactPorts,
  hosts: readonly MailHost[],
  task: ContactTask,
  deadline: Deadline,
): Promise<Pick<Evidence, 'attempts' | 'complete'>> {
  const dialed = new Set<string>();
  const found = await searchHosts(ports, hosts, task, dialed, deadline);
  const answer = found.attempts.find(endsSearch);
  const host = hosts.find(({ name }) => name === answer?.host);
  if (answer === undefined || host === undefined || !equalsMatter(answer)) {
    return found;
  }
  const equals = equalsOf(host, hosts, found.attempts, task);
  const doubted = mayBeStray(host, answer, task) ? [host] : [];
  if (equals.length + doubted.length === 0) {
    return found;
  }
  const asked = await askEquals(ports, [...doubted, ...equals], answer, task, dialed, deadline);
  // All addresses of the doubted host may have been dialed before.
  const others = asked.filter(({ kind, host: name }) => kind !== 'forbidden' || name !== host.name);
  return { attempts: [...found.attempts, ...others], complete: found.complete };
}

/**
 * True if another address of the host should be asked too: a machine without mailboxes may share its name and calls every
 * recipient missing. Machines of a known provider do not, nor does one that has accepted a recipient of the domain; so a
 * list costs the other addresses only the refusals before the first acceptance.
 */
function mayBeStray({ name }: MailHost, answer: Attempt, { email }: ContactTask): boolean {
  return (
    answer.kind === 'probed' &&
    decideByProbe(answer.result).result === 'invalid' &&
    !(answer.result.kind === 'answered' && answer.result.knowsDomain) &&
    findProvider(name, email.domain.ascii) === undefined
  );
}

/**
 * Asks the hosts until one has answered. An address that is slow to connect keeps its chance while the next one is
 * tried, as in RFC 8305: the first answer wins.
 *
 * @param dialed - collects the addresses that were dialed
 */
async function searchHosts(
  ports: ContactPorts,
  hosts: readonly MailHost[],
  task: ContactTask,
  dialed: Set<string>,
  deadline: Deadline,
): Promise<Pick<Evidence, 'attempts' | 'complete'>> {
  return underOwnSignal(deadline.signal, async answered => {
    const untilAnswered: Deadline = {
      signal: answered.signal,
      list: deadline.list,
      remainingMs: () => (answered.signal.aborted ? 0 : deadline.remainingMs()),
    };
    const search = createSearch(ports, task, dialed, () => answered.abort(notWanted));
    const { attempts } = search;
    for (const [index, host] of hosts.entries()) {
      if (search.isAnswered()) {
        break;
      }
      const hostDeadline = shareOf(untilAnswered, ports.clock, index < hosts.length - 1);
      const located = await locate(ports, host, task, hostDeadline);
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

/** The search for an answer at the hosts of a domain. */
interface Search {
  /** In the order in which they began. */
  readonly attempts: Attempt[];
  isNew(address: string): boolean;
  isLongEnough(): boolean;
  isAnswered(): boolean;
  /** Resolves when the attempt ends, or when it is slow to connect and the next one should begin. */
  begin(host: MailHost, address: string, deadline: Deadline): Promise<void>;
  /** Waits for the attempts that were slow. */
  end(): Promise<void>;
}

function createSearch(
  ports: ContactPorts,
  task: ContactTask,
  dialed: Set<string>,
  onAnswered: () => void,
): Search {
  const attempts: Attempt[] = [];
  const inFlight: Promise<void>[] = [];
  let isAnswered = false;

  return {
    attempts,
    isNew: address => !dialed.has(address),
    isLongEnough: () => contactsOf(attempts) >= contactsMax || dialed.size >= dialsMax,
    isAnswered: () => isAnswered,
    begin(host, address, deadline) {
      dialed.add(address);
      const index = attempts.length;
      attempts.push({ kind: 'not_connected', host: host.name, address, failure: 'unreachable' });
      return new Promise((resolve, reject) => {
        const contacting = contact(ports, host, address, task, deadline, resolve).then(attempt => {
          attempts[index] = attempt;
          if (endsSearch(attempt) && !isAnswered) {
            isAnswered = true;
            onAnswered();
          }
          resolve();
        });
        contacting.catch(reject);
        inFlight.push(contacting);
      });
    },
    async end() {
      await Promise.all(inFlight);
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

/** The hosts that a sender may use instead of one that answered, one of each operator. */
function equalsOf(
  { name, preference }: MailHost,
  hosts: readonly MailHost[],
  attempts: readonly Attempt[],
  { email }: ContactTask,
): readonly MailHost[] {
  if (preference === undefined) {
    return [];
  }
  const tried = new Set(attempts.map(({ host }) => host));
  const equals = hosts.filter(host => host.preference === preference && !tried.has(host.name));
  const operators = new Set([operatorOf(name, email.domain.ascii)]);
  const others = equals.filter(host => {
    const operator = operatorOf(host.name, email.domain.ascii);
    const isOther = !operators.has(operator);
    operators.add(operator);
    return isOther;
  });
  return others.slice(0, equalsMax);
}

/**
 * Asks all of them at once, at addresses that have not been dialed. The host that answered is asked in the same address
 * family: the other one is usually the same machine, and may refuse us for reasons of its family.
 */
async function askEquals(
  ports: ContactPorts,
  equals: readonly MailHost[],
  answer: Attempt,
  task: ContactTask,
  dialed: ReadonlySet<string>,
  deadline: Deadline,
): Promise<readonly Attempt[]> {
  const isIpv6 = (address: string) => address.includes(':');
  const guardOf =
    ({ name }: MailHost): AddressGuard =>
    address => {
      const guarded = ports.guard(address);
      const isOtherFamily =
        name === answer.host && 'address' in answer && isIpv6(address) !== isIpv6(answer.address);
      return guarded.allowed && (isOtherFamily || dialed.has(guarded.address)) ? { allowed: false } : guarded;
    };
  const end = within(ports.clock, deadline, equalsTimeoutMs);
  const asked = await Promise.all(
    equals.map(host => searchHosts({ ...ports, guard: guardOf(host) }, [host], task, new Set(), end)),
  );
  return asked.flatMap(({ attempts }) => attempts);
}

/**
 * Half of the remaining time if another host follows: a slow first host, which is common, gets a fair chance, and a
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
  { email }: ContactTask,
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
  task: ContactTask,
  deadline: Deadline,
  onSlow: () => void,
): Promise<Attempt> {
  const provider = findProvider(host.name, task.email.domain.ascii)?.id;
  const plan = {
    ...task,
    host: host.name,
    address,
    provider,
    oneRecipientPerTransaction: provider !== undefined && oneRecipientProviders.has(provider),
  };
  return { ...(await probeRecipient(ports, plan, deadline, onSlow)), host: host.name, address };
}
