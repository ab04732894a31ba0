import { chanceHitsAsText } from './chance-hits.ts';
import { judge } from './judge.ts';
import type { Measurement } from './measure.ts';
import { readOptions } from './options.ts';
import { jsonOf, textOf } from './report.ts';
import { runBenchmark } from './run-benchmark.ts';
import { measureSingle } from './single/measure-single.ts';
import { isMissed, type SingleMeasurement, singleOf, singleText } from './single/report-single.ts';

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
  process.exitCode = options.single === undefined ? await bench() : await benchSingle(options.single);
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
  const hasMiss = options.check && findings.some(({ kept }) => !kept);
  return failure !== undefined || hasMiss ? exitCodes.missed : exitCodes.kept;
}

async function benchSingle(count: number): Promise<number> {
  const signal = AbortSignal.any([
    interruption.signal,
    AbortSignal.timeout(options.timeLimitMinutes * minuteMs),
  ]);
  const measurements: SingleMeasurement[] = [];
  try {
    for (const roundTripMs of options.roundTripMs) {
      process.stderr.write(`Single answers, ${count} of each kind, ${roundTripMs} ms …\n`);
      measurements.push(singleOf(roundTripMs, await measureSingle(count, roundTripMs, signal)));
    }
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    return interruption.signal.aborted ? exitCodes.interrupted : exitCodes.missed;
  }
  process.stdout.write(
    options.json === true ? `${JSON.stringify({ measurements })}\n` : singleText(measurements),
  );
  return options.check && measurements.some(isMissed) ? exitCodes.missed : exitCodes.kept;
}
