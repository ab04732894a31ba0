import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** The modules that a process loads for a file. */
export interface LoadedModules {
  /** URLs of files. */
  readonly files: readonly string[];
  /** Node's own modules, by their names in `process.moduleLoadList`. */
  readonly builtins: readonly string[];
  /** The functions that were called with Node's data about languages, which takes 5 to 7 MiB once it is loaded. */
  readonly languageUses: readonly string[];
}

const program = `
  import { registerHooks } from 'node:module';
  const files = [];
  const languageUses = [];
  const noted = (name, original) => new Proxy(original, {
    apply: (...called) => languageUses.push(name) && Reflect.apply(...called),
    construct: (...called) => languageUses.push(name) && Reflect.construct(...called),
  });
  for (const name of Object.getOwnPropertyNames(Intl)) Intl[name] = noted(name, Intl[name]);
  for (const { prototype } of [Number, String, Date, Array]) {
    for (const name of Object.getOwnPropertyNames(prototype).filter(each => /locale/i.test(each))) {
      prototype[name] = noted(name, prototype[name]);
    }
  }
  registerHooks({
    load(url, context, next) {
      if (url.startsWith('file:')) files.push(url);
      return next(url, context);
    },
  });
  // A file of a thread fails outside of one, after all of its imports.
  await import(process.argv[1]).catch(() => undefined);
  const loaded = JSON.stringify({ files, builtins: process.moduleLoadList, languageUses });
  process.stdout.write(loaded, () => process.exit(0));
`;

/** Loads a file in a separate process and lists every module that was loaded. */
export async function loadedModules(file: URL): Promise<LoadedModules> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', program, '--', file.href],
    { maxBuffer: 10_000_000 },
  );
  return JSON.parse(stdout);
}
