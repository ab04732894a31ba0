import { type BenchOutput, benchCommand } from '@mailproof/dev-house/bench';
import { wholeNumberArgument } from '@mailproof/service-kit/operator-command';
import { Command } from 'commander';

/** Bounds of the 95th percentile of a search's duration, with all its facets: in memory, and in a search engine. */
const memoryP95MsMax = 150;
const engineP95MsMax = 500;

export interface BenchOptions extends BenchOutput {
  readonly people: number;
  readonly companies: number;
  readonly searches: number;
  readonly sqlSearches: number;
  readonly clients: number;
  readonly seconds: number;
  readonly seed: number;
  readonly searchEngine?: true;
  readonly engineHeapGb: number;
  readonly engineShards: number;
  /** Measures company search instead of people search. */
  readonly ofCompanies?: true;
  /** How many random searches to compare instead of measuring. */
  readonly compare?: number;
  readonly changesPerSecond: number;
  readonly timeLimitMinutes: number;
}

/** Declares the command line; commander ends the process after `--help` and on wrong usage. */
export function readOptions(args: readonly string[]): BenchOptions {
  const options = benchCommand(new Command('pnpm bench:search'))
    .description('Measures people search on its own Postgres, compared with the same searches in SQL.')
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
    .option('--search-engine', 'measure a search engine on this machine instead of the index in memory')
    .option('--engine-heap-gb <number>', 'of its one node', wholeNumberArgument(1, 16), 1)
    .option('--engine-shards <number>', 'of its index', wholeNumberArgument(1, 32), 1)
    .option('--of-companies', 'measure searches for companies instead of people')
    .option(
      '--compare <number>',
      'random searches to compare in memory, a search engine and SQL while people change; nothing is measured',
      wholeNumberArgument(1, 100_000),
    )
    .option(
      '--changes-per-second <number>',
      'people who change while searches are compared',
      wholeNumberArgument(10, 2_000),
      200,
    )
    .option('--time-limit-minutes <number>', 'the most time for everything', wholeNumberArgument(1, 240), 20)
    .addHelpText('after', help)
    .parse([...args], { from: 'user' })
    .opts<Omit<BenchOptions, 'companies'> & { readonly companies?: number }>();
  return { ...options, companies: options.companies ?? Math.ceil(options.people / 8) };
}

const help = `
A search answers its total and all facets, exactly, and its first 100 people, or companies. Totals are compared with those of SQL.
The bound: ${memoryP95MsMax} ms at p95 for every kind of filter and for the mixed load, in which people change meanwhile;
${engineP95MsMax} ms in a search engine.

Exit codes:
  0    the bound is kept
  1    it is missed, totals differ, or something failed
  2    wrong usage
  130  interrupted`;

/** Returns the maximum 95th percentile, in milliseconds, of what these options measure. */
export function p95MsMaxOf({ searchEngine }: BenchOptions): number {
  return searchEngine ? engineP95MsMax : memoryP95MsMax;
}
