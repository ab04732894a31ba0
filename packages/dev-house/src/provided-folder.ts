import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './project-root.ts';

/** Programs that npm does not provide, made from pinned versions in a folder of the project's cache. */
export interface ProvidedFolder {
  /** What the folder contains; also the beginning of its name. */
  readonly name: string;
  /** The folder below `node_modules/.cache/`. */
  readonly cache: string;
  /** The folder of the pins, where `make` works. */
  readonly pins: string;
  /** The files that pin what the folder contains, and what else decides it. */
  readonly files: readonly string[];
  readonly settings?: readonly string[];
  readonly report: (line: string) => void;
  readonly make: (folder: string) => void;
}

const makeDeadlineMs = 900_000;

/**
 * Returns the folder, made by this run or an earlier one. It is always complete: it is made under another name, and its
 * final name contains a hash of its pins.
 */
export function providedFolder(of: ProvidedFolder): string {
  const hash = createHash('sha256').update((of.settings ?? []).join('\n'));
  for (const file of of.files) hash.update(readFileSync(join(of.pins, file)));
  const cache = join(projectRoot, 'node_modules/.cache', of.cache);
  const folder = join(cache, `${of.name}-${hash.digest('hex').slice(0, 16)}`);
  if (existsSync(folder)) return folder;
  const startedAt = Date.now();
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  of.make(unfinished);
  renameSync(unfinished, folder);
  of.report(`${of.name} tools built in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
  return folder;
}

/** Returns a sentence that says why Python 3 with venv, of this minor version or later, is missing; undefined if it is not. */
export function pythonObstacle(purpose: string, minor = 0): string | undefined {
  const program = `import sys, venv, ensurepip; sys.exit(sys.version_info < (3, ${minor}))`;
  const { status, error } = spawnSync('python3', ['-c', program], { stdio: 'ignore' });
  if (!error && status === 0) return undefined;
  const version = minor === 0 ? 'Python 3' : `Python 3.${minor} or later`;
  return `${purpose} needs ${version} with venv: install python3-venv.`;
}

/**
 * Runs a program and returns its output.
 *
 * @throws Error with the end of what it wrote if it fails
 */
export function runProgram(
  program: string,
  args: readonly string[],
  options: {
    readonly cwd?: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly deadlineMs?: number;
  } = {},
): string {
  const { status, error, stdout, stderr } = spawnSync(program, args, {
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    timeout: options.deadlineMs ?? makeDeadlineMs,
    maxBuffer: 50_000_000,
  });
  if (error || status !== 0) {
    const output = `${stdout}\n${stderr}`.trim().slice(-5_000);
    throw new Error(`${program} ${args.slice(0, 2).join(' ')} failed: ${error?.message ?? output}`);
  }
  return stdout;
}
