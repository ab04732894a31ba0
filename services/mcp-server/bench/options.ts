import { wholeNumberArgument } from '@mailproof/service-kit';
import { Command } from 'commander';

export interface BenchOptions {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  readonly json?: true;
  readonly check: boolean;
}

/**
 * Calls of the status tool for each `GET /me`. A call is two requests to the gateway, one look into Postgres, a signature
 * and a sealed key to open, and a protocol server of its own, all on the cores that the gateway shares.
 */
export const ratioMin = 0.12;

/** Declares the command line; commander ends the process after `--help` and on wrong usage. */
export function readOptions(args: readonly string[]): BenchOptions {
  return new Command('pnpm bench:tools')
    .description(
      'Measures calls of both tools through the real tool server, gateway, ledger and engine, in turn with the same requests to the REST interface, and prints calls a second, p50, p99 and resident memory.',
    )
    .option(
      '--rounds <number>',
      'rounds; each measures everything once, in turn',
      wholeNumberArgument(1, 20),
      5,
    )
    .option('--seconds <number>', 'length of one measurement', wholeNumberArgument(1, 20), 4)
    .option('--connections <number>', 'clients at once', wholeNumberArgument(1, 1_000), 32)
    .option('--json', 'print one JSON object in place of the table')
    .option('--no-check', 'exit with 0 also where the bound is missed')
    .addHelpText('after', help)
    .parse([...args], { from: 'user' })
    .opts<BenchOptions>();
}

const help = `
A call checks the access token's signature, looks for its assistant in Postgres, fetches and opens the
sealed API key, and asks the REST interface; the baseline is the same REST request with the API key.
The access token is got as assistants get it: registration, sign-in and consent by the real pages.
What is told is the median of the rounds, and the median of their ratios.

Exit codes:
  0  the status tool makes at least ${ratioMin} of the requests a second of GET /me
  1  it makes fewer, or a request failed
  2  wrong usage`;
