import { wholeNumberArgument } from '@mailproof/service-kit';
import { Command } from 'commander';

export interface BenchOptions {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  readonly json?: true;
  readonly check: boolean;
}

/** `GET /me` makes at least so many requests for each of the bare pair's. */
export const ratioMin = 0.6;

/** Declares the command line; commander ends the process after `--help` and on wrong usage. */
export function readOptions(args: readonly string[]): BenchOptions {
  return new Command('pnpm bench:gateway')
    .description(
      'Measures GET /me and a validation whose verdict is remembered through the real gateway, ledger and engine, in turn with a bare pair of Express processes, and prints requests a second, p50 and p99.',
    )
    .option(
      '--rounds <number>',
      'rounds; each measures everything once, in turn',
      wholeNumberArgument(1, 100),
      5,
    )
    .option('--seconds <number>', 'length of one measurement', wholeNumberArgument(1, 60), 4)
    .option('--connections <number>', 'clients at once', wholeNumberArgument(1, 1_000), 32)
    .option('--json', 'print one JSON object in place of the table')
    .option('--no-check', 'exit with 0 also where the bound is missed')
    .addHelpText('after', help)
    .parse([...args], { from: 'user' })
    .opts<BenchOptions>();
}

const help = `
The bare pair makes the hops of each. For GET /me, the first process looks the key up in Postgres, runs
the gateway's own script in Redis and asks the second over HTTP with connections that are kept; the
second reads the balance from Postgres. For a validation, the second creates the hold by the ledger's
own function in Postgres, then reads the verdict and counts the address in Redis as the engine does;
once the answer is sent, the first writes the charge down in Postgres, has the second settle it and
strikes it off. Same libraries (Express, ioredis, pg with prepared statements, undici), same databases,
same numbers of connections, no logs, no checks, no service tokens; two processes in place of three.
What is told is the median of the rounds, and the median of their ratios.

Exit codes:
  0  GET /me makes at least ${ratioMin} of the bare pair's requests a second
  1  it makes fewer, or a request failed
  2  wrong usage`;
