import { parseArgs } from 'node:util';
import type { Trial } from './outcomes.ts';

export interface TrialArguments {
  /** The trials to run; all of them if undefined. */
  readonly only: readonly string[] | undefined;
  readonly keep: boolean;
  readonly noBuild: boolean;
}

const options = {
  only: { type: 'string' },
  keep: { type: 'boolean', default: false },
  'no-build': { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/** Reads the arguments of a command that runs trials; returns the exit code if they ask for no run or are wrong. */
export function readTrialArguments(
  args: string[],
  usage: string,
  trials: readonly Pick<Trial<never>, 'name' | 'about'>[],
): TrialArguments | number {
  try {
    const { values } = parseArgs({ args, options });
    if (values['no-build'] && !usage.includes('--no-build')) throw new Error("Unknown option '--no-build'.");
    const only = values.only?.split(',');
    for (const name of only ?? [])
      if (!trials.some(trial => trial.name === name))
        throw new Error(`There is no trial ${name}; --list prints them.`);
    if (!values.help && !values.list) return { only, keep: values.keep, noBuild: values['no-build'] };
    if (values.help) process.stdout.write(usage);
    else for (const { name, about } of trials) console.log(`${name.padEnd(12)}${about}`);
    return 0;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}`);
    return 2;
  }
}
