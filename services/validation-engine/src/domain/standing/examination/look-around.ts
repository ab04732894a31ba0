import type { EmailAddress } from '@mailproof/shared-types';
import { type Deadline, deadlineAfter } from '../../concurrency/deadline.ts';
import { findMailHosts, resolveHost } from '../../dns/find-mail-hosts.ts';
import type { DnsAnswer, MailDns } from '../../dns/mail-dns.ts';
import { type BlockList, reversedAddress, testAddress } from './block-lists.ts';
import { type Greeting, type GreetPorts, greetHost } from './greet-host.ts';
import { publicAddressOf } from './judge.ts';
import type {
  BlockListSeen,
  DomainSeen,
  HostSeen,
  NameSeen,
  Observations,
  PublicAddressSeen,
  ResolverSeen,
  ReverseSeen,
} from './observations.ts';

/** Looks up the names of an address. Keeps the deadline and never rejects. */
export type ReverseDns = (address: string, deadline: Deadline) => Promise<DnsAnswer<string>>;

export interface ExaminationPorts {
  readonly contact: GreetPorts;
  /** One entry per name server, so that a failed one cannot hide behind the others. */
  readonly servers: readonly { readonly name: string; readonly dns: MailDns }[];
  readonly reverse: ReverseDns;
}

export type Domain = Extract<EmailAddress['domain'], { kind: 'name' }>;

export interface LookAroundOptions {
  readonly probeDomains: readonly [Domain, ...Domain[]];
  readonly heloName: string | undefined;
  readonly publicAddress: string | undefined;
  readonly blockLists: readonly BlockList[];
}

const resolverTimeoutMs = 3_000;
const lookUpTimeoutMs = 4_000;
/** The most time for all hosts of one domain. */
const domainTimeoutMs = 20_000;
const hostsPerDomainMax = 2;
/** The most names of an address that are looked up; a sane address has one. */
const reverseNamesMax = 5;

/** Observes everything that validations depend on. Every step has its own timeout, and judges nothing. */
export async function lookAround(
  ports: ExaminationPorts,
  options: LookAroundOptions,
  signal: AbortSignal,
): Promise<Observations> {
  const until = (timeoutMs: number) => deadlineAfter(ports.contact.clock, timeoutMs, signal);
  const [domain] = options.probeDomains;
  const resolvers = await Promise.all(
    ports.servers.map(server => askResolver(ports, server, domain.ascii, until(resolverTimeoutMs))),
  );
  const someAnswer = resolvers.some(({ answer }) => answer.kind !== 'failure');
  const greeting = { heloName: options.heloName, learnAddress: options.publicAddress === undefined };
  // If no name server answers, each further lookup would only wait for its timeout.
  const greetings = someAnswer
    ? await Promise.all(
        options.probeDomains.map(name => greetDomain(ports.contact, name, greeting, until(domainTimeoutMs))),
      )
    : options.probeDomains.map(({ ascii }): DomainSeen => ({ domain: ascii, hosts: [] }));
  const publicAddress = findPublicAddress(options.publicAddress, greetings);
  const address = someAnswer ? publicAddressOf(publicAddress) : undefined;
  const { heloName } = options;
  const [ehloName, reverse, blockLists] = await Promise.all([
    heloName === undefined
      ? undefined
      : someAnswer
        ? lookUp(ports, heloName, until(lookUpTimeoutMs))
        : noAnswer(heloName),
    address === undefined ? undefined : lookUpReverse(ports, address, until(lookUpTimeoutMs)),
    address === undefined
      ? undefined
      : Promise.all(
          options.blockLists
            .filter(list => list.ipv6 || !address.includes(':'))
            .map(list => askBlockList(ports, list, address, until(lookUpTimeoutMs))),
        ),
  ]);
  return { resolvers, greetings, publicAddress, ehloName, reverse, blockLists };
}

async function askResolver(
  { contact }: ExaminationPorts,
  { name, dns }: ExaminationPorts['servers'][number],
  domain: string,
  deadline: Deadline,
): Promise<ResolverSeen> {
  const startedAtMs = contact.clock.nowMs();
  const answer = await dns.resolveMx(domain, deadline);
  return { server: name, domain, answer, elapsedMs: contact.clock.nowMs() - startedAtMs };
}

/** One host that greets is enough; a second one is tried if the first does not. */
async function greetDomain(
  ports: GreetPorts,
  domain: Domain,
  greeting: Greeting,
  deadline: Deadline,
): Promise<DomainSeen> {
  const found = await findMailHosts(ports.dns, domain, deadline);
  const hosts: HostSeen[] = [];
  for (const host of found.kind === 'found' ? found.hosts.slice(0, hostsPerDomainMax) : []) {
    const seen = await greetHost(ports, host, greeting, deadline);
    hosts.push(seen);
    if (seen.kind === 'greeted') {
      break;
    }
  }
  return { domain: domain.ascii, hosts };
}

function findPublicAddress(given: string | undefined, domains: readonly DomainSeen[]): PublicAddressSeen {
  if (given !== undefined) {
    return { kind: 'given', address: given };
  }
  const echoes = domains
    .flatMap(({ hosts }) => hosts)
    .flatMap(host =>
      host.kind === 'greeted' && host.clientAddress !== undefined
        ? [{ host: host.host, address: host.clientAddress }]
        : [],
    );
  return echoes.length === 0
    ? { kind: 'unknown' }
    : {
        kind: 'echoed',
        addresses: [...new Set(echoes.map(({ address }) => address))],
        hosts: echoes.map(({ host }) => host),
      };
}

function noAnswer(name: string): NameSeen {
  return { name, addresses: { kind: 'failure', failure: 'timeout' } };
}

async function lookUp({ contact }: ExaminationPorts, name: string, deadline: Deadline): Promise<NameSeen> {
  return { name, addresses: await resolveHost(contact.dns, name, deadline) };
}

async function lookUpReverse(
  ports: ExaminationPorts,
  address: string,
  deadline: Deadline,
): Promise<ReverseSeen> {
  const names = await ports.reverse(address, deadline);
  const records = names.kind === 'answer' ? names.records.slice(0, reverseNamesMax) : [];
  const forward = await Promise.all(
    records.map(record => lookUp(ports, record.toLowerCase().replace(/\.$/, ''), deadline)),
  );
  return { address, names, forward };
}

async function askBlockList(
  { contact: { dns } }: ExaminationPorts,
  list: BlockList,
  address: string,
  deadline: Deadline,
): Promise<BlockListSeen> {
  const ask = (of: string) => dns.resolveAddresses(`${reversedAddress(of)}.${list.zone}`, 4, deadline);
  const [own, test] = await Promise.all([ask(address), ask(testAddress(address))]);
  return { list, own, test };
}

function nameOf(ascii: string): Domain {
  return { kind: 'name', ascii, unicode: ascii };
}

/** Hosts of these domains are always available, greet every client, and say which address they see us at. */
export const probeDomainsDefault: readonly [Domain, ...Domain[]] = [
  nameOf('gmail.com'),
  nameOf('outlook.com'),
];
