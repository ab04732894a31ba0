import { type BenchOutput, benchCommand } from '@mailproof/dev-house/bench';
import { wholeNumberArgument } from '@mailproof/service-kit/operator-command';
import { Command } from 'commander';

export interface BenchOptions extends BenchOutput {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
}

/** The lowest allowed ratio of the request rate of `GET /me` to that of the bare pair. */
export const ratioMin = 0.6;

/** Declares the command line; commander ends the process after `--help` and on wrong usage. */
export function readOptions(args: readonly string[]): BenchOptions {
  return benchCommand(new Command('pnpm bench:gateway'))
    .description(
      'Measures GET /me and a validation with a cached verdict through the real gateway, ledger and engine, in turn with a bare pair of Express processes, and prints requests a second, p50 and p99.',
    )
    .option(
      '--rounds <number>',
      'rounds; each measures everything once, in turn',
      wholeNumberArgument(1, 100),
      5,
    )
    .option('--seconds <number>', 'length of one measurement', wholeNumberArgument(1, 60), 4)
    .option('--connections <number>', 'clients at once', wholeNumberArgument(1, 1_000), 32)
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
