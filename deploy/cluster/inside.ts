import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../smoke/shell.ts';
import { startCluster } from './cluster.ts';
import { imageArchive } from './images.ts';
import { install } from './installation.ts';
import type { Programs } from './programs.ts';
import { type Outcome, runTrials } from './trials.ts';

/** What `main.ts` passes to this part of the command, which runs in its own namespaces. */
export interface Settings {
  readonly programs: Programs;
  readonly folder: string;
  readonly only: readonly string[] | undefined;
  readonly keep: boolean;
  readonly version: string;
  readonly startedAt: number;
}

const settings = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Settings;
const { programs, folder, only, keep, version, startedAt } = settings;
const stopped = new Promise<'stopped'>(resolve => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve('stopped'));
  // The first part of the command has ended, or ends this one.
  process.stdin.resume().once('end', () => resolve('stopped'));
});

/** The exit code if the command is stopped: whether the trials had passed by then. */
let codeSoFar = 1;
const code = await Promise.race([main(), stopped.then(() => codeSoFar)]).catch((error: Error) => {
  console.error(error.message);
  return 1;
});
if (code !== 0) printLogs();
// The end of this process ends all others in its namespace.
process.exit(code);

async function main(): Promise<number> {
  hideMachine();
  const cluster = await startCluster(programs, folder, imageArchive, report);
  const installation = await install(cluster, programs, folder, version);
  report('Chart installed.');
  const outcomes = await runTrials({ cluster, installation, report }, only);
  print(outcomes);
  codeSoFar = outcomes.every(({ passed }) => passed) ? 0 : 1;
  for (const error of cluster.policyErrors()) console.error(`Policies: ${error}`);
  if (keep) {
    console.log('The cluster runs until Ctrl-C.');
    await stopped;
  }
  return codeSoFar;
}

/** Covers the folders in which parts of a cluster keep state outside of those that they are given. */
function hideMachine(): void {
  run('mount', '--make-rprivate', '/');
  for (const path of ['/run', '/var/lib', '/var/log']) run('mount', '-t', 'tmpfs', 'none', path);
}

function print(outcomes: readonly Outcome[]): void {
  console.log('');
  for (const { name, passed, seconds, figures } of outcomes)
    console.log(
      `${passed ? 'passed' : 'FAILED'}  ${name.padEnd(12)}${String(seconds).padStart(5)} s  ${figures}`,
    );
  const failed = outcomes.filter(({ passed }) => !passed).length;
  console.log(`\n${outcomes.length - failed} passed, ${failed} failed`);
}

/** Prints the end of each log, which is deleted with the cluster. */
function printLogs(): void {
  console.error(run('sh', '-c', `tail -n 5 ${join(folder, 'log')}/*.log 2>/dev/null | cut -c 1-300`));
}

function report(line: string): void {
  console.log(`${((Date.now() - startedAt) / 1000).toFixed(0).padStart(5)} s  ${line}`);
}
