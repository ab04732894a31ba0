import type { House } from '@mailproof/dev-house';
import {
  type BareProcess,
  type Comparison,
  comparisonLines,
  comparisonOf,
  measure,
  type Round,
  type Subject,
  withBenchHouse,
} from '@mailproof/dev-house/bench';
import { composeOperator } from '../src/compose.ts';
import { startBarePair } from './bare-pair.ts';
import { ratioMin, readOptions } from './options.ts';

const requestsPerSecond = 100_000;
const grantDeadlineMs = 15_000;
const warmUpSeconds = 3;

const options = readOptions(process.argv.slice(2));
// Logs as in production.
const env = { LOG_LEVEL: 'info' };
process.exitCode = await withBenchHouse(
  { isDurable: true, env: { gateway: env, 'credit-ledger': env, 'validation-engine': env } },
  async house => {
    const pair = await startBarePair(house, requestsPerSecond);
    try {
      return await bench(house, pair);
    } finally {
      pair.stop();
    }
  },
);

async function bench(running: House, bare: BareProcess): Promise<number> {
  const apiKey = await openAccount(running);
  const [gatewayUrl = ''] = running.gatewayUrls;
  const headers = { 'x-api-key': apiKey };
  const body = { email: 'ada@ordinary.example' };
  const pairs: readonly (readonly [Subject, Subject])[] = [
    [
      { name: 'GET /me', url: `${gatewayUrl}/api/v1/me`, headers },
      { name: 'bare pair', url: `${bare.url}/me`, headers },
    ],
    [
      { name: 'remembered validation', url: `${gatewayUrl}/api/v1/validate-single-email`, headers, body },
      { name: 'bare pair', url: `${bare.url}/validate`, headers, body },
    ],
  ];
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
  return report(pairs.map(([ours], index) => ({ name: ours.name, ...comparisonOf(rounds[index] ?? []) })));
}

async function openAccount(running: House): Promise<string> {
  const operator = composeOperator({ DATABASE_URL: running.databaseUrls['gateway']?.databaseUrl ?? '' });
  try {
    const { accountId, apiKey = '' } = await operator.accounts.create({
      name: 'Bench',
      plan: 'custom',
      credits: 100_000_000,
      requestsPerSecond,
    });
    const givesUpAtMs = Date.now() + grantDeadlineMs;
    while ((await operator.accounts.pendingGrants(accountId)) > 0) {
      if (Date.now() > givesUpAtMs) {
        throw new Error('The granted credits did not arrive.');
      }
      await new Promise(resolve => setTimeout(resolve, 50));
    }
    return apiKey;
  } finally {
    await operator.close();
  }
}

/** Prints the medians and returns the exit code. */
function report(comparisons: readonly (Comparison & { readonly name: string })[]): number {
  const ratio = comparisons.find(({ name }) => name === 'GET /me')?.perSecondRatio ?? Number.NaN;
  const isKept = ratio >= ratioMin;
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ options, comparisons, ratioMin, isKept })}\n`);
  } else {
    process.stdout.write(
      `${options.connections} connections, medians of ${options.rounds} rounds of ${options.seconds} s; the bare pair makes the same hops without logic\n`,
    );
    for (const comparison of comparisons) {
      process.stdout.write(`${comparisonLines(comparison.name, 'bare pair', comparison).join('\n')}\n`);
    }
    process.stdout.write(
      `${isKept ? 'kept' : 'MISSED'}: GET /me at least ${ratioMin} of the bare pair (${ratio.toFixed(2)})\n`,
    );
  }
  return isKept || !options.check ? 0 : 1;
}
