import { fork } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type Customer, createCustomer, type House } from '@mailproof/dev-house';
import { circumstances, costsOfServices, markdownTable } from '@mailproof/dev-house/bench';
import { connectAssistant, validationCall } from '../assistant.ts';
import { type LoadHouse, openLoadHouse } from '../load/load-house.ts';
import { type Generator, type LoadKind, type LoadResult, startGenerator } from '../load/start-generator.ts';

/** What the attacker does until it is stopped. */
export type AttackOrder =
  | {
      readonly kind: 'endless-lines';
      /** Where lists are uploaded, and the cookie of a session that may upload. */
      readonly uploads: readonly {
        readonly url: string;
        readonly mediaType: string;
        readonly opening: string;
      }[];
      readonly cookie: string;
      /** How many octets each upload starts with, without a line ending. */
      readonly openingBytes: number;
      /** Pause between the single octets that follow, in milliseconds. */
      readonly octetEveryMs: number;
    }
  | {
      readonly kind: 'pipelined-requests';
      readonly url: string;
      readonly connections: number;
      /** How many requests without a key are written to each connection without waiting for responses. */
      readonly requestsPerConnection: number;
      /** Whether some requests have bodies, each of which arrives together with the next request heads. */
      readonly hasBodies?: true;
    };

/** What the attacker observed, so that a run without an attack does not pass. */
export interface AttackReport {
  readonly connectionsOpened: number;
  readonly octetsSent: number;
  /** Counts of the responses that were read, by status. */
  readonly answers: Readonly<Record<string, number>>;
}

/** An attack by a hostile client while another customer works. */
export interface Attack {
  /** The name for `--only`. */
  readonly name: string;
  readonly title: string;
  readonly order: (target: Target) => AttackOrder;
}

interface Target {
  readonly gatewayUrl: string;
  readonly toolsUrl: string;
  /** The cookie of a session of the attacker's own account. */
  readonly cookie: string;
}

/** A row of the table: the effects on another customer. */
interface AttackOutcome {
  readonly name: string;
  readonly title: string;
  readonly requests: readonly {
    readonly name: string;
    readonly withoutMs: number;
    readonly duringMs: number;
    readonly failed: number;
  }[];
  /** The peak memory of a service during the attack, compared with the peak without it. */
  readonly memory: { readonly service: string; readonly withoutMiB: number; readonly duringMiB: number };
  /** How much all services logged during the attack, in MiB. */
  readonly logMiB: number;
  readonly report: AttackReport;
  readonly faults: readonly string[];
}

/** The largest allowed effects on another customer. */
export const p99RatioMax = 3;
export const memoryRatioMax = 1.5;
const logMiBMax = 10;

const sampleEveryMs = 500;
const email = 'ada.1@bench-1.test';

export const attacks: readonly Attack[] = [
  {
    name: 'attack-endless-lines',
    title: 'five uploads of 950 KB without the end of a line, then an octet every 2 ms',
    order: ({ gatewayUrl, cookie }) => ({
      kind: 'endless-lines',
      cookie,
      openingBytes: 950_000,
      octetEveryMs: 2,
      uploads: [
        ...Array.from({ length: 3 }, () => ({
          ...{ url: `${gatewayUrl}/app/v1/validation-jobs/pasted`, mediaType: 'text/plain', opening: '' },
        })),
        { url: `${gatewayUrl}/app/v1/validation-jobs`, mediaType: 'text/csv', opening: 'email\n"' },
        { url: `${gatewayUrl}/app/v1/validation-jobs`, mediaType: 'text/csv', opening: 'email\n' },
      ],
    }),
  },
  ...[10, 60].map(connections => ({
    name: `attack-pipelines-${connections}`,
    title: `${connections} connections with 5,000 pipelined requests each, without a key`,
    order: ({ gatewayUrl }: Target) => pipelines(`${gatewayUrl}/api/v1/me`, connections),
  })),
  {
    name: 'attack-bodies',
    title: '60 connections with 5,000 requests each, pipelined between bodies of one octet',
    order: ({ gatewayUrl }) => ({ ...pipelines(`${gatewayUrl}/api/v1/me`, 60), hasBodies: true }),
  },
  {
    name: 'attack-tool-pipelines',
    title: '60 connections with 5,000 pipelined requests each to the tool server, without a token',
    order: ({ toolsUrl }) => pipelines(`${toolsUrl}/mcp`, 60),
  },
];

