import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type House, startHouse, waitFor } from '@mailproof/dev-house';
import {
  type Comparison,
  comparisonOf,
  type Measurement,
  measure,
  type Round,
  type Subject,
} from '@mailproof/dev-house/measure-requests';
import { costsOfServices } from '@mailproof/dev-house/service-costs';
import { toolHouseOn } from '../test/house.ts';
import { messageOf } from '../test/messages.ts';
import { connect } from '../test/oauth-client.ts';
import { ratioMin, readOptions } from './options.ts';

const email = 'ada@ordinary.example';
const credits = 10_000_000;
const requestsPerSecond = 100_000;
const warmUpSeconds = 3;
const creditsDeadlineMs = 15_000;
const statusTool = 'svc_get_account_status';

const options = readOptions(process.argv.slice(2));
const stateDir = await mkdtemp(join(tmpdir(), 'mailproof-bench-'));
let house: House | undefined;
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
  process.exitCode = await bench(house);
} finally {
  await house?.stop();
  await rm(stateDir, { recursive: true, force: true });
}

async function bench(running: House): Promise<number> {
  const pairs = await subjectsOf(running);
  for (const subject of pairs.flat()) {
    await measure(subject, { ...options, seconds: warmUpSeconds });
  }
  const rounds: Round[][] = pairs.map(() => []);
  for (let round = 1; round <= options.rounds; round += 1) {
    process.stderr.write(`Round ${round} of ${options.rounds}\n`);
    for (const [index, [ours, theirs]] of pairs.entries()) {
      rounds[index]?.push({ ours: await measure(ours, options), theirs: await measure(theirs, options) });
    }
  }
  const comparisons = pairs.map(([ours, theirs], index) => ({
    name: ours.name,
    baseline: theirs.name,
    ...comparisonOf(rounds[index] ?? []),
  }));
  return report(comparisons, costsOfServices(running).find(({ name }) => name === 'mcp-server')?.nowMiB ?? 0);
}

/** Each tool with the REST request that it is made of; the token is good for ten minutes, longer than all rounds. */
async function subjectsOf(running: House): Promise<readonly (readonly [Subject, Subject])[]> {
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
  return [
    [call(statusTool, {}), { name: 'GET /me', url: `${api}/me`, headers: rest }],
    [
      call('svc_validate_email', { email }),
      {
        name: 'remembered validation',
        url: `${api}/validate-single-email`,
        headers: rest,
        body: { email },
      },
    ],
  ];
}

/** Prints the medians and answers the exit code. */
function report(
  comparisons: readonly (Comparison & { readonly name: string; readonly baseline: string })[],
  memoryMiB: number,
): number {
  const ratio = comparisons.find(({ name }) => name === statusTool)?.perSecondRatio ?? Number.NaN;
  const isKept = ratio >= ratioMin;
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ options, comparisons, memoryMiB, ratioMin, isKept })}\n`);
  } else {
    process.stdout.write(
      `${options.connections} connections, medians of ${options.rounds} rounds of ${options.seconds} s\n`,
    );
    for (const { name, baseline, ours, theirs, perSecondRatio, p99Ratio } of comparisons) {
      process.stdout.write(`${lineOf(name, ours)}\n${lineOf(`  ${baseline}`, theirs)}\n`);
      process.stdout.write(
        `  ratio, round by round: ${perSecondRatio.toFixed(2)} of its requests a second, ${p99Ratio.toFixed(2)} of its p99\n`,
      );
    }
    process.stdout.write(`tool server after it all: ${memoryMiB.toFixed(0)} MiB resident\n`);
    process.stdout.write(
      `${isKept ? 'kept' : 'MISSED'}: ${statusTool} at least ${ratioMin} of GET /me (${ratio.toFixed(2)})\n`,
    );
  }
  return isKept || !options.check ? 0 : 1;
}

function lineOf(name: string, { perSecond, p50Ms, p99Ms }: Measurement): string {
  return `${name.padEnd(24)}${perSecond.toFixed(0).padStart(7)}/s  p50 ${p50Ms.toFixed(0).padStart(4)} ms  p99 ${p99Ms.toFixed(0).padStart(4)} ms`;
}
