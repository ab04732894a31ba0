import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { hireKeeper, type Keeper } from './hire-keeper.ts';
import { profileOf, profileVariable } from './jest/profile.ts';
import { projectRoot } from './project-root.ts';
import { runStep, type StepOutcome } from './run-step.ts';
import { stopRequested } from './stop-requests.ts';
import { type Counts, countsLine, type JestReport, judgeJest, sum } from './test-counts.ts';
import { type TestStep, testSteps, workspaceFolders } from './test-steps.ts';

const help = `Usage: npm test [-- <options> [-- <arguments for Jest>]]

Runs everything that has to hold: typecheck, lint, arrows (which module may import which), migrations (whether the
release before works on them), licences (of production dependencies), the Helm chart (chart; needs Go and Python), all
tests (jest), and what is seen in a browser (browser; needs a Chromium).

  --only <step>[,<step>]  these steps
  --changed               types, lint, arrows and the tests that depend on what differs from the branch main; not with --only
  --shard <n>/<of>        one of several equal parts of the tests, for several machines; the first has the other steps too
  --profile               prints where the time of the tests went

  npm test
  npm test -- --changed
  npm test -- --only lint,arrows
  npm test -- --only jest -- packages/shared-types -t 'the name of a test'
DATABASE_URL (an administrator's address) and REDIS_URL are used for the tests when set.`;

const changedSince = 'main';

/** With so many processors the checks run beside the tests; with fewer, the tests would time out. */
const processorsForBoth = 4;

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
    const keeper = await hireKeeper({
      projectRoot,
      stateDir: scratch,
      installationId: 'tests',
      isDurable: false,
      removeStateDirAfterwards: true,
    });
    const isWhole = !values.only && !values.changed && !values.shard && positionals.length === 0;
    const counts = await runAll(steps, isWhole, keeper)
      .finally(async () => values.profile && console.log(`\n${await profileOf(profileFile)}`))
      .finally(() => keeper.stop());
    if (!isWhole) console.log('\nThis was a part of the tests only.');
    console.log(`\n${countsLine(counts)}`);
    process.exitCode = counts.failed === 0 && counts.passed > 0 ? 0 : 1;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  // The channel to the bootstrap script would keep this process going.
  process.exit();
}

interface Wanted {
  readonly only?: string;
  readonly changed?: boolean;
  readonly shard?: string;
}

/** The steps that the command line asks for; throws a sentence where they contradict each other. */
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
    throw new Error(`--shard takes a part and their number, as in 1/4, not "${shard}".`);
  }
  const steps = testSteps({ reportFolder, extraArgs });
  if (changed && only !== undefined) throw new Error('--changed chooses the steps: leave out --only.');
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
    throw new Error(
      `There is no step "${unknown}"; the steps are ${steps.map(({ name }) => name).join(', ')}.`,
    );
  }
  const chosen = only ? steps.filter(({ name }) => only.includes(name)) : steps;
  if (jestArgs.length === 0) return chosen;
  if (chosen.filter(({ reportFile }) => reportFile).length !== 1) {
    throw new Error('Arguments for Jest make sense only with one of the steps jest and browser: say --only.');
  }
  return chosen;
}

async function runAll(steps: readonly TestStep[], isWhole: boolean, keeper: Keeper): Promise<Counts> {
  const cancellation = new AbortController();
  stopRequested().then(reason => {
    console.error(`\nStopping, because of ${reason}.`);
    cancellation.abort();
  });
  async function inTurn(lane: readonly TestStep[], isShown = true): Promise<Counts> {
    const all: Counts[] = [];
    try {
      for (const step of lane)
        all.push(await run(step, { isShown, isWhole, keeper, cancelled: cancellation.signal }));
    } catch (error) {
      // The other lane would start steps that no keeper watches any more.
      cancellation.abort();
      throw error;
    }
    return sum(all);
  }
  const tests = steps.filter(({ reportFile }) => reportFile);
  const checks = steps.filter(({ reportFile }) => !reportFile);
  if (tests.length === 0 || availableParallelism() < processorsForBoth) return inTurn(steps);
  return sum(await Promise.all([inTurn(tests), inTurn(checks, false)]));
}

interface RunOptions {
  /** Whether its output appears while it runs, not afterwards. */
  readonly isShown: boolean;
  /** Whether all tests are expected to run. */
  readonly isWhole: boolean;
  readonly keeper: Keeper;
  readonly cancelled: AbortSignal;
}

async function run(step: TestStep, { isShown, isWhole, keeper, cancelled }: RunOptions): Promise<Counts> {
  if (cancelled.aborted) return { passed: 0, failed: 1 };
  if (isShown) console.log(`\n=== ${step.name} ===`);
  const obstacle = await step.obstacle?.(cancelled);
  if (obstacle) {
    console.log(`--- ${step.name}: SKIPPED. ${obstacle}`);
    // Continuous integration has to have what the tests need.
    return { passed: 0, failed: process.env['CI'] ? 1 : 0 };
  }
  const beganAt = Date.now();
  const outcome = await runStep(step, keeper, cancelled, isShown);
  if (!isShown) console.log(`\n=== ${step.name} ===\n${outcome.output.trimEnd()}`);
  const counts = step.reportFile ? countJest(step, outcome, isWhole) : countStep(step, outcome);
  const seconds = ((Date.now() - beganAt) / 1000).toFixed(1);
  console.log(`--- ${step.name}: ${counts.failed === 0 ? 'passed' : 'FAILED'} in ${seconds} s`);
  return counts;
}

function countStep({ name, examined }: TestStep, { exitCode, output }: StepOutcome): Counts {
  const examinedNothing = exitCode === 0 && examined !== undefined && examined(output) === 0;
  if (examinedNothing) console.error(`The step ${name} examined nothing.`);
  return exitCode === 0 && !examinedNothing ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

function countJest({ name, reportFile = '' }: TestStep, { exitCode }: StepOutcome, isWhole: boolean): Counts {
  if (!existsSync(reportFile)) {
    console.error('Jest ended without a report.');
    return { passed: 0, failed: 1 };
  }
  const report = JSON.parse(readFileSync(reportFile, 'utf8')) as JestReport;
  const verdict = judgeJest(
    report,
    exitCode,
    isWhole && name === 'jest' ? workspaceFolders(projectRoot) : [],
  );
  for (const complaint of verdict.complaints) console.error(complaint);
  return verdict;
}
