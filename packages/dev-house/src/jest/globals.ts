import type {
  jest as Jest,
  describe as JestDescribe,
  expect as JestExpect,
  afterAll as JestHook,
  it as JestIt,
} from '@jest/globals';

/*
 * Replaces `@jest/globals` for test files. The bindings are live: a module that several files share, such as a suite of
 * operations, registers its tests with the running file.
 */

/** The part of Jest's object that works without a module registry per file (ADR 0062). */
export type JestObject = Pick<
  typeof Jest,
  | 'fn'
  | 'spyOn'
  | 'restoreAllMocks'
  | 'setTimeout'
  | 'useFakeTimers'
  | 'useRealTimers'
  | 'advanceTimersByTimeAsync'
  | 'getTimerCount'
>;

export interface TestGlobals {
  readonly describe: typeof JestDescribe;
  readonly it: typeof JestIt;
  readonly test: typeof JestIt;
  readonly expect: typeof JestExpect;
  readonly beforeAll: typeof JestHook;
  readonly beforeEach: typeof JestHook;
  readonly afterAll: typeof JestHook;
  readonly afterEach: typeof JestHook;
}

export let describe: TestGlobals['describe'];
export let it: TestGlobals['it'];
export let test: TestGlobals['test'];
export let expect: TestGlobals['expect'];
export let beforeAll: TestGlobals['beforeAll'];
export let beforeEach: TestGlobals['beforeEach'];
export let afterAll: TestGlobals['afterAll'];
export let afterEach: TestGlobals['afterEach'];
export let jest: JestObject;

/** Sets the globals of the next test file for every module that imports them. */
export function provideGlobals(globals: TestGlobals, jestObject: JestObject): void {
  ({ describe, it, test, expect, beforeAll, beforeEach, afterAll, afterEach } = globals);
  jest = jestObject;
}
