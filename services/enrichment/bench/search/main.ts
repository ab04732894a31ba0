import { readOptions } from './options.ts';
import { isKept, type Report, textOf } from './report.ts';
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
  const report: Report = { options, kinds: [], failures: [] };
  let failed = false;
  try {
    const tell = (line: string) => void process.stderr.write(`${line}\n`);
    await runBenchmark(options, report, tell, AbortSignal.any([interruption.signal, limit]));
  } catch (error) {
    failed = true;
    report.failures.push(
      limit.aborted
        ? `The time limit of ${options.timeLimitMinutes} minutes was over before everything was measured.`
        : (error as Error).message,
    );
  }
  process.stdout.write(options.json === true ? `${JSON.stringify(report)}\n` : textOf(report));
  if (interruption.signal.aborted) {
    return exitCodes.interrupted;
  }
  return failed || (options.check && !isKept(report)) ? exitCodes.missed : exitCodes.kept;
}
