import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { chartObstacle } from './chart/chart-tools.ts';
import { findChromium } from './chromium-program.ts';

/** One check of `npm test`. */
export interface TestStep {
  readonly name: string;
  /** Relative to the root, or a program of `node_modules/.bin`. */
  readonly command: readonly string[];
  readonly deadlineMs: number;
  /** How many things the output says were examined; a check that examined nothing has not passed. */
  readonly examined?: (output: string) => number;
  readonly environment?: Readonly<Record<string, string>>;
  /** Where Jest writes its report, for a step that is Jest. */
  readonly reportFile?: string;
  /** Says in a sentence why the step cannot be taken on this machine, if it cannot. */
  readonly obstacle?: (cancelled: AbortSignal) => string | undefined | Promise<string | undefined>;
}

const minuteMs = 60_000;

/** Where Jest writes its reports, and what it is told besides. */
export interface JestPlan {
  readonly reportFolder: string;
  readonly extraArgs: readonly string[];
}

/** Every step, the quick ones first. Those without a report look at the files; those with one run the tests. */
export function testSteps(plan: JestPlan): TestStep[] {
  return [
    {
      name: 'typecheck',
      command: ['node', 'scripts/check-types.mjs'],
      deadlineMs: 10 * minuteMs,
      examined: output => numberIn(output, /types: (\d+) of/),
    },
    {
      name: 'lint',
      command: ['biome', 'ci', '.'],
      deadlineMs: 5 * minuteMs,
      examined: output => numberIn(output, /Checked (\d+) files?/),
    },
    { name: 'arrows', command: ['node', 'scripts/check-arrows.mjs'], deadlineMs: 5 * minuteMs },
    {
      name: 'migrations',
      command: ['squawk', 'services/*/migrations/*.sql'],
      deadlineMs: minuteMs,
      examined: output => numberIn(output, /in (\d+) files?/),
    },
    {
      name: 'licences',
      command: ['node', 'scripts/check-licences.mjs'],
      deadlineMs: minuteMs,
      examined: output => numberIn(output, /(\d+) packages examined/),
    },
    {
      name: 'chart',
      command: ['node', 'packages/dev-house/src/chart/check-chart.ts'],
      deadlineMs: 15 * minuteMs,
      examined: output => numberIn(output, /^chart: .* (\d+) tests, /m),
      obstacle: chartObstacle,
    },
    // Most suites wait for services more than they compute, so a third one finds a core on a machine with two.
    { ...jestStep('jest', plan, '--maxWorkers=3'), deadlineMs: 25 * minuteMs },
    {
      ...jestStep('browser', plan, '--maxWorkers=2', '--config=jest.browser.config.mjs'),
      deadlineMs: 15 * minuteMs,
      obstacle: signal =>
        findChromium({ report: line => console.log(line), signal }).then(
          () => undefined,
          (error: Error) => error.message,
        ),
    },
  ];
}

function jestStep(
  name: string,
  { reportFolder, extraArgs }: JestPlan,
  ...args: readonly string[]
): Omit<TestStep, 'deadlineMs'> {
  const reportFile = join(reportFolder, `${name}.json`);
  return {
    name,
    command: ['jest', ...args, '--ci', '--json', `--outputFile=${reportFile}`, ...extraArgs],
    reportFile,
  };
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
