import { reasonOf, untilStopped } from '@mailproof/dev-house/bench';
import { chanceHitsAsText } from './chance-hits.ts';
import { judge } from './judge.ts';
import type { Measurement } from './measure.ts';
import { readOptions } from './options.ts';
import { jsonOf, textOf } from './report.ts';
import { runBenchmark } from './run-benchmark.ts';
import { measureSingle } from './single/measure-single.ts';
import { isMissed, type SingleMeasurement, singleOf, singleText } from './single/report-single.ts';

const options = readOptions(process.argv.slice(2));
if (options.chanceHits === true) {
  process.stdout.write(chanceHitsAsText());
} else {
  const { single } = options;
  process.exitCode = await untilStopped(options.timeLimitMinutes, signal =>
    single === undefined ? bench(signal) : benchSingle(single, signal),
  );
}

async function bench(signal: AbortSignal): Promise<number> {
  const measurements: Measurement[] = [];
  let failure: string | undefined;
  try {
    for await (const measurement of runBenchmark(options, process.stderr, signal)) {
      measurements.push(measurement);
    }
  } catch (error) {
    failure = reasonOf(error, signal);
  }
  const findings = judge(measurements, options.sessionsPerHost);
  // Measurements completed before a failure are reported too.
  process.stdout.write(
    options.json === true
      ? jsonOf(options, measurements, findings, failure)
      : textOf(options, measurements, findings, failure),
  );
  const hasMiss = options.check && findings.some(({ kept }) => !kept);
  return failure !== undefined || hasMiss ? 1 : 0;
}

async function benchSingle(count: number, signal: AbortSignal): Promise<number> {
  const measurements: SingleMeasurement[] = [];
  for (const roundTripMs of options.roundTripMs) {
    process.stderr.write(`Single answers, ${count} of each kind, ${roundTripMs} ms …\n`);
    measurements.push(singleOf(roundTripMs, await measureSingle(count, roundTripMs, signal)));
  }
  process.stdout.write(
    options.json === true ? `${JSON.stringify({ measurements })}\n` : singleText(measurements),
  );
  return options.check && measurements.some(isMissed) ? 1 : 0;
}
