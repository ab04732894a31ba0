import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** One check of `npm test`. */
export interface TestStep {
  readonly name: string;
  /** Relative to the root, or a program of `node_modules/.bin`. */
  readonly command: readonly string[];
  readonly deadlineMs: number;
  /** How many things the output says were examined; a check that examined nothing has not passed. */
  readonly examined?: (output: string) => number;
  readonly environment?: Readonly<Record<string, string>>;
}

const minuteMs = 60_000;

/** Where Jest writes its report. */
export interface JestPlan {
  readonly reportFile: string;
  readonly extraArgs: readonly string[];
}

/** The steps in the order in which they run: the quick ones first. */
export function testSteps({ reportFile, extraArgs }: JestPlan): TestStep[] {
  return [
    {
      name: 'typecheck',
      command: ['turbo', 'run', 'typecheck', '--output-logs=errors-only'],
      deadlineMs: 10 * minuteMs,
      examined: output => numberIn(output, /(\d+) successful/),
    },
    {
      name: 'lint',
      command: ['biome', 'ci', '.'],
      deadlineMs: 5 * minuteMs,
      examined: output => numberIn(output, /Checked (\d+) files?/),
    },
    { name: 'arrows', command: ['node', 'scripts/check-arrows.mjs'], deadlineMs: 5 * minuteMs },
    {
      name: 'jest',
      command: ['jest', '--ci', '--maxWorkers=2', '--json', `--outputFile=${reportFile}`, ...extraArgs],
      deadlineMs: 25 * minuteMs,
      environment: { NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning' },
    },
  ];
}

/** Every package and service; each has to have tests. */
export function workspaceFolders(root: string): string[] {
  return ['packages', 'services'].flatMap(parent =>
    readdirSync(join(root, parent))
      .map(name => `${parent}/${name}`)
      .filter(folder => existsSync(join(root, folder, 'package.json'))),
  );
}

function numberIn(output: string, pattern: RegExp): number {
  return Number(pattern.exec(output)?.[1] ?? 0);
}
