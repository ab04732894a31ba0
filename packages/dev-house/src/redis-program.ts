import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const programNames = ['redis-server', 'valkey-server'];
const installTimeoutMs = 300_000;

/** The path of a Redis server program; installs one where that can be done without asking for a password. */
export function findRedisProgram(report: (line: string) => void, path = process.env['PATH'] ?? ''): string {
  const found = onPath(path);
  if (found) return found;
  const installer = availableInstaller(path);
  if (installer) {
    report(`Redis is not installed; installing it: ${installer.map(({ shown }) => shown).join(' && ')}`);
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
    const installed = onPath(
      `${path}${delimiter}/usr/bin${delimiter}/opt/homebrew/bin${delimiter}/usr/local/bin`,
    );
    if (installed) return installed;
  }
  throw new Error(
    'Mailproof needs Redis: install redis-server or valkey-server (Debian, Ubuntu: apt-get install redis-server; Fedora: dnf install valkey; macOS: brew install redis), or set REDIS_URL to a server of yours.',
  );
}

interface InstallCommand {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
  readonly shown: string;
}

function availableInstaller(path: string): InstallCommand[] | undefined {
  if (process.platform === 'darwin' && programOnPath('brew', path)) {
    return [
      {
        command: 'brew',
        args: ['install', 'redis'],
        env: { HOMEBREW_NO_AUTO_UPDATE: '1' },
        shown: 'brew install redis',
      },
    ];
  }
  const isDebian = existsSync('/etc/debian_version') && programOnPath('apt-get', path);
  if (!isDebian || process.getuid?.() !== 0) return undefined;
  // With run level 1, Debian's packages do not start their service: the server we want is our own.
  const env = { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const waitForLock = ['-o', 'DPkg::Lock::Timeout=120'];
  return [
    { command: 'apt-get', args: [...waitForLock, 'update'], env, shown: 'apt-get update' },
    {
      command: 'apt-get',
      args: [...waitForLock, 'install', '-y', '--no-install-recommends', 'redis-server'],
      env,
      shown: 'apt-get install redis-server',
    },
  ];
}

function onPath(path: string): string | undefined {
  for (const name of programNames) {
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
