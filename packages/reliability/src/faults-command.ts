import { untilStopped } from '@mailproof/dev-house/bench';
import { attacksTable, runAttacks } from './attacks/run-attacks.ts';
import { faultsTable, readFaultsOptions } from './faults-options.ts';
import { writeTable } from './load-options.ts';
import { jsonOf, runFaults } from './run-faults.ts';

const options = readFaultsOptions(process.argv.slice(2));
process.exitCode = await untilStopped(options.timeLimitMinutes, async signal => {
  const report = (sentence: string) => void process.stderr.write(`${sentence}\n`);
  const { faults, attacks } = options.only;
  const run = await runFaults({ faults, rows: options.rows, signal, report });
  const attacked = await runAttacks({ attacks, seconds: options.attackSeconds, signal, report });
  const tables = {
    ...(faults.length > 0 && { faults: faultsTable(run) }),
    ...(attacks.length > 0 && { attacks: attacksTable(run.startedAt, attacked) }),
  };
  process.stdout.write(
    `${options.json ? jsonOf({ ...run, attacks: attacked }) : Object.values(tables).join('\n\n')}\n`,
  );
  if (options.write) {
    for (const [name, table] of Object.entries(tables)) await writeTable(name, table);
  }
  const isHeld =
    run.outcomes.every(outcome => outcome.isHeld) && attacked.every(outcome => outcome.faults.length === 0);
  return run.outcomes.length + attacked.length > 0 && isHeld ? 0 : 1;
});
