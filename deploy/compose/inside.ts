import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../smoke/shell.ts';
import { hideMachine, whenStopped } from '../trial/namespaces.ts';
import { printOutcomes, reportSince, runTrials } from '../trial/outcomes.ts';
import { makeCheckout } from './checkout.ts';
import { openNetwork, startEngine } from './engine.ts';
import { provideImages } from './images.ts';
import { install } from './installation.ts';
import type { Programs } from './programs.ts';
import { trials } from './trials.ts';

/** What `main.ts` passes to this part of the command, which runs in its own namespaces. */
export interface Settings {
  readonly programs: Programs;
  readonly folder: string;
  readonly only: readonly string[] | undefined;
  readonly keep: boolean;
  readonly startedAt: number;
  /** The reference of each image that Compose does not build, by its service. */
  readonly images: Readonly<Record<string, string>>;
}

const settings = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Settings;
const { programs, folder, only, keep, startedAt, images } = settings;
const stopped = whenStopped();
const report = reportSince(startedAt);

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
  mkdirSync(join(folder, 'log'));
  hideMachine();
  await openNetwork(folder);
  const engine = await startEngine(programs, folder);
  Object.assign(process.env, engine.environment);
  provideImages(images);
  const checkout = makeCheckout(folder);
  report('Podman and the images of other makers are ready.');
  const installation = await install(checkout, engine, report);
  const outcomes = await runTrials(trials, { checkout, installation }, only, report);
  codeSoFar = printOutcomes(outcomes);
  if (keep) {
    console.log('The installation runs until Ctrl-C.');
    await stopped;
  }
  return codeSoFar;
}

/** Prints the end of each log, which is deleted with the containers. */
function printLogs(): void {
  console.error(run('sh', '-c', `tail -n 5 ${join(folder, 'log')}/*.log 2>/dev/null | cut -c 1-300`));
}
