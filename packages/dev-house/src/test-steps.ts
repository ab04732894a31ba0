import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { chartObstacle } from './chart/manifest-schemas.ts';
import { findChromium } from './chromium.ts';

/** A step of `npm test`. */
export interface TestStep {
  readonly name: string;
  /** A path relative to the root, or a program of `node_modules/.bin`, with its arguments. */
  readonly command: readonly string[];
  readonly deadlineMs: number;
  /** Reads from the output how many items the step examined; a check that examined nothing has not passed. */
  readonly examined?: (output: string) => number;
  readonly environment?: Readonly<Record<string, string>>;
  /** Where Jest writes its report, if the step runs Jest. */
  readonly reportFile?: string;
  /** Returns the command that runs some of the test files again, if the step runs Jest. */
  readonly retryCommand?: (files: readonly string[]) => readonly string[];
  /** Returns a sentence that says why the step cannot run on this machine; undefined if it can. */
  readonly obstacle?: (cancelled: AbortSignal) => string | undefined | Promise<string | undefined>;
}

const minuteMs = 60_000;
/** Checks run next to the tests, with the CPU time that these leave. */
const checkDeadlineMs = 30 * minuteMs;

/** The folder of Jest's reports, and further arguments. */
export interface JestPlan {
  readonly reportFolder: string;
  readonly extraArgs: readonly string[];
}

/** Returns every step, fast ones first. Steps without a report check files; steps with a report run tests. */
export function testSteps(plan: JestPlan): TestStep[] {
  return [
    {
      name: 'typecheck',
      command: ['node', 'scripts/check-types.mjs'],
      deadlineMs: checkDeadlineMs,
      examined: output => numberIn(output, /types: (\d+) of/),
    },
    {
      name: 'lint',
      command: ['biome', 'ci', '.'],
      deadlineMs: checkDeadlineMs,
      examined: output => numberIn(output, /Checked (\d+) files?/),
    },
    { name: 'arrows', command: ['node', 'scripts/check-arrows.mjs'], deadlineMs: checkDeadlineMs },
    {
      name: 'migrations',
      command: ['squawk', 'services/*/migrations/*.sql'],
      deadlineMs: checkDeadlineMs,
      examined: output => numberIn(output, /in (\d+) files?/),
    },
    {
      name: 'licences',
      command: ['node', 'scripts/check-licences.mjs'],
      deadlineMs: checkDeadlineMs,
      examined: output => numberIn(output, /(\d+) packages examined/),
    },
    {
      name: 'prose',
      command: ['node', 'scripts/check-prose.mjs'],
      deadlineMs: checkDeadlineMs,
      examined: output => numberIn(output, /^prose: (\d+) words examined/m),
    },
    {
      name: 'chart',
      command: ['node', 'packages/dev-house/src/chart/check-chart.ts'],
      deadlineMs: checkDeadlineMs,
      examined: output => numberIn(output, /^chart: .* (\d+) tests, /m),
      obstacle: chartObstacle,
    },
    // Most suites wait for services more than they compute, so two cores have room for four workers.
    { ...jestStep('jest', plan, 4), deadlineMs: 55 * minuteMs },
    {
      ...jestStep('browser', plan, 1, '--config=jest.browser.config.mjs'),
      deadlineMs: 55 * minuteMs,
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
  workers: number,
  ...args: readonly string[]
): Omit<TestStep, 'deadlineMs'> {
  const reportFile = join(reportFolder, `${name}.json`);
  const jest = ['jest', ...args, '--ci', '--json', `--outputFile=${reportFile}`];
  return {
    name,
    command: [...jest, `--maxWorkers=${workers}`, ...extraArgs],
    retryCommand: files => [...jest, '--maxWorkers=1', '--runTestsByPath', ...files],
    reportFile,
  };
}

/** Returns the folder of every package and service; each must have tests. */
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
