import { createRequire, flushCompileCache, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { Config } from '@jest/types';
import '../block-network.ts';
import type ProcessEnvironment from './environment.ts';
import { type JestObject, provideGlobals, type TestGlobals } from './globals.ts';
import { keptBetweenFiles } from './kept-between-files.ts';
import { noteProfile, programsProcessorMs } from './profile.ts';

/*
 * Runs test files with Jest's own runner, jest-circus, on Node's module loader (ADR 0062). Jest's module registry would
 * load and compile everything again for each of five hundred files. Instead, all files of a worker share modules, so a
 * test that changes a module's state or the process must restore it.
 */

const require = createRequire(import.meta.url);

type RunFile = (
  globalConfig: Config.GlobalConfig,
  config: Config.ProjectConfig,
  environment: ProcessEnvironment,
  runtime: unknown,
  testPath: string,
  ...rest: readonly unknown[]
) => Promise<unknown>;

const runWithCircus: RunFile = require('jest-circus/runner').default;

/** Where jest-circus stores its listeners and the timeout that a file has set. */
const listenersKey = Symbol.for('EVENT_HANDLERS');
const timeoutKey = Symbol.for('TEST_TIMEOUT_SYMBOL');

const shared = globalThis as unknown as Record<symbol, unknown>;
const globalsUrl = new URL('globals.ts', import.meta.url).href;

/** Jest's message to a worker that has nothing left to run. */
const endMessage = 2;
// Jest replaces `process.exit` while a file runs.
const exit = process.exit.bind(process);
// Jest replaces this too, by one that loads what it requires into Jest's registry.
const getBuiltinModule = require as typeof process.getBuiltinModule;
// A shared house would keep the worker running until Jest kills it. The keeper stops the house after the worker exits.
process.on('message', (message: unknown) => {
  if (Array.isArray(message) && message[0] === endMessage) exit();
});

registerHooks({
  resolve: (specifier, context, nextResolve) =>
    specifier === '@jest/globals'
      ? { url: globalsUrl, format: 'module-typescript', shortCircuit: true }
      : nextResolve(specifier, context),
});

// biome-ignore lint/style/noDefaultExport: Jest expects a runner of test files as the default export.
export default async function runNatively(...args: Parameters<RunFile>): Promise<unknown> {
  const [globalConfig, config, environment, _runtime, testPath, ...rest] = args;
  process.getBuiltinModule = getBuiltinModule;
  const environmentBefore = { ...process.env };
  const startedAt = performance.now();
  const processorBefore = process.cpuUsage();
  const programsBeforeMs = programsProcessorMs();
  let importMs = 0;
  const jestObject = jestObjectOf(environment);
  const loader = {
    // jest-circus registers the tests of one file, so each file gets its own copy, without the previous file's
    // listeners.
    requireInternalModule(path: string) {
      delete require.cache[path];
      delete shared[listenersKey];
      return require(path);
    },
    requireModule: (path: string) => require(path),
    setGlobalsForRuntime: (globals: TestGlobals) => provideGlobals(globals, jestObject),
    unstable_shouldLoadAsEsm: () => true,
    async unstable_importModule(path: string) {
      await import(pathToFileURL(path).href);
      importMs = performance.now() - startedAt;
    },
    enterTestCode: () => undefined,
    leaveTestCode: () => undefined,
  };
  try {
    return await runWithCircus(globalConfig, config, environment, loader, testPath, ...rest);
  } finally {
    delete shared[timeoutKey];
    jestObject.useRealTimers();
    process.exit = exit;
    restoreEnvironment(environmentBefore);
    await keptBetweenFiles.endFile();
    // Node would write the cache when the worker ends, but Jest waits only half a second for that.
    flushCompileCache();
    const { user, system } = process.cpuUsage(processorBefore);
    noteProfile({
      ...{ file: testPath, importMs, setUpMs: environment.setUpMs },
      ...{ wholeMs: performance.now() - startedAt, processorMs: (user + system) / 1_000 },
      programsMs: programsProcessorMs() - programsBeforeMs,
    });
  }
}

function jestObjectOf({ moduleMocker, fakeTimersModern }: ProcessEnvironment): JestObject {
  let areTimersFake = false;
  const object = {
    fn: moduleMocker.fn.bind(moduleMocker),
    spyOn: moduleMocker.spyOn.bind(moduleMocker),
    restoreAllMocks: () => chained(() => moduleMocker.restoreAllMocks()),
    setTimeout: (timeoutMs: number) => chained(() => (shared[timeoutKey] = timeoutMs)),
    useFakeTimers: (config?: Config.FakeTimersConfig) =>
      chained(() => {
        areTimersFake = true;
        fakeTimersModern.useFakeTimers(config);
      }),
    useRealTimers: () =>
      chained(() => {
        areTimersFake = false;
        fakeTimersModern.useRealTimers();
      }),
    async advanceTimersByTimeAsync(ms: number) {
      // A test that timed out while it advanced timers in a loop would never let this worker run another test.
      if (!areTimersFake) throw new Error('Timers can be advanced only while they are fake.');
      await fakeTimersModern.advanceTimersByTimeAsync(ms);
    },
    getTimerCount: () => fakeTimersModern.getTimerCount(),
  } as unknown as JestObject;
  function chained(act: () => unknown): JestObject {
    act();
    return object;
  }
  return object;
}

/** Undoes a file's changes to the environment before the next file runs. */
function restoreEnvironment(before: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
}
