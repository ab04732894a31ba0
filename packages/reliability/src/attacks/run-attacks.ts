import { fork } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type Customer, createCustomer, type House } from '@mailproof/dev-house';
import { costsOfServices } from '@mailproof/dev-house/service-costs';
import { connectAssistant, validationCall } from '../assistant.ts';
import { type Generator, hireGenerator } from '../load/hire-generator.ts';
import { type LoadHouse, openLoadHouse } from '../load/load-house.ts';
import type { LoadKind, LoadResult } from '../load/messages.ts';
import type { AttackOrder, AttackReport } from './messages.ts';

/** Something that a hostile client does while another customer works. */
export interface Attack {
  /** As it is chosen by `--only`. */
  readonly name: string;
  readonly title: string;
  readonly order: (target: Target) => AttackOrder;
}

interface Target {
  readonly gatewayUrl: string;
  readonly toolsUrl: string;
  /** Of a session of the hostile client's own account. */
  readonly cookie: string;
}

/** A row of the table: what another customer noticed. */
export interface AttackOutcome {
  readonly name: string;
  readonly title: string;
  readonly requests: readonly {
    readonly name: string;
    readonly withoutMs: number;
    readonly duringMs: number;
    readonly failed: number;
  }[];
  /** The most that a service had in memory during the attack, against the most without it. */
  readonly memory: { readonly service: string; readonly withoutMiB: number; readonly duringMiB: number };
  /** What all services wrote to their logs during the attack, in MiB. */
  readonly logMiB: number;
  readonly report: AttackReport;
  readonly faults: readonly string[];
}

/** What another customer may notice at the most. */
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

export interface AttacksPlan {
  readonly attacks: readonly Attack[];
  /** Of each load, without an attack and during it. */
  readonly seconds: number;
  readonly signal: AbortSignal;
  readonly report: (sentence: string) => void;
}

/** Lets a customer work without an attack and during each, and compares what the customer notices. */
export async function runAttacks(plan: AttacksPlan): Promise<AttackOutcome[]> {
  const outcomes: AttackOutcome[] = [];
  for (const attack of plan.attacks) {
    plan.report(attack.title);
    // A house of its own: what one attack leaves in memory is not the next one's measure.
    const running = await openLoadHouse(plan.signal);
    const generator = hireGenerator();
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
  /** The most of each service while it was watched, in MiB. */
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

/** Of all services together. */
function logBytesOf({ services }: House): number {
  return Object.values(services).reduce((sum, { logFile }) => sum + statSync(logFile).size, 0);
}
