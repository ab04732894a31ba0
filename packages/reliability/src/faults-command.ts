import { faults } from './faults/index.ts';
import { readFaultsOptions } from './faults-options.ts';
import { faultsTable } from './faults-table.ts';
import { jsonOf, runFaults } from './run-faults.ts';
import { untilStopped } from './until-stopped.ts';
import { writeTable } from './write-table.ts';

const options = readFaultsOptions(process.argv.slice(2));
process.exitCode = await untilStopped(options.timeLimitMinutes, async signal => {
  const run = await runFaults({
    faults: options.only ?? faults,
    rows: options.rows,
    signal,
    report: sentence => void process.stderr.write(`${sentence}\n`),
  });
  const table = faultsTable(run);
  process.stdout.write(`${options.json ? jsonOf(run) : table}\n`);
  if (options.write) await writeTable('faults', table);
  return run.outcomes.length > 0 && run.outcomes.every(({ isHeld }) => isHeld) ? 0 : 1;
});
