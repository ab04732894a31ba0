import { nodeOptionsOf } from '@mailproof/dev-house';
import { type BenchOutput, benchCommand } from '@mailproof/dev-house/bench';
import { wholeNumberArgument } from '@mailproof/service-kit/operator-command';
import { Command, InvalidArgumentError, Option } from 'commander';
import { bounds, processorBoundShare } from './judge.ts';
import { type ProberId, proberIds } from './messages.ts';
import { boundFromMs, singleRatioMax } from './single/report-single.ts';

export interface BenchOptions extends BenchOutput {
  readonly domains: number;
  readonly addresses: number;
  readonly seed: number;
  readonly roundTripMs: readonly number[];
  readonly probers: readonly ProberId[];
  readonly plainSample?: number;
  readonly inFlight: number;
  readonly sessionsPerHost: number;
  readonly deadlineMs: number;
  readonly timeLimitMinutes: number;
  readonly engineSetting: Readonly<Record<string, string>>;
  /** By default, the options that the service runs with. */
  readonly nodeOption: readonly string[];
  /** Measures this number of single answers instead of lists. */
  readonly single?: number;
  readonly chanceHits?: true;
}

/** Declares the command line; commander ends the process after `--help` and on wrong usage. */
export function readOptions(args: readonly string[]): BenchOptions {
  const program = benchCommand(new Command('pnpm bench:validation'))
    .description('Measures the validation of many addresses on the mail lab, compared with a plain prober.')
    .option('--domains <number>', 'domains, a third of them catch-all', wholeNumberArgument(1, 10_000), 500)
    .option('--addresses <number>', 'addresses over all domains', wholeNumberArgument(1, 1_000_000), 10_000)
    .option('--seed <number>', 'seed of the random list', wholeNumberArgument(0, 2 ** 32 - 1), 1)
    .option('--round-trip-ms <list>', 'latencies to measure at', latencies, [50, 200])
    .option('--probers <list>', `some of ${proberIds.join(', ')}`, probers, [...proberIds])
    .option(
      '--plain-sample <number>',
      'give the plain prober only so many addresses',
      wholeNumberArgument(1, 1_000_000),
    )
    .option('--in-flight <number>', 'addresses validated in parallel', wholeNumberArgument(1, 100_000), 1_000)
    .option('--sessions-per-host <number>', 'sessions at a host at once', wholeNumberArgument(1, 100), 5)
    .option(
      '--deadline-ms <number>',
      'deadline per address',
      wholeNumberArgument(1_000, 3_600_000),
      1_800_000,
    )
    .option('--time-limit-minutes <number>', 'the most time for everything', wholeNumberArgument(1, 600), 45)
    .option('--engine-setting <NAME=value>', 'another setting of the engine; may be repeated', setting, {})
    .option(
      '--node-option <option>',
      'an option of Node for each prober, instead of those of the service; can be repeated',
      appended,
    )
    .addOption(
      new Option('--single [number]', 'measure this many single answers of each kind instead of lists')
        .preset(String(singlesDefault))
        .argParser(wholeNumberArgument(10, 1_000)),
    )
    .option(
      '--chance-hits',
      'only print how often a made-up recipient exists by chance, and what comes of it',
    )
    .addHelpText('after', help);
  const given = program.parse([...args], { from: 'user' }).opts<Omit<BenchOptions, 'nodeOption'>>();
  const isOwnLatency = program.getOptionValueSource('roundTripMs') !== 'default';
  const options = {
    nodeOption: nodeOptionsOf('validation-engine'),
    ...given,
    ...(given.single !== undefined && !isOwnLatency && { roundTripMs: singleRoundTripsMs }),
  };
  if (options.addresses < options.domains) {
    program.error('error: --addresses is at least as many as --domains.');
  }
  if ((options.plainSample ?? 0) > options.addresses) {
    program.error('error: --plain-sample is at most as many as --addresses.');
  }
  return options;
}

/** How many answers of each kind `--single` measures by default. */
const singlesDefault = 150;
/** The latencies of `--single`, in milliseconds: that of loopback, and that of a host in the same data center. */
const singleRoundTripsMs = [0, 1];

const help = `
With --plain-sample the engine is measured on the same sample too, and the ratio is that of the sample.
The sample is random, so large domains keep their share of it.

With --single one existing address at a time is asked about, each at its own host, by a bare SMTP
dialogue of the same steps, by the engine alone, and over REST through gateway, ledger and engine.
Bound: REST takes at most ${singleRatioMax} times as long as the bare dialogue, at the median, from ${boundFromMs} ms of
round-trip time on; below, the hops between our own processes outweigh the dialogue.

Bounds of lists: at most ${bounds.roundTripsPerAddressMax} round trips and ${bounds.connectionsPerAddressMax} connections for an address, at most ${bounds.memoryPeakMbMax} MB, at least ${bounds.timesPlainRateMin} times the
plain prober's rate and at most ${bounds.timesPlainProcessorMax} times its processor time (without evidence), no verdict other than the
catalog's, no host with more sessions at once than allowed. If the engine is busy for more than
${processorBoundShare * 100} % of the median second, the processor sets its rate, and the rate is not checked.

Exit codes:
  0    every bound is kept
  1    a bound is missed, or a process failed
  2    wrong usage
  130  interrupted`;

function latencies(text: string): number[] {
  return [...new Set(text.split(',').map(wholeNumberArgument(0, 10_000)))];
}

function probers(text: string): ProberId[] {
  const chosen = text.split(',');
  const unknown = chosen.find(name => !proberIds.some(id => id === name));
  if (unknown !== undefined) {
    throw new InvalidArgumentError(`They are ${proberIds.join(', ')}.`);
  }
  return proberIds.filter(id => chosen.includes(id));
}

function appended(text: string, earlier: readonly string[] = []): string[] {
  return [...earlier, text];
}

function setting(text: string, earlier: Readonly<Record<string, string>>): Record<string, string> {
  const [, name, value] = /^([A-Z][A-Z0-9_]*)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new InvalidArgumentError(
      'It is a name and a value, such as VALIDATION_MAIL_FROM=probe@checker.example.',
    );
  }
  return { ...earlier, [name]: value };
}
