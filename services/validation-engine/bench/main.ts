import { chanceHitsAsText } from './chance-hits.ts';
import { judge } from './judge.ts';
import type { Measurement } from './measure.ts';
import { readOptions } from './options.ts';
import { jsonOf, textOf } from './report.ts';
import { runBenchmark } from './run-benchmark.ts';

const exitCodes = { kept: 0, missed: 1, interrupted: 130 } as const;
const minuteMs = 60_000;

const options = readOptions(process.argv.slice(2));
const interruption = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => interruption.abort(new Error(`Stopped by ${name}.`)));
}
if (options.chanceHits === true) {
  process.stdout.write(chanceHitsAsText());
} else {
  process.exitCode = await bench();
}

async function bench(): Promise<number> {
  const limit = AbortSignal.timeout(options.timeLimitMinutes * minuteMs);
  const measurements: Measurement[] = [];
  let failure: string | undefined;
  try {
    const signal = AbortSignal.any([interruption.signal, limit]);
    for await (const measurement of runBenchmark(options, process.stderr, signal)) {
      measurements.push(measurement);
    }
  } catch (error) {
    failure = limit.aborted
      ? `The time limit of ${options.timeLimitMinutes} minutes was over before everything was measured.`
      : (error as Error).message;
  }
  const findings = judge(measurements, options.sessionsPerHost);
  // What was measured ahead of a failure was measured all the same.
  process.stdout.write(
    options.json === true
      ? jsonOf(options, measurements, findings, failure)
      : textOf(options, measurements, findings, failure),
  );
  if (interruption.signal.aborted) {
    return exitCodes.interrupted;
  }
  const isMissed = options.check && findings.some(({ kept }) => !kept);
  return failure !== undefined || isMissed ? exitCodes.missed : exitCodes.kept;
}
