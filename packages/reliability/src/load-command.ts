import { untilStopped } from '@mailproof/dev-house/bench';
import { loadFaults, loadTables } from './load/load-table.ts';
import { runLoad } from './load/run-load.ts';
import { readLoadOptions, writeTable } from './load-options.ts';

/** Extra time for the start, the search for the peak and the end of the jobs. */
const furtherMinutesMax = 10;

const options = readLoadOptions(process.argv.slice(2));
process.exitCode = await untilStopped(options.minutes + furtherMinutesMax, async signal => {
  const run = await runLoad({
    minutes: options.minutes,
    ...(options.rate !== undefined && { rate: options.rate }),
    signal,
    report: sentence => void process.stderr.write(`${sentence}\n`),
  });
  const tables = loadTables(run);
  const faults = loadFaults(run);
  process.stdout.write(`${options.json ? JSON.stringify({ ...run, faults }) : tables}\n`);
  if (options.write) await writeTable('load', tables);
  return faults.length === 0 ? 0 : 1;
});