function pipelines(url: string, connections: number) {
  return { kind: 'pipelined-requests', url, connections, requestsPerConnection: 5_000 } as const;
}

interface AttacksPlan {
  readonly attacks: readonly Attack[];
  /** Duration of each load, without and during an attack. */
  readonly seconds: number;
  readonly signal: AbortSignal;
  readonly report: (sentence: string) => void;
}

/** Lets a customer work without an attack and during each attack, and compares the effects on the customer. */
export async function runAttacks(plan: AttacksPlan): Promise<AttackOutcome[]> {
  const outcomes: AttackOutcome[] = [];
  for (const attack of plan.attacks) {
    plan.report(attack.title);
    // Each attack has its own house, so that memory left by one does not count toward the next.
    const running = await openLoadHouse(plan.signal);
    const generator = startGenerator();
    try {
      outcomes.push(await runAttack(attack, running, generator, plan));
    } finally {
      await generator.stop();
      await running.stop();
    }
  }
  return outcomes;
}

async function runAttack(
  attack: Attack,
  running: LoadHouse,
  generator: Generator,
  { seconds, signal }: AttacksPlan,
): Promise<AttackOutcome> {
  const { house, customers } = running;
  const [gatewayUrl = ''] = house.gatewayUrls;
  const [toolsUrl = ''] = house.toolServerUrls;
  const kinds = await kindsOf(gatewayUrl, toolsUrl, customers.requests);
  const hostile = await createCustomer(house, { plan: 'starter', credits: 100 });
  const cookie = await cookieOf(gatewayUrl, hostile);
  await generator.load(kinds, seconds / 2, signal);

  const without = await measure(house, () => generator.load(kinds, seconds, signal));
  const attacker = fork(join(import.meta.dirname, 'attacker.ts'), { detached: true });
  try {
    attacker.send(attack.order({ gatewayUrl, toolsUrl, cookie }));
    const logBytes = logBytesOf(house);
    const during = await measure(house, () => generator.load(kinds, seconds, signal));
    const answered = once(attacker, 'message', { signal });
    attacker.send('stop');
    const [report] = (await answered) as [AttackReport];
    const logMiB = (logBytesOf(house) - logBytes) / 1_048_576;
    return judge(attack, without, during, logMiB, report);
  } finally {
    attacker.kill('SIGKILL');
  }
}

interface Measured {
  readonly results: readonly LoadResult[];
  /** The peak memory of each service while it was watched, in MiB. */
  readonly memory: ReadonlyMap<string, number>;
}

async function measure(house: House, work: () => Promise<readonly LoadResult[]>): Promise<Measured> {
  const memory = new Map<string, number>();
  const sample = () => {
    for (const { name, nowMiB } of costsOfServices(house)) {
      memory.set(name, Math.max(memory.get(name) ?? 0, nowMiB));
    }
  };
  const timer = setInterval(sample, sampleEveryMs);
  try {
    return { results: await work(), memory };
  } finally {
    clearInterval(timer);
  }
}

