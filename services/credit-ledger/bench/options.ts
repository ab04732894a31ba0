import { type BenchOutput, benchCommand } from '@mailproof/dev-house/bench';
import { wholeNumberArgument } from '@mailproof/service-kit/operator-command';
import { Command } from 'commander';
import { bounds } from './judge.ts';

export interface BenchOptions extends BenchOutput {
  readonly rounds: number;
  readonly seconds: number;
  readonly clients: number;
  readonly connections: number;
  readonly accounts: number;
  readonly http: boolean;
  readonly timeLimitMinutes: number;
}

/** Declares the command line; commander ends the process after `--help` and on wrong usage. */
export function readOptions(args: readonly string[]): BenchOptions {
  return benchCommand(new Command('pnpm bench:ledger'))
    .description(
      'Measures holds of credits on its own Postgres, compared with a bare UPDATE by the same driver.',
    )
    .option(
      '--rounds <number>',
      'rounds, in which everything is measured in turn',
      wholeNumberArgument(1, 100),
      5,
    )
    .option('--seconds <number>', 'time for each measurement', wholeNumberArgument(1, 60), 3)
    .option('--clients <number>', 'who asks at once, each again and again', wholeNumberArgument(1, 1_000), 64)
    .option(
      '--connections <number>',
      'connections to Postgres that they share',
      wholeNumberArgument(1, 100),
      10,
    )
    .option(
      '--accounts <number>',
      'accounts in addition to the hot one',
      wholeNumberArgument(2, 10_000),
      1_000,
    )
    .option('--no-http', 'leave out the measurement through the running service')
    .option('--time-limit-minutes <number>', 'the most time for everything', wholeNumberArgument(1, 120), 15)
    .addHelpText('after', help)
    .parse([...args], { from: 'user' })
    .opts<BenchOptions>();
}

const help = `
Each figure is the median of the rounds; a ratio is that of two measurements of the same round.
The Postgres has the settings of a normal one: what is answered is on the disk.

Bounds, at the Postgres adapter: at least ${bounds.hotHoldsPerSecondMin} holds/s on one hot account and ${bounds.hotRatioMin} of the
bare statement there, at least ${bounds.spreadHoldsPerSecondMin} holds/s over many accounts.

Exit codes:
  0    every bound is kept
  1    a bound is missed, or something failed
  2    wrong usage
  130  interrupted`;
