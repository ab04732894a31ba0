/** Output options of every benchmark. */
export interface BenchOutput {
  readonly json?: true;
  readonly check: boolean;
}

/** The part of a commander command that this needs. */
interface CommandLine {
  option(flags: string, description: string): this;
  exitOverride(onExit: (error: { readonly exitCode: number }) => never): this;
}

/** Adds the output options that every benchmark has, and exit code 2 for wrong usage. */
export function benchCommand<Line extends CommandLine>(line: Line): Line {
  return line
    .option('--json', 'print one JSON object instead of the text')
    .option('--no-check', 'exit with 0 even if a bound is missed')
    .exitOverride(error => process.exit(error.exitCode === 0 ? 0 : 2));
}
