/** What the workers of a test run need to know about its databases. */
export interface TestRun {
  /** Part of the name of everything that the run creates, so that it can be found later. */
  readonly id: string;
  readonly adminUrl: string;
  /** The administrator's URL. */
  readonly redisUrl: string;
  /** Whether each service connects to Redis as its own user. */
  readonly redisHasUsers: boolean;
}

/** The variable that passes these facts from Jest to its workers. */
export const testRunVariable = 'MAILPROOF_TEST_RUN';

/** Returns the run that this test belongs to. */
export function currentTestRun(): TestRun {
  const facts = process.env[testRunVariable];
  if (!facts) {
    throw new Error(
      'The test run is not prepared: run the tests from the root, with `npm test` or `pnpm jest`.',
    );
  }
  return JSON.parse(facts) as TestRun;
}

export function templateName({ id }: TestRun, schema: string): string {
  return `mailproof_test_${id}_template_${schema}`;
}

/** The template of houses' databases, with the schemas of all services. */
export function houseTemplateName({ id }: TestRun): string {
  return `mailproof_test_${id}_template_all_schemas`;
}
