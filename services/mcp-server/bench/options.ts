import { type BenchOutput, benchCommand } from '@mailproof/dev-house/bench';
import { wholeNumberArgument } from '@mailproof/service-kit/operator-command';
import { Command } from 'commander';

export interface BenchOptions extends BenchOutput {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
}

/**
 * The smallest allowed ratio of the status tool's call rate to that of a bare SDK server whose tool makes the same REST
 * request.
 */
export const ratioMin = 0.8;

/** The largest allowed median time of a call, as a multiple of the bare server's. */
export const p50RatioMax = 1.5;

/** Declares the command line; commander ends the process after `--help` and on wrong usage. */
export function readOptions(args: readonly string[]): BenchOptions {
  return benchCommand(new Command('pnpm bench:tools'))
    .description(
      'Measures calls of both tools through the real tool server, gateway, ledger and engine, in turn with the same requests to the REST interface and with a bare server of the SDK, and prints calls a second, p50, p99 and resident memory.',
    )
    .option(
      '--rounds <number>',
      'rounds; each measures everything once, in turn',
      wholeNumberArgument(1, 20),
      5,
    )
    .option('--seconds <number>', 'length of one measurement', wholeNumberArgument(1, 20), 4)
    .option('--connections <number>', 'clients at once', wholeNumberArgument(1, 1_000), 32)
    .addHelpText('after', help)
    .parse([...args], { from: 'user' })
    .opts<BenchOptions>();
}

const help = `
A call checks the access token, finds its assistant in Postgres, and makes one request to the gateway,
which checks membership, plan and key and counts the request. The first baseline is the same REST request
with the API key. The second is a server as the SDK's documentation shows it, in its own process:
the same message, one tool that makes the same REST request, no tokens, no limits, no log.
The access token is got as assistants get it: registration, sign-in and consent by the real pages.
What is told is the median of the rounds, and the median of their ratios.

Exit codes:
  0  the status tool makes at least ${ratioMin} of the bare server's requests a second, and its p50 is at
     most ${p50RatioMax} times the bare server's
  1  it misses one of the two, or a request failed
  2  wrong usage`;