function judge(
  { name, title }: Attack,
  without: Measured,
  during: Measured,
  logMiB: number,
  report: AttackReport,
): AttackOutcome {
  const requests = during.results.map(({ name: kind, p99Ms, due, answered }, at) => ({
    name: kind,
    withoutMs: without.results[at]?.p99Ms ?? 0,
    duringMs: p99Ms,
    failed: due - answered,
  }));
  const [memory] = [...during.memory]
    .map(([service, duringMiB]) => ({ service, duringMiB, withoutMiB: without.memory.get(service) ?? 0 }))
    .toSorted((one, other) => other.duringMiB / other.withoutMiB - one.duringMiB / one.withoutMiB);
  if (!memory) throw new Error('The memory of no service was seen.');
  const faults = [
    ...requests.flatMap(({ name: kind, withoutMs, duringMs, failed }) => [
      ...(failed > 0 ? [`${failed} × ${kind} failed`] : []),
      ...(duringMs > p99RatioMax * withoutMs
        ? [`the p99 of ${kind} is ${(duringMs / withoutMs).toFixed(1)} times what it is without the attack`]
        : []),
    ]),
    ...(memory.duringMiB > memoryRatioMax * memory.withoutMiB
      ? [
          `${memory.service} takes ${memory.duringMiB.toFixed(0)} MiB in place of ${memory.withoutMiB.toFixed(0)}`,
        ]
      : []),
    ...(logMiB > logMiBMax ? [`the services wrote ${logMiB.toFixed(1)} MiB of log`] : []),
    ...(report.connectionsOpened === 0 ? ['the attacker opened no connection'] : []),
  ];
  return { name, title, requests, memory, logMiB, report, faults };
}

async function kindsOf(gatewayUrl: string, toolsUrl: string, customer: Customer): Promise<LoadKind[]> {
  const headers = { 'x-api-key': customer.apiKey };
  const api = `${gatewayUrl}/api/v1`;
  const assistant = await connectAssistant(toolsUrl, customer);
  return [
    { name: 'GET /me', url: `${api}/me`, headers, perSecond: 40, shows: '"credits":' },
    {
      ...{ name: 'cached validation', url: `${api}/validate-single-email`, headers, perSecond: 30 },
      ...{ body: { email }, shows: '"result":"' },
    },
    {
      ...{ name: 'tool call', url: `${toolsUrl}/mcp`, headers: assistant.headers(), perSecond: 10 },
      ...{ body: validationCall(email), shows: '"ok":true' },
    },
  ];
}

async function cookieOf(
  url: string,
  { email: address, password }: { readonly email: string; readonly password: string },
): Promise<string> {
  const response = await fetch(`${url}/app/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: address, password }),
  });
  if (response.status !== 200) throw new Error(`Signing in was answered with ${response.status}.`);
  return response.headers
    .getSetCookie()
    .map(line => line.slice(0, line.indexOf(';')))
    .join('; ');
}

/** The log size of all services together. */
function logBytesOf({ services }: House): number {
  return Object.values(services).reduce((sum, { logFile }) => sum + statSync(logFile).size, 0);
}

const header = ['hostile client', 'another customer’s p99 ms', 'failed', 'memory MiB', 'log MiB', 'verdict'];

/** The table, followed by all failures. */
export function attacksTable(startedAt: Date, outcomes: readonly AttackOutcome[]): string {
  const wrong = outcomes.flatMap(({ title, faults }) => faults.map(fault => `- ${title}: ${fault}`));
  return [
    markdownTable(header, outcomes.map(rowOf)),
    ...(wrong.length > 0 ? [wrong.join('\n')] : []),
    circumstances(startedAt),
  ].join('\n\n');
}

function rowOf({ title, requests, memory, logMiB, faults }: AttackOutcome): string[] {
  return [
    title,
    requests
      .map(({ name, withoutMs, duringMs }) => `${name} ${fixed(withoutMs)} → ${fixed(duringMs)}`)
      .join(', '),
    String(requests.reduce((sum, { failed }) => sum + failed, 0)),
    `${memory.service} ${memory.withoutMiB.toFixed(0)} → ${memory.duringMiB.toFixed(0)}`,
    logMiB.toFixed(1),
    faults.length === 0 ? 'held' : 'BROKEN',
  ];
}

function fixed(ms: number): string {
  return ms.toFixed(1);
}
