import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { hireKeeper, type Keeper } from './hire-keeper.ts';
import { projectRoot } from './project-root.ts';
import { runStep, type StepOutcome } from './run-step.ts';
import { stopRequested } from './stop-requests.ts';
import { type Counts, countsLine, type JestReport, judgeJest, sum } from './test-counts.ts';
import { type TestStep, testSteps, workspaceFolders } from './test-steps.ts';

const help = `Usage: npm test [-- --only <step>[,<step>] [-- <arguments for Jest>]]

Runs everything that has to hold: typecheck, lint, arrows (which module may import which), migrations (whether the
release before works on them), licences (of production dependencies), the Helm chart (chart; needs Go and Python), all
tests, and what is seen in a browser (browser; needs a Chromium).
  npm test
  npm test -- --only lint,arrows
  npm test -- --only jest -- packages/shared-types -t 'the name of a test'
DATABASE_URL (an administrator's address) and REDIS_URL are used for the tests when set.`;

await main();

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { only: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  });
  if (values.help) return console.log(help);
  const scratch = await mkdtemp(join(tmpdir(), 'mailproof-report-'));
  try {
    const plan = { reportFolder: scratch, extraArgs: positionals };
    const steps = chosenSteps(testSteps(plan), values.only?.split(','), positionals);
    const keeper = await hireKeeper({
      projectRoot,
      stateDir: scratch,
      installationId: 'tests',
      isDurable: false,
      removeStateDirAfterwards: true,
    });
    const counts = await runAll(steps, positionals, keeper).finally(() => keeper.stop());
    if (steps.length < testSteps(plan).length || positionals.length > 0)
      console.log('\nThis was a part of the tests only.');
    console.log(`\n${countsLine(counts)}`);
    process.exitCode = counts.failed === 0 && counts.passed > 0 ? 0 : 1;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  // The channel to the bootstrap script would keep this process going.
  process.exit();
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

async function runAll(
  steps: readonly TestStep[],
  jestArgs: readonly string[],
  keeper: Keeper,
): Promise<Counts> {
  const cancellation = new AbortController();
  stopRequested().then(reason => {
    console.error(`\nStopping, because of ${reason}.`);
    cancellation.abort();
  });
  const all: Counts[] = [];
  for (const step of steps) {
    if (cancellation.signal.aborted) {
      all.push({ passed: 0, failed: 1 });
      continue;
    }
    console.log(`\n=== ${step.name} ===`);
    const obstacle = step.obstacle?.();
    if (obstacle) {
      // Continuous integration has to have what the tests need.
      const failed = process.env['CI'] ? 1 : 0;
      console.log(`--- ${step.name}: SKIPPED. ${obstacle}`);
      all.push({ passed: 0, failed });
      continue;
    }
    const beganAt = Date.now();
    const outcome = await runStep(step, keeper, cancellation.signal);
    const counts = step.reportFile ? countJest(step, outcome, jestArgs) : countStep(step, outcome);
    all.push(counts);
    const seconds = ((Date.now() - beganAt) / 1000).toFixed(1);
    console.log(`--- ${step.name}: ${counts.failed === 0 ? 'passed' : 'FAILED'} in ${seconds} s`);
  }
  return sum(all);
}

function countStep({ name, examined }: TestStep, { exitCode, output }: StepOutcome): Counts {
  const examinedNothing = exitCode === 0 && examined !== undefined && examined(output) === 0;
  if (examinedNothing) console.error(`The step ${name} examined nothing.`);
  return exitCode === 0 && !examinedNothing ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

function countJest(
  { name, reportFile = '' }: TestStep,
  { exitCode }: StepOutcome,
  jestArgs: readonly string[],
): Counts {
  if (!existsSync(reportFile)) {
    console.error('Jest ended without a report.');
    return { passed: 0, failed: 1 };
  }
  const report = JSON.parse(readFileSync(reportFile, 'utf8')) as JestReport;
  // Arguments narrow the run down, so not every folder can be expected to have run.
  const isWhole = name === 'jest' && jestArgs.length === 0;
  const verdict = judgeJest(report, exitCode, isWhole ? workspaceFolders(projectRoot) : []);
  for (const complaint of verdict.complaints) console.error(complaint);
  return verdict;
}
