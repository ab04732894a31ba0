import { existsSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { profileOf, profileVariable } from './jest/profile.ts';
import { stopRequested } from './processes.ts';
import { projectRoot } from './project-root.ts';
import { runStep, type StepOutcome } from './run-step.ts';
import { bundleServices } from './service-bundles.ts';
import { type Keeper, startKeeper } from './start-keeper.ts';
import {
  type Counts,
  countsLine,
  failuresOf,
  filesToRetry,
  type JestReport,
  judgeJest,
  sum,
  withSecondAttempt,
} from './test-counts.ts';
import { type TestStep, testSteps, workspaceFolders } from './test-steps.ts';

const help = `Usage: npm test [-- <options> [-- <arguments for Jest>]]

Runs all checks: typecheck, lint, arrows (which module may import which), migrations (whether the previous release
works on them), licences (of production dependencies), prose (plain words in docs, comments and strings), the Helm chart
(chart; requires Go and Python), all tests (jest), and browser tests (browser; requires Chromium).

  --only <step>[,<step>]  only these steps
  --changed               types, lint, arrows and the tests affected by changes since the branch main; not with --only
  --shard <n>/<of>        one of several equal parts of the tests, to split them across machines; the first includes the other steps
  --profile               prints the time spent per test file
  --no-retry              does not run up to three failed test files a second time

  npm test
  npm test -- --changed
  npm test -- --only lint,arrows
  npm test -- --only jest -- packages/shared-types -t 'the name of a test'
If set, DATABASE_URL (administrator URL) and REDIS_URL are used for the tests.`;

const changedSince = 'main';

await main().catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      only: { type: 'string' },
      changed: { type: 'boolean' },
      shard: { type: 'string' },
      profile: { type: 'boolean' },
      'no-retry': { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
    allowPositionals: true,
  });
  if (values.help) return console.log(help);
  const scratch = await mkdtemp(join(tmpdir(), 'mailproof-report-'));
  try {
    const steps = plannedSteps(values, positionals, scratch);
    const profileFile = join(scratch, 'profile.jsonl');
    if (values.profile) process.env[profileVariable] = profileFile;
    const keeper = await startKeeper({
      projectRoot,
      stateDir: scratch,
      installationId: 'tests',
      isDurable: false,
      removeStateDirAfterward: true,
    });
    // For a single file, bundling would cost more than it saves.
    const isLong = !values.changed && positionals.length === 0;
    if (isLong && steps.some(({ reportFile }) => reportFile)) await bundleServices(join(scratch, 'bundles'));
    const isWhole = !values.only && !values.changed && !values.shard && positionals.length === 0;
    const retries = !values['no-retry'] && positionals.length === 0;
    const counts = await runAll(steps, { isWhole, retries, keeper })
      .finally(async () => values.profile && console.log(`\n${await profileOf(profileFile)}`))
      .finally(() => keeper.stop());
    if (!isWhole) console.log('\nOnly part of the tests ran.');
    console.log(`\n${countsLine(counts)}`);
    process.exitCode = counts.failed === 0 && counts.passed > 0 ? 0 : 1;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  // Otherwise the channel to the bootstrap script would keep this process alive.
  process.exit();
}

interface Wanted {
  readonly only?: string;
  readonly changed?: boolean;
  readonly shard?: string;
}

/** Returns the steps that the command line selects; throws a sentence if its options conflict. */
function plannedSteps(
  { only, changed, shard }: Wanted,
  jestArgs: readonly string[],
  reportFolder: string,
): TestStep[] {
  const extraArgs = [
    ...(changed ? [`--changedSince=${changedSince}`, '--passWithNoTests'] : []),
    ...(shard !== undefined ? [`--shard=${shard}`] : []),
    ...jestArgs,
  ];
  if (shard !== undefined && !/^[1-9]\d*\/[1-9]\d*$/.test(shard)) {
    throw new Error(`--shard takes a part and the number of parts, as in 1/4, not "${shard}".`);
  }
  const steps = testSteps({ reportFolder, extraArgs });
  if (changed && only !== undefined) throw new Error('--changed selects the steps: remove --only.');
  if (changed) return chosenSteps(steps, ['typecheck', 'lint', 'arrows', 'jest'], jestArgs);
  const isFirst = shard === undefined || shard.startsWith('1/');
  return chosenSteps(
    isFirst ? steps : steps.filter(({ reportFile }) => reportFile),
    only?.split(','),
    jestArgs,
  );
}

function chosenSteps(
  steps: TestStep[],
  only: readonly string[] | undefined,
  jestArgs: readonly string[],
): TestStep[] {
  const unknown = only?.find(name => !steps.some(step => step.name === name));
  if (unknown !== undefined) {
    throw new Error(`Unknown step "${unknown}"; the steps are ${steps.map(({ name }) => name).join(', ')}.`);
  }
  const chosen = only ? steps.filter(({ name }) => only.includes(name)) : steps;
  if (jestArgs.length === 0) return chosen;
  if (chosen.filter(({ reportFile }) => reportFile).length !== 1) {
    throw new Error('Arguments for Jest require one of the steps jest and browser: use --only.');
  }
  return chosen;
}

