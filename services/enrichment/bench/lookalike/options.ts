import { type BenchOutput, benchCommand } from '@mailproof/dev-house/bench';
import { wholeNumberArgument } from '@mailproof/service-kit/operator-command';
import { Command, Option } from 'commander';

export interface BenchOptions extends BenchOutput {
  /** The path of companies with known industries; undefined skips all measurements that need them. */
  readonly companiesCsv?: string;
  readonly seeds: number;
  readonly companies: number;
  readonly questions: number;
  readonly speed: boolean;
  /** The administrator's URL of a server with pgvector; undefined skips the measurements there. */
  readonly pgvectorUrl?: string;
  readonly plot?: string;
}

/** The bounds that measurements must meet. */
export const bounds = { calibrationErrorMax: 0.05, questionP95MsMax: 150, vectorRecallMin: 0.999 } as const;

/** Declares the command line; commander ends the process after `--help` and on wrong usage. */
export function readOptions(args: readonly string[]): BenchOptions {
  return benchCommand(new Command('pnpm bench:lookalike'))
    .description('Measures the quality, calibration and speed of lookalike ranking.')
    .addOption(
      new Option(
        '--companies-csv <path>',
        'companies with their industries: columns domain, name, summary, industry',
      ).env('MAILPROOF_COMPANIES_CSV'),
    )
    .option(
      '--seeds <number>',
      'companies that lookalikes are asked for',
      wholeNumberArgument(50, 10_000),
      1_000,
    )
    .option(
      '--companies <number>',
      'synthetic companies that time is measured on',
      wholeNumberArgument(100, 1_000_000),
      100_000,
    )
    .option(
      '--questions <number>',
      'questions that time is measured on',
      wholeNumberArgument(20, 10_000),
      200,
    )
    .option('--no-speed', 'leave out time and memory')
    .addOption(
      new Option(
        '--pgvector-url <url>',
        'administrator of a server with pgvector, to compare vectors in Postgres with vectors in memory',
      ).env('MAILPROOF_PGVECTOR_URL'),
    )
    .option('--plot <path>', 'write the reliability plot there, as SVG')
    .addHelpText('after', help)
    .parse([...args], { from: 'user' })
    .opts<BenchOptions>();
}

const help = `
A company is relevant where it has the seed's industry. Names of companies are taken out of their texts, and the
industry is never read by any of the rankings. Everything random comes from fixed seeds, so quality is the same in
every run.

Bounds: better than TF-IDF and BM25 in precision@10 by a paired bootstrap interval above zero; a calibration error of
at most ${bounds.calibrationErrorMax} in industries left out of the fit; 3 seeds better than 1; a smaller share of unwanted companies;
95 of 100 questions answered within ${bounds.questionP95MsMax} ms; of the first 100 matches in memory at least ${bounds.vectorRecallMin}
among the first 100 with vectors in Postgres.

Exit codes:
  0  every bound is kept
  1  a bound is missed, or something failed
  2  wrong usage`;
