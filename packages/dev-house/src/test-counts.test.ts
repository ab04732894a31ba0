import { describe, expect, test } from '@jest/globals';
import {
  countsLine,
  failuresOf,
  filesToRetry,
  type JestReport,
  judgeJest,
  sum,
  withSecondAttempt,
} from './test-counts.ts';

function reportOf(
  files: Readonly<Record<string, readonly string[]>>,
  numRuntimeErrorTestSuites = 0,
): JestReport {
  const statuses = Object.values(files).flat();
  const count = (status: string): number => statuses.filter(each => each === status).length;
  return {
    numPassedTests: count('passed'),
    numFailedTests: count('failed'),
    numPendingTests: count('pending'),
    numTodoTests: count('todo'),
    numRuntimeErrorTestSuites,
    testResults: Object.entries(files).map(([name, results]) => ({
      name,
      status: results.every(status => status === 'passed') ? 'passed' : 'failed',
      assertionResults: results.map(status => ({ status, fullName: 'a guarantee' })),
    })),
  };
}

describe('what counts as passed', () => {
  test('adds up and ends with the line that machines read', () => {
    expect(
      countsLine(
        sum([
          { passed: 1, failed: 0 },
          { passed: 40, failed: 2 },
        ]),
      ),
    ).toBe('41 passed, 2 failed');
    expect(countsLine(sum([]))).toBe('0 passed, 0 failed');
  });

  test('takes a clean report as it is', () => {
    const report = reportOf({ '/x/packages/a/src/a.test.ts': ['passed', 'passed'] });
    expect(judgeJest(report, 0, ['packages/a'])).toEqual({ passed: 2, failed: 0, complaints: [] });
  });

  test.each(['pending', 'todo'])('fails a run with a test that is %s', status => {
    const verdict = judgeJest(reportOf({ '/x/packages/a/a.test.ts': ['passed', status] }), 0, ['packages/a']);
    expect(verdict).toMatchObject({ passed: 1, failed: 1, complaints: [expect.stringContaining(status)] });
  });

  test('fails a folder in which no test ran, even when it has a file of tests', () => {
    const report = reportOf({ '/x/packages/a/a.test.ts': ['passed'], '/x/packages/b/b.test.ts': [] });
    const verdict = judgeJest(report, 0, ['packages/a', 'packages/b', 'services/c']);
    expect(verdict.failed).toBe(2);
    expect(verdict.complaints).toEqual(['No test ran in packages/b.', 'No test ran in services/c.']);
  });

  test('fails a file that could not be loaded', () => {
    const report = reportOf({ '/x/packages/a/a.test.ts': ['passed'] }, 1);
    expect(judgeJest(report, 1, ['packages/a'])).toMatchObject({ passed: 1, failed: 1 });
  });

  test('fails when Jest fails without saying why', () => {
    const report = reportOf({ '/x/packages/a/a.test.ts': ['passed'] });
    expect(judgeJest(report, 1, ['packages/a'])).toMatchObject({ passed: 1, failed: 1 });
  });
});

describe('a second attempt', () => {
  const first = reportOf({
    '/x/packages/a/a.test.ts': ['passed', 'passed'],
    '/x/packages/a/b.test.ts': ['passed', 'failed'],
  });

  test('is made for the files that failed, and counts in place of the first', () => {
    expect(filesToRetry(first)).toEqual(['/x/packages/a/b.test.ts']);
    expect(failuresOf(first)).toEqual(['a guarantee (/x/packages/a/b.test.ts)']);
    const passes = reportOf({ '/x/packages/a/b.test.ts': ['passed', 'passed'] });
    expect(judgeJest(withSecondAttempt(first, passes), 0, ['packages/a'])).toMatchObject({
      passed: 4,
      failed: 0,
    });
  });

  test('that fails too fails the run', () => {
    expect(
      judgeJest(
        withSecondAttempt(first, reportOf({ '/x/packages/a/b.test.ts': ['passed', 'failed'] })),
        1,
        [],
      ),
    ).toMatchObject({ passed: 3, failed: 1 });
    const unloadable = reportOf({}, 1);
    expect(judgeJest(withSecondAttempt(first, unloadable), 1, [])).toMatchObject({ passed: 2, failed: 1 });
  });

  test('does not turn a skipped test into a passed one', () => {
    const skips = reportOf({ '/x/packages/a/b.test.ts': ['passed', 'pending'] });
    expect(judgeJest(withSecondAttempt(first, skips), 0, [])).toMatchObject({ passed: 3, failed: 1 });
  });

  test('that ran none of the files fails the run', () => {
    const empty = withSecondAttempt(first, reportOf({}));
    expect(judgeJest(empty, 1, [])).toMatchObject({ failed: 1 });
  });

  test('is not started if many files fail, because that is not chance', () => {
    const broken = reportOf(
      Object.fromEntries(['a', 'b', 'c', 'd'].map(name => [`/x/packages/a/${name}.test.ts`, ['failed']])),
    );
    expect(filesToRetry(broken)).toEqual([]);
  });
});
