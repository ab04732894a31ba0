import { wholeNumberArgument } from '@mailproof/service-kit';
import { Command } from 'commander';

export interface BenchOptions {
  readonly rows: number;
  readonly limitedRows: number;
  readonly perSecond: number;
  readonly json?: true;
  readonly check: boolean;
}

/** The share of requests that a receiver may have refused, and the memory of the service, in MiB. */
export const refusedMax = 0.01;
export const memoryMiBMax = 300;

/** Declares the command line; commander ends the process after `--help` and on wrong usage. */
export function readOptions(args: readonly string[]): BenchOptions {
  return new Command('pnpm bench:webhook')
    .description(
      'Pushes rows to a receiver that takes them at once, and to one that lets so many a second in and answers 429 beyond, and prints rows a second, 429s, attempts, and the peak memory of the service and of Redis.',
    )
    .option('--rows <number>', 'rows to the receiver at once', wholeNumberArgument(1, 50_000), 50_000)
    .option('--limited-rows <number>', 'rows to the other one', wholeNumberArgument(1, 50_000), 5_000)
    .option('--per-second <number>', 'rows a second that it lets in', wholeNumberArgument(1, 1_000), 10)
    .option('--json', 'print one JSON object in place of the table')
    .option('--no-check', 'exit with 0 also where a bound is missed')
    .addHelpText('after', help)
    .parse([...args], { from: 'user' })
    .opts<BenchOptions>();
}

const help = `
The dispatcher runs as in production, with a Postgres and a Redis of the benchmark's own; rows come from a
stand-in for the validation engine, and the receivers are in the process of the benchmark.

Exit codes:
  0  every row was delivered once, at most ${refusedMax * 100} % of the requests were answered 429, and the service
     took at most ${memoryMiBMax} MiB
  1  it was otherwise
  2  wrong usage`;
