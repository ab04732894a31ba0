import { reasonOf, untilStopped } from '@mailproof/dev-house/bench';
import { readOptions } from './options.ts';
import { isKept, type Report, textOf } from './report.ts';
import { runBenchmark } from './run-benchmark.ts';

const options = readOptions(process.argv.slice(2));
process.exitCode = await untilStopped(options.timeLimitMinutes, async signal => {
  const report: Report = { options, kinds: [], failures: [] };
  let failed = false;
  try {
    await runBenchmark(options, report, line => void process.stderr.write(`${line}\n`), signal);
  } catch (error) {
    failed = true;
    report.failures.push(reasonOf(error, signal));
  }
  process.stdout.write(options.json === true ? `${JSON.stringify(report)}\n` : textOf(report));
  return failed || (options.check && !isKept(report)) ? 1 : 0;
});
