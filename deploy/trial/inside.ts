import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../smoke/shell.ts';
import { hideMachine, whenStopped } from './namespaces.ts';
import { printOutcomes, reportSince, runTrials, type Trial } from './outcomes.ts';

/** What `main.ts` of a command passes to the part that runs in its own namespaces, in a file. */
export interface TrialSettings {
  /** Holds everything that ends with the command; logs are in `log`. */
  readonly folder: string;
  /** The names of the trials to run; all if undefined. */
  readonly only: readonly string[] | undefined;
  /** Whether the installation stays until the command is stopped. */
  readonly keep: boolean;
  /** Unix milliseconds. */
  readonly startedAt: number;
}

/** What trials run on. */
export interface Opened<Context> {
  readonly context: Context;
  /** Returns what went wrong outside of the trials, to be printed. */
  readonly faults?: () => readonly string[];
}

/**
 * Opens an installation in this process's namespaces, runs the trials on it and ends the process, with 0 if all passed.
 * All other processes of the namespace end with it.
 */
export async function runInstallation<Settings extends TrialSettings, Context>(
  trials: readonly Trial<Context>[],
  open: (settings: Settings, report: (line: string) => void) => Promise<Opened<Context>>,
): Promise<never> {
  const settings = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Settings;
  const { folder, only, keep, startedAt } = settings;
  const stopped = whenStopped();
  const report = reportSince(startedAt);
  /** The exit code if the command is stopped: whether the trials had passed by then. */
  let codeSoFar = 1;
  const main = async (): Promise<number> => {
    hideMachine();
    const { context, faults } = await open(settings, report);
    codeSoFar = printOutcomes(await runTrials(trials, context, only, report));
    for (const fault of faults?.() ?? []) console.error(fault);
    if (keep) {
      console.log('The installation runs until Ctrl-C.');
      await stopped;
    }
    return codeSoFar;
  };
  const code = await Promise.race([main(), stopped.then(() => codeSoFar)]).catch((error: Error) => {
    console.error(error.message);
    return 1;
  });
  // The logs are deleted with the installation.
  if (code !== 0)
    console.error(run('sh', '-c', `tail -n 5 ${join(folder, 'log')}/*.log 2>/dev/null | cut -c 1-300`));
  process.exit(code);
}
