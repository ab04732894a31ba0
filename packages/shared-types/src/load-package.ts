/** Node's `process`: this package is also compiled for browsers, which do not call this, without Node's types. */
declare const process: {
  getBuiltinModule(name: 'node:module'): { createRequire(url: string): (name: string) => unknown };
};

/**
 * Loads UTS 46 for the first domain that is not plain ASCII. Its tables take 2 MB, and most services see no such name.
 */
export function loadTr46(): typeof import('tr46') {
  return load('tr46') as typeof import('tr46');
}

/** Loads the transliteration of all scripts for the first name of a person that is not plain ASCII: it takes 1 MB. */
export function loadAnyAscii(): typeof import('any-ascii') {
  return load('any-ascii') as typeof import('any-ascii');
}

const loaded = new Map<string, unknown>();

function load(name: string): unknown {
  if (!loaded.has(name)) {
    loaded.set(name, process.getBuiltinModule('node:module').createRequire(import.meta.url)(name));
  }
  return loaded.get(name);
}
