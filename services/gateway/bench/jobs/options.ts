import { type BenchOutput, benchCommand } from '@mailproof/dev-house/bench';
import { wholeNumberArgument } from '@mailproof/service-kit/operator-command';
import { limits } from '@mailproof/shared-types';
import { Command, Option } from 'commander';

export interface BenchOptions extends BenchOutput {
  readonly rows: number;
  readonly sample: number;
  readonly format: ListFormat;
  readonly columns: number;
  readonly timeLimitMinutes: number;
  readonly nodeOptions: string;
}

export type ListFormat = 'csv' | 'xlsx';

/** The columns that say something; the others only take room. */
export const columnsMin = 6;

/** The highest peak memory allowed for any service, in MiB. */
export const memoryMiBMax = 300;
/** The average number of addresses per domain: contact lists have few for most domains. */
export const addressesPerDomain = 10;

/** Declares the command line; commander ends the process after `--help` and on wrong usage. */
export function readOptions(args: readonly string[]): BenchOptions {
  return benchCommand(new Command('pnpm bench:jobs'))
    .description(
      'Takes a list in through the gateway, validates it as a job, exports it as CSV and reads every row of that; prints rows and addresses a second, and the peak memory of each service and of Redis.',
    )
    .option(
      '--rows <number>',
      'rows of the list',
      wholeNumberArgument(100, limits.jobRowsMax),
      limits.jobRowsMax,
    )
    .option(
      '--sample <number>',
      'addresses that are asked about one by one, and by a job as long; 0 leaves this out',
      wholeNumberArgument(0, 10_000),
      2_000,
    )
    .addOption(
      new Option('--format <format>', 'the form in which the list comes in and goes out')
        .choices(['csv', 'xlsx'])
        .default('csv'),
    )
    .option(
      '--columns <number>',
      'columns of the list',
      wholeNumberArgument(columnsMin, limits.jobColumnsMax),
      columnsMin,
    )
    .option('--time-limit-minutes <number>', 'stop after this many minutes', wholeNumberArgument(1, 240), 60)
    .option(
      '--node-options <options>',
      'further options of Node for every service, such as `--heap-prof`',
      '',
    )
    .addHelpText('after', help)
    .parse([...args], { from: 'user' })
    .opts<BenchOptions>();
}

const help = `
All services run as in production, on databases of the benchmark's own that keep what they hold; the mail
hosts are a lab with ${addressesPerDomain} addresses a domain, in the process of the benchmark. Of the rows some have no address,
some a broken one, and some an address that stood in a row before, in other letters. The sample is asked
about by single validations, as many at once as a job asks, and then by a job of as many other addresses at
the same kinds of hosts; what is told is the ratio of the two paces.

Exit codes:
  0  every row came back in its order with its own columns and the verdict that it should have, the ledger
     charged each address once and contradicts itself nowhere, and no service took more than ${memoryMiBMax} MiB
  1  it was otherwise, or the time was over
  2  wrong usage`;
