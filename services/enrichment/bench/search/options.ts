import { wholeNumberArgument } from '@mailproof/service-kit';
import { Command } from 'commander';

/** What a search may take, with all its facets, for 95 of 100. */
export const p95MsMax = 150;

export interface BenchOptions {
  readonly people: number;
  readonly companies: number;
  readonly searches: number;
  readonly sqlSearches: number;
  readonly clients: number;
  readonly seconds: number;
  readonly seed: number;
  readonly timeLimitMinutes: number;
  readonly json?: true;
  readonly check: boolean;
}

/** Declares the command line; commander ends the process after `--help` and on wrong usage, the latter with code 2. */
export function readOptions(args: readonly string[]): BenchOptions {
  const options = new Command('pnpm bench:search')
    .description('Measures people search on a Postgres of its own, beside the same searches in SQL.')
    .option('--people <number>', 'synthetic people', wholeNumberArgument(1_000, 10_000_000), 1_000_000)
    .option(
      '--companies <number>',
      'their companies; an eighth of the people unless given',
      wholeNumberArgument(10, 5_000_000),
    )
    .option('--searches <number>', 'searches of each kind', wholeNumberArgument(5, 10_000), 60)
    .option(
      '--sql-searches <number>',
      'of each kind in SQL; 0 leaves them out',
      wholeNumberArgument(0, 100),
      3,
    )
    .option('--clients <number>', 'who search at once in the mixed load', wholeNumberArgument(1, 50), 2)
    .option('--seconds <number>', 'time of the mixed load', wholeNumberArgument(1, 600), 15)
    .option('--seed <number>', 'of the people and of the searches', wholeNumberArgument(0, 999_999_999), 7)
    .option('--time-limit-minutes <number>', 'the most time for everything', wholeNumberArgument(1, 120), 20)
    .option('--json', 'print one JSON object in place of the table')
    .option('--no-check', 'exit with 0 also where the bound is missed')
    .addHelpText('after', help)
    .exitOverride(error => {
      process.exit(error.exitCode === 0 ? 0 : 2);
    })
    .parse([...args], { from: 'user' })
    .opts<Omit<BenchOptions, 'companies'> & { readonly companies?: number }>();
  return { ...options, companies: options.companies ?? Math.ceil(options.people / 8) };
}

const help = `
A search answers its total and all facets, exactly, and its first 100 people. Totals are compared with those of SQL.
The bound: ${p95MsMax} ms at p95 for every kind of filter and for the mixed load, in which people change meanwhile.

Exit codes:
  0    the bound is kept
  1    it is missed, totals differ, or something failed
  2    wrong usage
  130  interrupted`;
