import { judge, summarize } from './judge.ts';
import type { Measurement } from './messages.ts';
import { readOptions } from './options.ts';
import { jsonOf, lineOf, textOf } from './report.ts';
import { runBenchmark } from './run-benchmark.ts';

const exitCodes = { kept: 0, missed: 1, interrupted: 130 } as const;
const minuteMs = 60_000;

const options = readOptions(process.argv.slice(2));
const interruption = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => interruption.abort(new Error(`Stopped by ${name}.`)));
}
process.exitCode = await bench();

async function bench(): Promise<number> {
  const limit = AbortSignal.timeout(options.timeLimitMinutes * minuteMs);
  const measurements: Measurement[] = [];
  let settings: Readonly<Record<string, string>> = {};
  let failure: string | undefined;
  try {
    const tell = (measurement: Measurement) => {
      measurements.push(measurement);
      process.stderr.write(lineOf(measurement));
    };
    settings = await runBenchmark(options, tell, AbortSignal.any([interruption.signal, limit]));
  } catch (error) {
    failure = limit.aborted
      ? `The time limit of ${options.timeLimitMinutes} minutes was over before everything was measured.`
      : (error as Error).message;
  }
  const summaries = summarize(measurements);
  const findings = judge(summaries);
  const report = { options, settings, measurements, summaries, findings, failure };
  process.stdout.write(options.json === true ? jsonOf(report) : textOf(report));
  if (interruption.signal.aborted) {
    return exitCodes.interrupted;
  }
  const isMissed = options.check && findings.some(({ kept }) => !kept);
  return failure !== undefined || isMissed ? exitCodes.missed : exitCodes.kept;
}
