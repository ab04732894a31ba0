/** How many checks passed and failed. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
}

/** The part of Jest's JSON report that this code counts. */
export interface JestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly numRuntimeErrorTestSuites: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName?: string }[];
  }[];
}

/** More failing files than this are not chance: they do not get a second attempt. */
const retriedFilesMax = 3;

export interface JestVerdict extends Counts {
  /** Problems other than failed tests, which Jest reports itself. */
  readonly complaints: readonly string[];
}

export function sum(counts: readonly Counts[]): Counts {
  return counts.reduce((total, { passed, failed }) => add(total, passed, failed), { passed: 0, failed: 0 });
}

export function countsLine({ passed, failed }: Counts): string {
  return `${passed} passed, ${failed} failed`;
}

/**
 * Counts Jest's tests. A skipped test says nothing about the code, so it fails the run. So do a file that could not be
 * loaded and a project in which no test ran.
 */
export function judgeJest(
  report: JestReport,
  exitCode: number,
  expectedFolders: readonly string[],
): JestVerdict {
  const leftOut = report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(
        ({ status }) =>
          status === 'pending' || status === 'todo' || status === 'skipped' || status === 'disabled',
      )
      .map(({ status, fullName }) => `Skipped (${status}): ${fullName ?? ''} in ${name}`),
  );
  const broken = report.numRuntimeErrorTestSuites;
  const empty = expectedFolders
    .filter(folder => !report.testResults.some(result => isIn(result.name, folder) && hasRun(result)))
    .map(folder => `No test ran in ${folder}.`);
  const complaints = [
    ...leftOut,
    ...(broken > 0 ? [`Test files that could not run: ${broken}.`] : []),
    ...empty,
  ];
  const failed = report.numFailedTests + broken + leftOut.length + empty.length;
  if (exitCode !== 0 && failed === 0) {
    return {
      passed: report.numPassedTests,
      failed: 1,
      complaints: [`Jest ended with exit code ${exitCode}.`],
    };
  }
  return { passed: report.numPassedTests, failed, complaints };
}

/**
 * Returns the files to run a second time: those that failed, if they are few. A second attempt, without other tests next
 * to it, tells a broken guarantee from a test that lost a race against its neighbors.
 */
export function filesToRetry(report: JestReport): string[] {
  const failed = report.testResults.filter(hasFailed).map(({ name }) => name);
  return failed.length <= retriedFilesMax ? failed : [];
}

/** Replaces the results of the retried files with those of their second attempt. */
export function withSecondAttempt(first: JestReport, second: JestReport): JestReport {
  const retried = new Set(filesToRetry(first));
  const before = first.testResults.filter(({ name }) => retried.has(name)).flatMap(statuses);
  const count = (status: string): number => before.filter(each => each === status).length;
  return {
    numPassedTests: first.numPassedTests - count('passed') + second.numPassedTests,
    numFailedTests: second.numFailedTests,
    numPendingTests: first.numPendingTests - count('pending') + second.numPendingTests,
    numTodoTests: first.numTodoTests - count('todo') + second.numTodoTests,
    numRuntimeErrorTestSuites: second.numRuntimeErrorTestSuites,
    testResults: [...first.testResults.filter(({ name }) => !retried.has(name)), ...second.testResults],
  };
}

/** Returns the tests that failed, by name; for a file that could not be loaded, the file. */
export function failuresOf(report: JestReport): string[] {
  return report.testResults.filter(hasFailed).flatMap(({ name, assertionResults }) => {
    const failed = assertionResults.filter(({ status }) => status === 'failed');
    return failed.length > 0 ? failed.map(({ fullName = '' }) => `${fullName} (${name})`) : [name];
  });
}

function hasFailed({ status }: JestReport['testResults'][number]): boolean {
  return status === 'failed';
}

function statuses({ assertionResults }: JestReport['testResults'][number]): string[] {
  return assertionResults.map(({ status }) => status);
}

function add(total: Counts, passed: number, failed: number): Counts {
  return { passed: total.passed + passed, failed: total.failed + failed };
}

function isIn(file: string, folder: string): boolean {
  return file.replaceAll('\\', '/').includes(`/${folder}/`);
}

function hasRun({ assertionResults }: JestReport['testResults'][number]): boolean {
  return assertionResults.some(({ status }) => status === 'passed' || status === 'failed');
}
