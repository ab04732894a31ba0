import type { Profiler } from 'node:inspector';
import { fileURLToPath } from 'node:url';

/** One of our functions that ran. */
export interface RunFunction {
  readonly file: string;
  /** Empty for an anonymous function. */
  readonly name: string;
  /** The inspector's id of its file. */
  readonly scriptId: string;
  /** The function's start in the text of its file. */
  readonly offset: number;
}

export interface RunFile {
  readonly file: string;
  readonly functions: readonly RunFunction[];
}

/**
 * Returns the functions that ran, according to V8's coverage, in files of a folder, excluding libraries. V8 counts a
 * module's top-level code, which runs while the module loads, as a function over the whole file; it is omitted.
 */
export function functionsRun(coverage: readonly Profiler.ScriptCoverage[], folder: URL): RunFunction[] {
  return coverage
    .filter(({ url }) => url.startsWith(folder.href) && !url.includes('/node_modules/'))
    .flatMap(({ scriptId, url, functions }) =>
      functions.flatMap(({ functionName: name, ranges: [whole] }) => {
        const isModule = name === '' && whole?.startOffset === 0;
        return whole === undefined || whole.count === 0 || isModule
          ? []
          : { file: fileURLToPath(url), name, scriptId, offset: whole.startOffset };
      }),
    );
}

/**
 * Returns the functions that run only for a request; functions that also run without one, such as a timer's, are
 * excluded.
 */
export function runByRequest(during: readonly RunFunction[], idle: readonly RunFunction[]): RunFunction[] {
  const withoutRequest = new Set(idle.map(keyOf));
  return during.filter(each => !withoutRequest.has(keyOf(each)));
}

/** Sorts functions by their first call; functions that were not called again come last. */
export function inOrder(
  functions: readonly RunFunction[],
  firstCalls: Readonly<Record<string, number>>,
): RunFunction[] {
  const calledAt = (each: RunFunction) => firstCalls[keyOf(each)] ?? Number.MAX_VALUE;
  return functions.toSorted((one, other) => calledAt(one) - calledAt(other));
}

/** Groups functions by file, in the order of the functions. */
export function filesOf(functions: readonly RunFunction[]): RunFile[] {
  const byFile = Map.groupBy(functions, ({ file }) => file);
  return [...byFile].map(([file, ofFile]) => ({ file, functions: ofFile }));
}

/** Identifies a function within its process. */
export function keyOf({ scriptId, offset }: RunFunction): string {
  return `${scriptId}:${offset}`;
}
