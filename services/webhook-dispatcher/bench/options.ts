import { type BenchOutput, benchCommand } from '@mailproof/dev-house/bench';
import { wholeNumberArgument } from '@mailproof/service-kit/operator-command';
import { Command } from 'commander';

export interface BenchOptions extends BenchOutput {
  readonly rows: number;
  readonly limitedRows: number;
  readonly perSecond: number;
}

/** The largest share of requests that a receiver may refuse, and the most memory of the service, in MiB. */
export const refusedMax = 0.01;
export const memoryMiBMax = 300;

/** Declares the command line; commander ends the process after `--help` and on wrong usage. */
export function readOptions(args: readonly string[]): BenchOptions {
  return benchCommand(new Command('pnpm bench:webhook'))
    .description(
      'Pushes rows to a receiver that takes them at once, and to one that lets so many a second in and answers 429 beyond, and prints rows a second, 429s, attempts, and the peak memory of the service and of Redis.',
    )
    .option('--rows <number>', 'rows to the receiver at once', wholeNumberArgument(1, 50_000), 50_000)
    .option('--limited-rows <number>', 'rows to the other one', wholeNumberArgument(1, 50_000), 5_000)
    .option('--per-second <number>', 'rows a second that it lets in', wholeNumberArgument(1, 1_000), 10)
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
