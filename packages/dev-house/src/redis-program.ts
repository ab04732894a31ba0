import { findSystemProgram, type ProgramSearch } from './system-program.ts';

const redis = {
  title: 'Redis',
  names: ['redis-server', 'valkey-server'],
  debian: { name: 'redis-server', program: 'usr/bin/redis-server' },
  brewPackage: 'redis',
  advice:
    'Mailproof needs Redis: install redis-server or valkey-server (Debian, Ubuntu: apt-get install redis-server; Fedora: dnf install valkey; macOS: brew install redis), or set REDIS_URL to a server of yours.',
} as const;

/**
 * The path of a Redis server program, which is fetched where the machine has none.
 *
 * @throws Error with the ways to get one
 */
export function findRedisProgram(search: ProgramSearch): Promise<string> {
  return findSystemProgram(redis, search);
}
