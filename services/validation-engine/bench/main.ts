import { judge, ratesOf, timesPlainRate } from './judge.ts';
import type { Measurement } from './measure.ts';
import { type BenchOptions, readOptions } from './options.ts';
import { findingsTextOf, labLineOf, tableOf, verdictsOf } from './report.ts';
import { runBenchmark } from './run-benchmark.ts';

const minuteMs = 60_000;

const options = readOptions(process.argv.slice(2));
const interruption = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => interruption.abort(new Error(`Stopped by ${name}.`)));
}
process.exitCode = await bench(
  AbortSignal.any([interruption.signal, AbortSignal.timeout(options.timeLimitMinutes * minuteMs)]),
);

async function bench(signal: AbortSignal): Promise<number> {
  try {
    const measurements = await runBenchmark(options, process.stderr, signal);
    const findings = judge(measurements, options.sessionsPerHost);
    const missed = findings.filter(({ kept }) => !kept);
    process.stdout.write(
      options.json === true
        ? `${JSON.stringify({ options, measurements: measurements.map(m => ({ ...m, ...ratesOf(m), timesPlainRate: timesPlainRate(measurements, m) })), findings })}\n`
        : textOf(measurements, findingsTextOf(findings), options),
    );
    return missed.length > 0 && options.check ? 1 : 0;
  } catch (error) {
    process.stderr.write(
      `${interruption.signal.aborted || !signal.aborted ? String((error as Error).message) : `The time limit of ${options.timeLimitMinutes} minutes is over.`}\n`,
    );
    return interruption.signal.aborted ? 130 : 1;
  }
}

function textOf(
  measurements: readonly Measurement[],
  missed: string,
  { domains, addresses, seed, inFlight, sessionsPerHost }: BenchOptions,
): string {
  const list = `${addresses.toLocaleString('en')} addresses at ${domains} domains (seed ${seed})`;
  return [
    `${list}, ${inFlight.toLocaleString('en')} in flight, ${sessionsPerHost} sessions at a host at most.`,
    tableOf(measurements),
    verdictsOf(measurements),
    labLineOf(measurements),
    missed === '' ? 'Every bound is kept.' : missed,
    '',
  ].join('\n\n');
}
