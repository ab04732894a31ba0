import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type House, startHouse, waitFor } from '@mailproof/dev-house';
import { comparisonOf, measure, type Round, type Subject } from '@mailproof/dev-house/measure-requests';
import { costsOfServices } from '@mailproof/dev-house/service-costs';
import { toolHouseOn } from '../test/house.ts';
import { messageOf } from '../test/messages.ts';
import { connect } from '../test/oauth-client.ts';
import type { BareServerSettings } from './bare-server.ts';
import { readOptions } from './options.ts';
import { bareServerName, report, statusTool } from './report.ts';

const email = 'ada@ordinary.example';
const credits = 10_000_000;
const requestsPerSecond = 100_000;
const warmUpSeconds = 3;
const creditsDeadlineMs = 15_000;

const options = readOptions(process.argv.slice(2));
const stateDir = await mkdtemp(join(tmpdir(), 'mailproof-bench-'));
let house: House | undefined;
let bareServer: ChildProcess | undefined;
try {
  // Logs are written as in production.
  const env = { LOG_LEVEL: 'info' };
  house = await startHouse({
    stateDir,
    lab: true,
    quiet: true,
    isDurable: true,
    env: { gateway: env, 'credit-ledger': env, 'validation-engine': env, 'mcp-server': env },
  });
  bareServer = fork(join(import.meta.dirname, 'bare-server.ts'), { execArgv: [] });
  process.exitCode = await bench(house, bareServer);
} finally {
  bareServer?.kill();
  await house?.stop();
  await rm(stateDir, { recursive: true, force: true });
}

/** A tool, and the requests with which its calls are compared. */
interface Group {
  readonly ours: Subject;
  readonly baselines: readonly Subject[];
}

async function bench(running: House, bare: ChildProcess): Promise<number> {
  const groups = await groupsOf(running, bare);
  for (const subject of groups.flatMap(({ ours, baselines }) => [ours, ...baselines])) {
    await measure(subject, { ...options, seconds: warmUpSeconds });
  }
  const pairs = groups.flatMap(({ ours, baselines }) =>
    baselines.map(({ name }) => ({ name: ours.name, baseline: name, rounds: [] as Round[] })),
  );
  for (let round = 1; round <= options.rounds; round += 1) {
    process.stderr.write(`Round ${round} of ${options.rounds}\n`);
    for (const { ours, baselines } of groups) {
      const measured = await measure(ours, options);
      for (const baseline of baselines) {
        const theirs = await measure(baseline, options);
        pairs
          .find(pair => pair.name === ours.name && pair.baseline === baseline.name)
          ?.rounds.push({ ours: measured, theirs });
      }
    }
  }
  const comparisons = pairs.map(({ rounds, ...names }) => ({ ...names, ...comparisonOf(rounds) }));
  const memoryMiB = costsOfServices(running).find(({ name }) => name === 'mcp-server')?.nowMiB ?? 0;
  return report(options, comparisons, memoryMiB);
}

/** The token expires after ten minutes; all rounds together take less. */
async function groupsOf(running: House, bare: ChildProcess): Promise<readonly Group[]> {
  const [url = ''] = running.toolServerUrls;
  const [gatewayUrl = ''] = running.gatewayUrls;
  const toolHouse = toolHouseOn(running, url);
  const customer = await toolHouse.customer({ credits, requestsPerSecond });
  const { accessToken } = await connect(toolHouse, customer);
  const rest = { 'x-api-key': customer.apiKey };
  await waitFor(
    'The credits have arrived',
    async () => {
      const answer = await fetch(`${gatewayUrl}/api/v1/me`, { headers: rest });
      return ((await answer.json()) as { credits: number }).credits > 0;
    },
    { deadlineMs: creditsDeadlineMs },
  );
  function call(name: string, args: unknown): Subject {
    const params = { name, arguments: args };
    const { body, headers } = messageOf('2026-07-28', { method: 'tools/call', params });
    const accept = 'application/json, text/event-stream';
    return {
      name,
      url: `${url}/mcp`,
      headers: { ...headers, accept, authorization: `Bearer ${accessToken}` },
      body,
    };
  }
  const api = `${gatewayUrl}/api/v1`;
  const status = call(statusTool, {});
  bare.send({
    restUrl: gatewayUrl,
    apiKey: customer.apiKey,
    toolName: statusTool,
  } satisfies BareServerSettings);
  const [barePort] = (await Promise.race([
    once(bare, 'message'),
    once(bare, 'exit').then(() => Promise.reject(new Error('The bare server ended early.'))),
  ])) as [number];
  return [
    {
      ours: status,
      baselines: [
        // First, so that each round measures both sides of the ratio directly after each other.
        { ...status, name: bareServerName, url: `http://127.0.0.1:${barePort}/mcp` },
        { name: 'GET /me', url: `${api}/me`, headers: rest },
      ],
    },
    {
      ours: call('svc_validate_email', { email }),
      baselines: [
        {
          name: 'remembered validation',
          url: `${api}/validate-single-email`,
          headers: rest,
          body: { email },
        },
      ],
    },
  ];
}
