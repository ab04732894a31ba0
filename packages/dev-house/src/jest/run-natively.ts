import { createRequire, flushCompileCache, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { Config } from '@jest/types';
import '../block-network.ts';
import type ProcessEnvironment from './environment.ts';
import { type JestObject, provideGlobals, type TestGlobals } from './globals.ts';
import { noteProfile } from './profile.ts';

/*
 * Jest's own runner of test files, jest-circus, on Node's module loader (ADR 0062). Jest's module registry would load
 * and compile everything again for each of five hundred files. A module is therefore shared by all files of a worker:
 * a test that changes a module's state or the process puts it back.
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

/** Where jest-circus keeps its listeners and the time-out that a file has set. */
const listenersKey = Symbol.for('EVENT_HANDLERS');
const timeoutKey = Symbol.for('TEST_TIMEOUT_SYMBOL');

const shared = globalThis as unknown as Record<symbol, unknown>;
const globalsUrl = new URL('globals.ts', import.meta.url).href;

/** What Jest tells a worker that has nothing left to run. */
const endMessage = 2;
// Jest replaces it while a file runs.
const exit = process.exit.bind(process);
// A shared house would keep the worker running until Jest kills it; its keeper stops it once the worker is gone.
process.on('message', (message: unknown) => {
  if (Array.isArray(message) && message[0] === endMessage) exit();
});

registerHooks({
  resolve: (specifier, context, nextResolve) =>
    specifier === '@jest/globals'
      ? { url: globalsUrl, format: 'module-typescript', shortCircuit: true }
      : nextResolve(specifier, context),
});

// biome-ignore lint/style/noDefaultExport: Jest takes a runner of test files from the default export.
export default async function runNatively(...args: Parameters<RunFile>): Promise<unknown> {
  const [globalConfig, config, environment, _runtime, testPath, ...rest] = args;
  const environmentBefore = { ...process.env };
  const beganAt = performance.now();
  const processorBefore = process.cpuUsage();
  let importMs = 0;
  const loader = {
    // jest-circus registers the tests of one file: each gets a copy of it, without the listeners of the one before.
    requireInternalModule(path: string) {
      delete require.cache[path];
      delete shared[listenersKey];
      return require(path);
    },
    requireModule: (path: string) => require(path),
    setGlobalsForRuntime: (globals: TestGlobals) => provideGlobals(globals, jestObjectOf(environment)),
    unstable_shouldLoadAsEsm: () => true,
    async unstable_importModule(path: string) {
      await import(pathToFileURL(path).href);
      importMs = performance.now() - beganAt;
    },
    enterTestCode: () => undefined,
    leaveTestCode: () => undefined,
  };
  try {
    return await runWithCircus(globalConfig, config, environment, loader, testPath, ...rest);
  } finally {
    delete shared[timeoutKey];
    process.exit = exit;
    restoreEnvironment(environmentBefore);
    // Node would write it at the end of the worker, for which Jest waits half a second only.
    flushCompileCache();
    const { user, system } = process.cpuUsage(processorBefore);
    noteProfile({
      ...{ file: testPath, importMs, setUpMs: environment.setUpMs },
      ...{ wholeMs: performance.now() - beganAt, processorMs: (user + system) / 1_000 },
    });
  }
}

function jestObjectOf({ moduleMocker, fakeTimersModern }: ProcessEnvironment): JestObject {
  const object = {
    fn: moduleMocker.fn.bind(moduleMocker),
    spyOn: moduleMocker.spyOn.bind(moduleMocker),
    restoreAllMocks: () => chained(() => moduleMocker.restoreAllMocks()),
    setTimeout: (timeoutMs: number) => chained(() => (shared[timeoutKey] = timeoutMs)),
    useFakeTimers: (config?: Config.FakeTimersConfig) =>
      chained(() => fakeTimersModern.useFakeTimers(config)),
    useRealTimers: () => chained(() => fakeTimersModern.useRealTimers()),
    advanceTimersByTimeAsync: (ms: number) => fakeTimersModern.advanceTimersByTimeAsync(ms),
    getTimerCount: () => fakeTimersModern.getTimerCount(),
  } as unknown as JestObject;
  function chained(act: () => unknown): JestObject {
    act();
    return object;
  }
  return object;
}

/** One file's settings are not the next one's. */
function restoreEnvironment(before: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
}
