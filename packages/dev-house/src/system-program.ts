import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { packageFolder, packagesObstacle } from './debian-packages.ts';
import { type PackagedProgram, unpackedProgram, unpackProgram } from './unpacked-program.ts';

/** A program that npm does not provide. */
export interface SystemProgram {
  /** Name to show to people. */
  readonly title: string;
  /** Names of the program's file, the best first. */
  readonly names: readonly string[];
  /** The package on Debian and Ubuntu; `brewPackage` is the one of Homebrew. */
  readonly debian: PackagedProgram;
  readonly brewPackage: string;
  /** What to do if the program cannot be provided. */
  readonly advice: string;
}

export interface ProgramSearch {
  readonly report: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}

const installTimeoutMs = 600_000;
const execute = promisify(execFile);

/**
 * Returns the path of the program: the machine's own, or one unpacked into the project's cache, which changes nothing
 * else and needs no password. With Homebrew, the program is installed instead.
 *
 * @throws Error with the program's advice if the program is not available
 */
export async function findSystemProgram(program: SystemProgram, search: ProgramSearch): Promise<string> {
  const path = process.env['PATH'] ?? '';
  const found = onPath(program, path) ?? unpackedProgram(program.debian, packageFolder);
  if (found) return found;
  try {
    const provided = await provide(program, path, search);
    if (provided) return provided;
  } catch (cause) {
    throw new Error(
      `${program.title} is not available: ${(cause as Error).message.trim()}\n${program.advice}`,
      { cause },
    );
  }
  throw new Error(program.advice);
}

async function provide(
  program: SystemProgram,
  path: string,
  { report, signal }: ProgramSearch,
): Promise<string | undefined> {
  const { title, brewPackage, debian } = program;
  if (process.platform === 'darwin' && programOnPath('brew', path)) {
    report(`${title} is not installed; installing it: brew install ${brewPackage}`);
    await execute('brew', ['install', brewPackage], {
      env: { ...process.env, HOMEBREW_NO_AUTO_UPDATE: '1' },
      timeout: installTimeoutMs,
      ...(signal && { signal }),
    });
    return onPath(program, [path, '/opt/homebrew/bin', '/usr/local/bin'].join(delimiter));
  }
  if (packagesObstacle()) return undefined;
  report(`${title} is not installed; downloading Debian’s package ${debian.name}.`);
  return unpackProgram(debian, { folder: packageFolder, report, signal });
}

function onPath({ names }: SystemProgram, path: string): string | undefined {
  for (const name of names) {
    const program = programOnPath(name, path);
    if (program) return program;
  }
  return undefined;
}

function programOnPath(name: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .filter(Boolean)
    .map(folder => join(folder, name))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
