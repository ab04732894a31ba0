import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program of the machine that npm does not bring. */
export interface SystemProgram {
  /** As people call it. */
  readonly title: string;
  /** Files that are it, the best first. */
  readonly names: readonly string[];
  /** Packages that bring it: of Debian and Ubuntu, and of Homebrew. */
  readonly debianPackage: string;
  readonly brewPackage: string;
}

const installTimeoutMs = 600_000;

/** The path of the program; installs it where that can be done without asking for a password. Undefined where not. */
export function findSystemProgram(
  program: SystemProgram,
  report: (line: string) => void,
  path = process.env['PATH'] ?? '',
): string | undefined {
  const found = onPath(program, path);
  if (found) return found;
  const installer = availableInstaller(program, path);
  if (!installer) return undefined;
  report(
    `${program.title} is not installed; installing it: ${installer.map(({ shown }) => shown).join(' && ')}`,
  );
  for (const { command, args, env } of installer) {
    // Its output is worth reading only when it fails.
    const { status, stdout, stderr, error } = spawnSync(command, args, {
      env: { ...process.env, ...env },
      encoding: 'utf8',
      timeout: installTimeoutMs,
    });
    if (status !== 0) {
      report(
        `${command} failed: ${[stdout, stderr, error?.message].join('\n').trim().split('\n').slice(-8).join('\n')}`,
      );
      break;
    }
  }
  return onPath(program, [path, '/usr/bin', '/opt/homebrew/bin', '/usr/local/bin'].join(delimiter));
}

interface InstallCommand {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
  readonly shown: string;
}

function availableInstaller(
  { debianPackage, brewPackage }: SystemProgram,
  path: string,
): InstallCommand[] | undefined {
  if (process.platform === 'darwin' && programOnPath('brew', path)) {
    return [
      {
        command: 'brew',
        args: ['install', brewPackage],
        env: { HOMEBREW_NO_AUTO_UPDATE: '1' },
        shown: `brew install ${brewPackage}`,
      },
    ];
  }
  const isDebian = existsSync('/etc/debian_version') && programOnPath('apt-get', path);
  if (!isDebian || process.getuid?.() !== 0) return undefined;
  // With run level 1, Debian's packages do not start their services: what runs is to be our own.
  const env = { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const waitForLock = ['-o', 'DPkg::Lock::Timeout=120'];
  return [
    { command: 'apt-get', args: [...waitForLock, 'update'], env, shown: 'apt-get update' },
    {
      command: 'apt-get',
      args: [...waitForLock, 'install', '-y', '--no-install-recommends', debianPackage],
      env,
      shown: `apt-get install ${debianPackage}`,
    },
  ];
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
