import { createHash } from 'node:crypto';
import { runtimeRole } from './role-sql.ts';
import { type RedisServiceName, services } from './services.ts';

/** The Redis user of a service. */
export interface RedisUser {
  readonly name: string;
  /** The patterns of the keys that the user may access. */
  readonly keys: readonly string[];
  readonly password: string;
}

/**
 * A service that uses Redis, and the properties of its user. The user has the name of the service's role in Postgres.
 */
interface RedisService {
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
 * The commands that every service may use. Commands on values name their keys, which Redis compares with the patterns.
 * No command reveals the keys of others (KEYS, SCAN, RANDOMKEY, CLIENT TRACKING) or affects more than keys (FLUSHALL,
 * CONFIG, ACL, PUBLISH).
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
  // Scripts run with the caller's rights.
  ...['eval', 'evalsha', 'script|exists', 'script|load'].map(command => `+${command}`),
  // Redis classifies `info` as dangerous, but clients use it to check whether Redis has loaded its data.
  ...['ping', 'select', 'time', 'info', 'client|setname'].map(command => `+${command}`),
];

/** The arguments after `ACL SETUSER <name>` that give a user exactly these rights. */
export function userRules({ keys, password }: Pick<RedisUser, 'keys' | 'password'>): string[] {
  // The password is given as a hash, so that it does not appear in any log of commands.
  return ['reset', 'on', `#${sha256(password)}`, ...rights(keys)];
}

/** The commands for `redis-cli` that create the users by hand; PASSWORD is the placeholder for each password. */
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
