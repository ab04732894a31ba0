import { type Profiler, Session } from 'node:inspector/promises';

/**
 * Counts what work examines instead of measuring its time: the octets and characters that built-in functions search,
 * copy, join or decode, and how often each block of our code and of the CSV and JSON parsers runs, which shows loops.
 */
export interface Examined {
  readonly steps: number;
  /** The maximum number of pieces joined at once, all of which were in memory until then. */
  readonly piecesMax: number;
}

export interface Examination {
  of(work: () => Promise<unknown>): Promise<Examined>;
  end(): Promise<void>;
}

/** Code whose loops count: not Node's, not this file's, and not the code that feeds the readers. */
const countedCode = /\/(?:services|packages)\/(?!dev-house\/test\/)|\/(?:csv-parse|@streamparser)\//;

/** Call it before loading the code to count: V8 counts only blocks that are compiled later. */
export async function beginExamination(): Promise<Examination> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return {
    async of(work) {
      await session.post('Profiler.takePreciseCoverage');
      const builtIns = countBuiltIns();
      try {
        await work();
      } finally {
        builtIns.restore();
      }
      const { result } = await session.post('Profiler.takePreciseCoverage');
      const { steps, piecesMax } = builtIns.examined();
      return { steps: steps + blocksRun(result), piecesMax };
    },
    async end() {
      await session.post('Profiler.stopPreciseCoverage');
      session.disconnect();
    },
  };
}

function blocksRun(scripts: readonly Profiler.ScriptCoverage[]): number {
  return scripts
    .filter(({ url }) => countedCode.test(url))
    .flatMap(({ functions }) => functions)
    .flatMap(({ ranges }) => ranges)
    .reduce((sum, { count }) => sum + count, 0);
}

type Method = (this: unknown, ...given: unknown[]) => unknown;
/** Computes how much one call examined. */
type Cost = (self: unknown, given: readonly unknown[], result: unknown) => number;

const sizeOf = (value: unknown): number =>
  (value as { byteLength?: number } | undefined)?.byteLength ??
  (value as { length?: number } | undefined)?.length ??
  0;
/** The whole value, for a copy or an unbounded search. */
const whole: Cost = self => sizeOf(self);
const ofResult: Cost = (_self, _given, result) => sizeOf(result);
const ofGiven: Cost = (_self, [first]) => sizeOf(first);
/** The distance that a search covered. */
const searched: Cost = (self, [, from], result) => {
  const begin = typeof from === 'number' ? from : 0;
  return Math.max(1, typeof result === 'number' && result >= 0 ? result - begin : sizeOf(self) - begin);
};

const textMethods: Readonly<Record<string, Cost>> = {
  ...each(['split', 'replace', 'replaceAll', 'match', 'matchAll', 'trim', 'trimStart', 'trimEnd'], whole),
  ...each(['toLowerCase', 'toUpperCase', 'normalize', 'includes', 'lastIndexOf'], whole),
  // V8 copies concatenated text into one string before it examines its ends.
  ...each(['startsWith', 'endsWith', 'at', 'charAt', 'charCodeAt', 'codePointAt'], whole),
  ...each(['indexOf', 'search'], searched),
  ...each(['slice', 'substring', 'repeat', 'concat'], ofResult),
};
const listMethods = each(
  ['concat', 'slice', 'splice', 'flat', 'flatMap', 'map', 'filter', 'reduce', 'some', 'every'],
  whole,
);
const octetMethods: Readonly<Record<string, Cost>> = {
  ...each(['slice', 'map', 'filter', 'fill', 'some', 'every', 'reduce', 'forEach'], whole),
  ...each(['includes', 'lastIndexOf', 'join'], whole),
  ...each(['indexOf', 'findIndex'], searched),
  set: ofGiven,
  copyWithin: (self, [, begin = 0, end = sizeOf(self)]) => Number(end) - Number(begin),
};
const bufferMethods: Readonly<Record<string, Cost>> = {
  toString: ofResult,
  // `copy` returns the number of copied octets.
  copy: (_self, _given, copied) => Number(copied),
  ...each(['compare', 'equals'], whole),
};

function each(names: readonly string[], cost: Cost): Record<string, Cost> {
  return Object.fromEntries(names.map(name => [name, cost]));
}

function countBuiltIns() {
  let steps = 0;
  let piecesMax = 0;
  const undo: (() => void)[] = [];
  const wrap = (owner: object, name: PropertyKey, cost: Cost) => {
    const method = Reflect.get(owner, name) as Method;
    const own = Object.getOwnPropertyDescriptor(owner, name);
    const counting: Method = function (...given) {
      const result = method.apply(this, given);
      steps += cost(this, given, result);
      return result;
    };
    Object.defineProperty(owner, name, { value: counting, configurable: true, writable: true });
    undo.push(() =>
      own ? Object.defineProperty(owner, name, own) : void Reflect.deleteProperty(owner, name),
    );
  };
  const octets = Object.getPrototypeOf(Uint8Array.prototype) as object;
  for (const [owner, methods] of [
    [String.prototype, textMethods],
    [octets, octetMethods],
    [Buffer.prototype, bufferMethods],
    [Array.prototype, listMethods],
  ] as const) {
    for (const [name, cost] of Object.entries(methods)) {
      wrap(owner, name, cost);
    }
  }
  wrap(Array.prototype, Symbol.iterator, whole);
  const joined = (pieces: unknown, cost: number) => {
    piecesMax = Math.max(piecesMax, sizeOf(pieces));
    return cost;
  };
  wrap(Array.prototype, 'join', (self, _given, result) => joined(self, sizeOf(self) + sizeOf(result)));
  wrap(Buffer, 'concat', (_self, [pieces], result) => joined(pieces, sizeOf(result)));
  wrap(Buffer, 'from', (_self, [from]) => (from instanceof ArrayBuffer ? 0 : sizeOf(from)));
  wrap(Uint8Array, 'from', ofGiven);
  wrap(TextDecoder.prototype, 'decode', ofGiven);
  wrap(JSON, 'parse', ofGiven);
  undo.push(countMatches(distance => (steps += distance)));
  return {
    examined: () => ({ steps, piecesMax }),
    restore() {
      for (const each of undo) each();
    },
  };
}

/** Counts what regular expressions examine: from the start to the end of a match, or all the rest if there is none. */
function countMatches(add: (distance: number) => void): () => void {
  const { exec, test } = RegExp.prototype;
  RegExp.prototype.exec = function (text) {
    const begin = this.global || this.sticky ? this.lastIndex : 0;
    const found = exec.call(this, text);
    const end = found ? found.index + found[0].length : this.sticky ? begin + 1 : text.length;
    add(Math.max(1, end - begin));
    return found;
  };
  RegExp.prototype.test = function (text) {
    return this.exec(text) !== null;
  };
  return () => {
    RegExp.prototype.exec = exec;
    RegExp.prototype.test = test;
  };
}
