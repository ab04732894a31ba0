import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** The modules that a process loads for a file. */
export interface LoadedModules {
  /** URLs of files. */
  readonly files: readonly string[];
  /** Node's own modules, by their names in `process.moduleLoadList`. */
  readonly builtins: readonly string[];
}

const program = `
  import { registerHooks } from 'node:module';
  const files = [];
  registerHooks({
    load(url, context, next) {
      if (url.startsWith('file:')) files.push(url);
      return next(url, context);
    },
  });
  process.on('exit', () => console.log(JSON.stringify({ files, builtins: process.moduleLoadList })));
  // A file of a thread fails outside of one, after all of its imports.
  await import(process.argv[1]).catch(() => undefined);
  process.exit(0);
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
