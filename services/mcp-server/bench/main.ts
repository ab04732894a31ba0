import { join } from 'node:path';
import { type House, waitFor } from '@mailproof/dev-house';
import {
  comparisonOf,
  costsOfServices,
  measure,
  type Round,
  type Subject,
  startBareProcess,
  withBenchHouse,
} from '@mailproof/dev-house/bench';
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
// Logs are written as in production.
const env = { LOG_LEVEL: 'info' };
process.exitCode = await withBenchHouse(
  {
    isDurable: true,
    env: { gateway: env, 'credit-ledger': env, 'validation-engine': env, 'mcp-server': env },
  },
  async house => {
    const { apiKey, accessToken } = await connectedCustomer(house);
    const bareServer = await startBareProcess(join(import.meta.dirname, 'bare-server.ts'), {
      restUrl: house.gatewayUrls[0] ?? '',
      apiKey,
      toolName: statusTool,
    } satisfies BareServerSettings);
    try {
      return await bench(house, groupsOf(house, bareServer.url, apiKey, accessToken));
    } finally {
      bareServer.stop();
    }
  },
);

/** A tool, and the requests with which its calls are compared. */
interface Group {
  readonly ours: Subject;
  readonly baselines: readonly Subject[];
}

async function bench(running: House, groups: readonly Group[]): Promise<number> {
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

/**
 * A customer with credits, and the access token of their assistant. The token expires after ten minutes; all rounds
 * together take less.
 */
async function connectedCustomer(running: House): Promise<{ apiKey: string; accessToken: string }> {
  const toolHouse = toolHouseOn(running, running.toolServerUrls[0] ?? '');
  const customer = await toolHouse.customer({ credits, requestsPerSecond });
  const { accessToken } = await connect(toolHouse, customer);
  await waitFor(
    'The credits have arrived',
    async () => {
      const answer = await fetch(`${running.gatewayUrls[0]}/api/v1/me`, {
        headers: { 'x-api-key': customer.apiKey },
      });
      return ((await answer.json()) as { credits: number }).credits > 0;
    },
    { deadlineMs: creditsDeadlineMs },
  );
  return { apiKey: customer.apiKey, accessToken };
}

function groupsOf(running: House, bareUrl: string, apiKey: string, accessToken: string): readonly Group[] {
  const [url = ''] = running.toolServerUrls;
  const rest = { 'x-api-key': apiKey };
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
  const api = `${running.gatewayUrls[0]}/api/v1`;
  const status = call(statusTool, {});
  return [
    {
      ours: status,
      baselines: [
        // First, so that each round measures both sides of the ratio directly after each other.
        { ...status, name: bareServerName, url: `${bareUrl}/mcp` },
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
