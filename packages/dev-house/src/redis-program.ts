import { findSystemProgram } from './system-program.ts';

const redis = {
  title: 'Redis',
  names: ['redis-server', 'valkey-server'],
  debianPackage: 'redis-server',
  brewPackage: 'redis',
} as const;

/** The path of a Redis server program; installs one where that can be done without asking for a password. */
export function findRedisProgram(report: (line: string) => void, path?: string): string {
  const program = findSystemProgram(redis, report, path);
  if (program) return program;
  throw new Error(
    'Mailproof needs Redis: install redis-server or valkey-server (Debian, Ubuntu: apt-get install redis-server; Fedora: dnf install valkey; macOS: brew install redis), or set REDIS_URL to a server of yours.',
  );
}
