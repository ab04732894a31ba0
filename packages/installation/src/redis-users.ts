import { createHash } from 'node:crypto';
import { runtimeRole } from './role-sql.ts';
import { type RedisServiceName, services } from './services.ts';

/** A user of Redis that a service connects as. */
export interface RedisUser {
  readonly name: string;
  /** The patterns of the keys that it may touch. */
  readonly keys: readonly string[];
  readonly password: string;
}

/** A service that uses Redis, with what its user is made of. It has the name of the service's role in Postgres. */
export interface RedisService {
  readonly name: RedisServiceName;
  readonly schema: string;
  readonly user: string;
  readonly keys: readonly string[];
}

export const redisServices: readonly RedisService[] = services.flatMap(service =>
  'redisKeys' in service
    ? [
        {
          name: service.name,
          schema: service.schema,
          user: runtimeRole(service.schema),
          keys: service.redisKeys,
        },
      ]
    : [],
);

/**
 * The commands of every service. Those of a type of value name their keys, which Redis compares with the patterns. None
 * names the keys of others (KEYS, SCAN, RANDOMKEY, CLIENT TRACKING) or reaches beyond keys (FLUSHALL, CONFIG, ACL, PUBLISH).
 */
const commands = [
  '-@all',
  ...['string', 'hash', 'list', 'set', 'sortedset', 'stream', 'hyperloglog', 'transaction'].map(
    category => `+@${category}`,
  ),
  '-@dangerous',
  ...['del', 'unlink', 'exists', 'type', 'rename', 'expire', 'pexpire', 'pexpireat', 'ttl', 'pttl'].map(
    command => `+${command}`,
  ),
  // Scripts run with the rights of their caller.
  ...['eval', 'evalsha', 'script|exists', 'script|load'].map(command => `+${command}`),
  // `info` is dangerous to Redis, but clients ask it whether Redis has loaded its data.
  ...['ping', 'select', 'time', 'info', 'client|setname'].map(command => `+${command}`),
];

/** What follows `ACL SETUSER <name>` for a user that has nothing but this, whatever it had before. */
export function userRules({ keys, password }: Pick<RedisUser, 'keys' | 'password'>): string[] {
  // By its hash, so that no log of commands holds the password.
  return ['reset', 'on', `#${sha256(password)}`, ...rights(keys)];
}

/** The commands for `redis-cli` that make the users by hand; PASSWORD stands where each password belongs. */
export function handMadeUsers(): string {
  return redisServices
    .map(({ user, keys }) => `ACL SETUSER ${user} reset on >PASSWORD ${rights(keys).join(' ')}\n`)
    .join('');
}

function rights(keys: readonly string[]): string[] {
  return ['resetchannels', ...keys.map(pattern => `~${pattern}`), ...commands];
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
