import { reasonOf, untilStopped } from '@mailproof/dev-house/bench';
import { judge, summarize } from './judge.ts';
import type { Measurement } from './messages.ts';
import { readOptions } from './options.ts';
import { lineOf, textOf } from './report.ts';
import { runBenchmark } from './run-benchmark.ts';

const options = readOptions(process.argv.slice(2));
process.exitCode = await untilStopped(options.timeLimitMinutes, async signal => {
  const measurements: Measurement[] = [];
  let settings: Readonly<Record<string, string>> = {};
  let failure: string | undefined;
  try {
    const tell = (measurement: Measurement) => {
      measurements.push(measurement);
      process.stderr.write(lineOf(measurement));
    };
    settings = await runBenchmark(options, tell, signal);
  } catch (error) {
    failure = reasonOf(error, signal);
  }
  const summaries = summarize(measurements);
  const findings = judge(summaries);
  const report = { options, settings, measurements, summaries, findings, failure };
  process.stdout.write(options.json === true ? `${JSON.stringify(report)}\n` : textOf(report));
  const isMissed = options.check && findings.some(({ kept }) => !kept);
  return failure !== undefined || isMissed ? 1 : 0;
});
