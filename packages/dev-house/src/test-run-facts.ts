/** What the workers of a test run have to know of its databases. */
export interface TestRun {
  /** Part of the name of everything that the run makes, so that it can be found again. */
  readonly id: string;
  readonly adminUrl: string;
  /** Of an administrator. */
  readonly redisUrl: string;
  /** Whether services connect to Redis as users of their own. */
  readonly redisHasUsers: boolean;
}

/** Carries the facts from Jest to its workers. */
export const testRunVariable = 'MAILPROOF_TEST_RUN';

/** The run that this test belongs to. */
export function currentTestRun(): TestRun {
  const facts = process.env[testRunVariable];
  if (!facts) {
    throw new Error(
      'No test run has been prepared: start the tests from the root, with `npm test` or `pnpm jest`.',
    );
  }
  return JSON.parse(facts) as TestRun;
}

export function templateName({ id }: TestRun, schema: string): string {
  return `mailproof_test_${id}_template_${schema}`;
}
