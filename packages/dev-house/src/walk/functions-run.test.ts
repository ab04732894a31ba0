import type { Profiler } from 'node:inspector';
import { describe, expect, it } from '@jest/globals';
import { filesOf, functionsRun, inOrder, runByRequest } from './functions-run.ts';

const folder = new URL('file:///house/');

describe('the functions that ran', () => {
  it('are those that were called, in files of ours', () => {
    const ran = functionsRun(
      [
        script('services/gateway/src/http/route.ts', { admit: 2, refuse: 0, '': 1 }),
        script('services/gateway/src/unused.ts', { never: 0 }),
        script('node_modules/express/index.js', { route: 9 }),
        script('packages/service-kit/node_modules/pino/index.js', { write: 9 }),
        { ...script('', { timer: 1 }), url: 'node:internal/timers' },
        { ...script('', { other: 1 }), url: 'file:///household/other.ts' },
      ],
      folder,
    );
    expect(ran.map(({ file, name }) => [file, name])).toEqual([
      ['/house/services/gateway/src/http/route.ts', 'admit'],
      ['/house/services/gateway/src/http/route.ts', ''],
    ]);
  });

  it('do not include the code of a module, which runs while the module loads', () => {
    expect(functionsRun([moduleOnly('services/gateway/src/late.ts')], folder)).toEqual([]);
  });

  it('of a request do not include those that run without one', () => {
    const idle = functionsRun([script('a.ts', { tick: 3 })], folder);
    const during = functionsRun([script('a.ts', { tick: 1, answer: 1 })], folder);
    expect(runByRequest(during, idle).map(({ name }) => name)).toEqual(['answer']);
  });

  it('are distinguished by position if their names are equal', () => {
    const idle = functionsRun([script('a.ts', { handle: 1 })], folder);
    const during = functionsRun([script('b.ts', { handle: 1 })], folder);
    expect(runByRequest(during, idle)).toEqual(during);
  });
});

describe('the files of a request', () => {
  const ran = functionsRun(
    [script('a.ts', { last: 1, unseen: 1 }), script('b.ts', { first: 1, between: 1 })],
    folder,
  );
  const [last, , first, between] = ran.map(({ scriptId, offset }) => `${scriptId}:${offset}`) as [
    string,
    string,
    string,
    string,
  ];

  it('are in the order of their first calls, each with its functions', () => {
    const files = filesOf(inOrder(ran, { [last]: 30, [first]: 10, [between]: 40 }));
    expect(files.map(({ file, functions }) => [file, functions.map(({ name }) => name)])).toEqual([
      ['/house/b.ts', ['first', 'between']],
      ['/house/a.ts', ['last', 'unseen']],
    ]);
  });
});

/** Coverage of a loaded file, with the number of calls of each function. */
function script(path: string, calls: Readonly<Record<string, number>>): Profiler.ScriptCoverage {
  const functions = Object.entries(calls).map(([name, count], index) =>
    covered(name, 100 * (index + 1), count),
  );
  return { scriptId: path, url: `${folder.href}${path}`, functions: [covered('', 0, 1), ...functions] };
}

function moduleOnly(path: string): Profiler.ScriptCoverage {
  return script(path, {});
}

function covered(functionName: string, startOffset: number, count: number): Profiler.FunctionCoverage {
  return {
    functionName,
    ranges: [{ startOffset, endOffset: startOffset + 50, count }],
    isBlockCoverage: false,
  };
}
