import {
  installRedis,
  provisionRedis,
  type RedisServiceName,
  redisServices,
  serviceRedisUrl,
} from '@mailproof/installation';
import { findSystemProgram, type ProgramSearch } from './system-program.ts';

/** A Redis server, and whether each service connects to it as its own user. */
export interface RedisFacts {
  readonly adminUrl: string;
  readonly hasUsers: boolean;
}

/** Creates the services' Redis users, or reports why the services share the given address instead. */
export async function makeRedisUsers(adminUrl: string, report: (line: string) => void): Promise<RedisFacts> {
  const sharedBecause = await provisionRedis(adminUrl);
  if (sharedBecause) report(sharedBecause);
  return { adminUrl, hasUsers: sharedBecause === undefined };
}

/** Returns the URL with which a service connects to Redis. */
export function redisUrlOf(service: RedisServiceName, { adminUrl, hasUsers }: RedisFacts): string {
  return hasUsers ? serviceRedisUrl(adminUrl, service) : adminUrl;
}

/**
 * Creates the Redis users as an installation's migrations do, for a house in which some services have new addresses.
 */
export async function installRedisUsers(
  {
    redisUrl,
    environments,
  }: {
    readonly redisUrl: string;
    readonly environments: Readonly<Record<RedisServiceName, Readonly<Record<string, string>>>>;
  },
  changed: Partial<Record<RedisServiceName, string>>,
): Promise<void> {
  const urls = redisServices.map(({ name }) => [
    name,
    changed[name] ?? environments[name]['REDIS_URL'] ?? '',
  ]);
  await installRedis({ adminUrl: redisUrl, urls: Object.fromEntries(urls) }, () => undefined);
}

const redis = {
  title: 'Redis',
  names: ['redis-server', 'valkey-server'],
  debian: { name: 'redis-server', program: 'usr/bin/redis-server' },
  brewPackage: 'redis',
  advice:
    'Mailproof requires Redis: install redis-server or valkey-server (Debian, Ubuntu: apt-get install redis-server; Fedora: dnf install valkey; macOS: brew install redis), or set REDIS_URL to an existing server.',
} as const;

/**
 * Returns the path of a Redis server program; downloads it if the machine has none.
 *
 * @throws Error if there is none, with instructions to install it
 */
export function findRedisProgram(search: ProgramSearch): Promise<string> {
  return findSystemProgram(redis, search);
}
