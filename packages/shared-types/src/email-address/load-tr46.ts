/** Node's `process`: this package is also compiled for browsers, which parse no addresses, without Node's types. */
declare const process: {
  getBuiltinModule(name: 'node:module'): { createRequire(url: string): (name: string) => unknown };
};

/** Loads UTS 46 for the first name that is not plain ASCII: its tables take 2 MB, and most services see no such name. */
export function loadTr46(): typeof import('tr46') {
  const { createRequire } = process.getBuiltinModule('node:module');
  return createRequire(import.meta.url)('tr46') as typeof import('tr46');
}