/** Runs Jest, the browser tests and the checks side by side, and then the test files that failed a second time. */
async function runAll(steps: readonly TestStep[], options: AllOptions): Promise<Counts> {
  const cancellation = new AbortController();
  stopRequested().then(reason => {
    console.error(`\nStopping, because of ${reason}.`);
    cancellation.abort();
  });
  async function inTurn(lane: readonly TestStep[], isShown: boolean): Promise<Judge[]> {
    const judges: Judge[] = [];
    try {
      for (const step of lane)
        judges.push(await run(step, { ...options, isShown, cancelled: cancellation.signal }));
    } catch (error) {
      // Otherwise the other lanes would start steps that no keeper watches.
      cancellation.abort();
      throw error;
    }
    return judges;
  }
  const tests = steps.filter(({ reportFile }) => reportFile);
  const checks = steps.filter(({ reportFile }) => !reportFile);
  // Neither Jest nor a browser keeps two cores busy: both wait for services.
  const lanes = await Promise.all([
    ...tests.map((step, index) => inTurn([step], index === 0)),
    inTurn(checks, tests.length === 0),
  ]);
  const counts: Counts[] = [];
  for (const judge of lanes.flat()) counts.push(await judge());
  return sum(counts);
}

/** Counts the results of a step, and runs a few failed test files again: alone, since all steps have ended by then. */
type Judge = () => Counts | Promise<Counts>;

interface AllOptions {
  /** Whether all tests are expected to run. */
  readonly isWhole: boolean;
  /** Whether a few failed test files get a second attempt. */
  readonly retries: boolean;
  readonly keeper: Keeper;
}

interface RunOptions extends AllOptions {
  /** Whether its output is printed while it runs, and not after it. */
  readonly isShown: boolean;
  readonly cancelled: AbortSignal;
}

async function run(step: TestStep, options: RunOptions): Promise<Judge> {
  const { isShown, keeper, cancelled } = options;
  if (cancelled.aborted) return () => ({ passed: 0, failed: 1 });
  if (isShown) console.log(`\n=== ${step.name} ===`);
  const obstacle = await step.obstacle?.(cancelled);
  if (obstacle) {
    console.log(`--- ${step.name}: SKIPPED. ${obstacle}`);
    // In continuous integration, a missing program is a failure.
    return () => ({ passed: 0, failed: process.env['CI'] ? 1 : 0 });
  }
  const startedAt = Date.now();
  const outcome = await runStep(step, keeper, cancelled, { isShown });
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  if (!isShown) console.log(`\n=== ${step.name} ===\n${outcome.output.trimEnd()}`);
  const report = (counts: Counts) => {
    console.log(`--- ${step.name}: ${counts.failed === 0 ? 'passed' : 'FAILED'} in ${seconds} s`);
    return counts;
  };
  if (step.reportFile) return async () => report(await countJest(step, outcome, options));
  const counts = report(countStep(step, outcome));
  return () => counts;
}

function countStep({ name, examined }: TestStep, { exitCode, output }: StepOutcome): Counts {
  const examinedNothing = exitCode === 0 && examined !== undefined && examined(output) === 0;
  if (examinedNothing) console.error(`The step ${name} checked nothing.`);
  return exitCode === 0 && !examinedNothing ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

async function countJest(step: TestStep, outcome: StepOutcome, options: RunOptions): Promise<Counts> {
  const first = readReport(step);
  if (!first) {
    console.error('Jest ended without a report.');
    return { passed: 0, failed: 1 };
  }
  const second = options.retries ? await secondAttempt(step, first, options) : undefined;
  const verdict = judgeJest(
    second ? withSecondAttempt(first, second.report) : first,
    second?.exitCode ?? outcome.exitCode,
    options.isWhole && step.name === 'jest' ? workspaceFolders(projectRoot) : [],
  );
  for (const complaint of verdict.complaints) console.error(complaint);
  return verdict;
}

/** Runs the failed test files again, if they are few, and prints what failed the first time. */
async function secondAttempt(
  step: TestStep,
  first: JestReport,
  { keeper, cancelled }: RunOptions,
): Promise<{ report: JestReport; exitCode: number } | undefined> {
  const files = filesToRetry(first);
  if (files.length === 0 || cancelled.aborted || !step.retryCommand) return undefined;
  console.log(`\n=== ${step.name}, second attempt: ${files.length} of ${first.testResults.length} files ===`);
  if (step.reportFile) rmSync(step.reportFile);
  const again = { ...step, command: step.retryCommand(files) };
  const { exitCode } = await runStep(again, keeper, cancelled);
  const report = readReport(step);
  if (!report) return undefined;
  const stillFail = new Set(failuresOf(report));
  for (const failure of failuresOf(first)) {
    const outcome = stillFail.has(failure) ? 'FAILED twice' : 'FLAKY: failed, then passed';
    console.log(`--- ${outcome}: ${failure}`);
  }
  return { report, exitCode };
}

function readReport({ reportFile = '' }: TestStep): JestReport | undefined {
  if (!existsSync(reportFile)) return undefined;
  return JSON.parse(readFileSync(reportFile, 'utf8')) as JestReport;
}
