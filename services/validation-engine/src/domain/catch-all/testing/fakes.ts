import { createAddressGuard } from '@mailproof/service-kit';
import type { DnsAnswer, EvidenceDns } from '../../dns/mail-dns.ts';
import { type KnownPeople, noKnownPeople } from '../../known-people/known-people.ts';
import { noOutcomes, type OutcomeHistory } from '../../outcomes/outcome-store.ts';
import type { SmtpConnector } from '../../smtp/connection.ts';
import {
  createFakeDns,
  createProbePorts,
  createScriptedConnection,
  createStillClock,
  emailOf,
  type ScriptedOutcome,
  type Zone,
} from '../../testing/fakes.ts';
import type { Attempt } from '../../verdict/evidence.ts';
import type { EvidencePorts, Inquiry } from '../evidence-source.ts';
import { noSiteLooks, type SiteLooks } from '../site/site-looks.ts';
import type { WebClient, WebOutcome } from '../web-client.ts';

export const nodata: DnsAnswer<never> = { kind: 'nodata' };
export const lost: DnsAnswer<never> = { kind: 'failure', failure: 'timeout' };

export const stranger = 'somebody.madeup234';

/** Key records by `<type> <name>`; a name without an answer is an error in the test. */
export function createFakeEvidenceDns(records: Readonly<Record<string, DnsAnswer<Uint8Array>>> = {}) {
  const asked: string[] = [];
  const dns: EvidenceDns = {
    async resolveKey(name, type) {
      const question = `${type} ${name}`;
      asked.push(question);
      const answer = records[question];
      if (answer === undefined) {
        throw new Error(`DNS was asked for ${question}, which the test does not expect.`);
      }
      return answer;
    },
    async resolveText(name) {
      throw new Error(`DNS was asked for TXT of ${name}, which the test does not expect.`);
    },
  };
  return { dns, asked };
}

/** Pages by `<host><path>`; a request without an answer is an error in the test. */
export function createFakeWeb(pages: Readonly<Record<string, WebOutcome>> = {}) {
  const asked: string[] = [];
  const web: WebClient = {
    async get({ host, path }) {
      const address = `${host}${path}`;
      asked.push(address);
      const answer = pages[address];
      if (answer === undefined) {
        throw new Error(`The web was asked for ${address}, which the test does not expect.`);
      }
      return answer;
    },
  };
  return { web, asked };
}

export function page(status: number, body: string | Uint8Array = ''): WebOutcome {
  return {
    kind: 'response',
    status,
    headers: {},
    body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
  };
}

/** The parts of an OpenPGP key that are checked: the head of a public-key packet, and a user ID. */
export function keyOf(address: string): Uint8Array {
  return Buffer.concat([
    Buffer.from([0xc6, 3, 4, 0, 0, 0xcd, address.length + 2]),
    Buffer.from(`<${address}>`),
  ]);
}

export type Script = readonly (readonly [expected: RegExp, outcome: ScriptedOutcome])[];

/** A session of a host that answers about the recipients in turn, the real one first. */
export function sessionWith(...replies: readonly string[]): Script {
  return [
    [/^$/, '220 mx'],
    [/^EHLO/, '250 mx'],
    [/^MAIL/, '250 Ok'],
    ...replies.flatMap((reply, index) => [
      // The real recipient has its own transaction; the made-up ones share the next.
      ...(index === 1
        ? ([
            [/^RSET/, '250 Ok'],
            [/^MAIL/, '250 Ok'],
          ] as const)
        : []),
      [/^RCPT/, reply] as const,
    ]),
    [/^RSET/, '250 Ok'],
    [/^QUIT/, '221 Bye'],
  ];
}

interface World {
  readonly dns?: EvidenceDns;
  readonly web?: WebClient;
  /** Mail hosts by address; a host without a script cannot be reached. */
  readonly hosts?: Readonly<Record<string, Script>>;
  readonly zone?: Zone;
  readonly outcomes?: OutcomeHistory;
  readonly sites?: SiteLooks;
  readonly knownPeople?: KnownPeople;
}

/** Ports with only the given answers; everything else fails loudly. */
export function portsOf({
  dns,
  web,
  hosts = {},
  zone = {},
  outcomes = noOutcomes,
  sites = noSiteLooks,
  knownPeople = noKnownPeople,
}: World) {
  const contacted: string[] = [];
  const clock = createStillClock();
  const connector: SmtpConnector = {
    async connect(address) {
      contacted.push(address);
      const script = hosts[address];
      return script === undefined
        ? { kind: 'failure', failure: 'unreachable' }
        : { kind: 'connected', connection: createScriptedConnection(script) };
    },
  };
  const ports: EvidencePorts = {
    dns: createFakeDns(zone),
    evidenceDns: dns ?? createFakeEvidenceDns().dns,
    web: web ?? createFakeWeb().web,
    ...createProbePorts(connector, clock),
    guard: createAddressGuard([]),
    clock,
    outcomes,
    sites,
    knownPeople,
    roles: new Set(['info']),
  };
  return { ports, contacted };
}

export function inquiryAbout(address: string, known: Partial<Inquiry> = {}): Inquiry {
  const email = emailOf(address);
  if (email.domain.kind !== 'name') {
    throw new Error('Evidence is gathered about addresses at names only.');
  }
  const madeUp = [{ shape: 'alike', localPart: stranger }] as const;
  return {
    task: { email, madeUp },
    domain: email.domain,
    stranger,
    mailHosts: [],
    attempts: [],
    ...known,
  };
}

/** An attempt at a host that accepted every recipient. */
export function acceptedAt(host: string, address: string): Attempt {
  const madeUp = [{ shape: 'alike', localPart: 'letters', finding: 'accepted', first: true }] as const;
  return {
    kind: 'probed',
    host,
    address,
    result: { kind: 'answered', recipient: 'accepted', madeUp, comparedMsAgo: 0 },
    transcript: [],
  };
}
