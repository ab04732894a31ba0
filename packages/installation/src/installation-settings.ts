import { z } from 'zod';
import { redisServices } from './redis-users.ts';
import { isRuntimeRole, runtimeRole } from './role-sql.ts';
import { type RedisServiceName, type ServiceName, services } from './services.ts';

/** The settings for creating or migrating the database of an installation. */
export interface InstallationSettings {
  /** The URL of an administrator of the cluster, or of the database if it already exists. */
  readonly adminUrl: string;
  /** The URL that each service connects with: it contains the role of its schema and the password to set for it. */
  readonly databaseUrls: Readonly<Record<ServiceName, string>>;
  /** Absent if no administrator of Redis is given: then its users are created by hand, or there are none. */
  readonly redis?: RedisSettings;
}

export interface RedisSettings {
  readonly adminUrl: string;
  /** The URL that each service connects with: it contains its user and the password to set for it. */
  readonly urls: Readonly<Record<RedisServiceName, string>>;
}

/**
 * Settings are invalid or missing; the message names each in a sentence and repeats no values, because they contain
 * passwords.
 */
class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

const postgresUrl = z.url({
  protocol: /^postgres(ql)?$/,
  error: 'must be a URL like postgres://user:password@host:5432/database',
});

const redisUrl = z.url({
  protocol: /^rediss?$/,
  error: 'must be a URL like redis://user:password@host:6379',
});

/** The setting with the database URL of a service, such as `CREDIT_LEDGER_DATABASE_URL`. */
export function databaseUrlSetting(service: string): string {
  return `${settingPrefix(service)}_DATABASE_URL`;
}

/** The setting with the Redis URL of a service, such as `GATEWAY_REDIS_URL`. */
export function redisUrlSetting(service: string): string {
  return `${settingPrefix(service)}_REDIS_URL`;
}

/** The prefix of a service's settings in an environment with those of all services, such as `CREDIT_LEDGER`. */
export function settingPrefix(service: string): string {
  return service.replaceAll('-', '_').toUpperCase();
}

/** Reads the settings of an installation from environment variables. */
export function readInstallationSettings(environment: NodeJS.ProcessEnv): InstallationSettings {
  const faults: string[] = [];
  const read = (setting: string, url = postgresUrl): string => {
    const result = url.safeParse(environment[setting]);
    if (!result.success) faults.push(`${setting} ${result.error.issues[0]?.message}.`);
    return result.data ?? '';
  };
  const adminUrl = read('MIGRATION_DATABASE_URL');
  const entries = services.map(({ name }) => [name, read(databaseUrlSetting(name))] as const);
  const redis = environment['MIGRATION_REDIS_URL'] ? readRedis(read) : undefined;
  if (faults.length === 0) faults.push(...faultsOfRoles(entries), ...faultsOfUsers(redis));
  if (faults.length > 0)
    throw new SettingsError(`The stores cannot be set up with these settings:\n${faults.join('\n')}`);
  return {
    adminUrl,
    databaseUrls: Object.fromEntries(entries) as Record<ServiceName, string>,
    ...(redis && { redis }),
  };
}

function readRedis(read: (setting: string, url: typeof redisUrl) => string): RedisSettings {
  const urls = redisServices.map(({ name }) => [name, read(redisUrlSetting(name), redisUrl)] as const);
  return {
    adminUrl: read('MIGRATION_REDIS_URL', redisUrl),
    urls: Object.fromEntries(urls) as Record<RedisServiceName, string>,
  };
}

function faultsOfUsers(redis: RedisSettings | undefined): string[] {
  if (!redis) return [];
  return redisServices.flatMap(({ name, schema, user }) => {
    const url = new URL(redis.urls[name]);
    return [
      ...(isRuntimeRole(url.username, schema)
        ? []
        : [`${redisUrlSetting(name)} must have the user ${user}, or a successor such as ${user}_b.`]),
      ...(url.password === '' ? [`${redisUrlSetting(name)} must have a password for ${user}.`] : []),
    ];
  });
}

function faultsOfRoles(entries: readonly (readonly [ServiceName, string])[]): string[] {
  const databases = new Set(entries.map(([, url]) => new URL(url).pathname));
  const faults = services.flatMap(({ name, schema }) => {
    const url = new URL(entries.find(([each]) => each === name)?.[1] ?? '');
    const role = runtimeRole(schema);
    // The migrations grant their rights to the role by this name.
    return [
      ...(isRuntimeRole(url.username, schema)
        ? []
        : [`${databaseUrlSetting(name)} must have the user ${role}, or a successor such as ${role}_b.`]),
      ...(url.password === '' ? [`${databaseUrlSetting(name)} must have a password for ${role}.`] : []),
    ];
  });
  if (databases.size > 1 || databases.has('') || databases.has('/'))
    faults.push('All services must use the same database.');
  return faults;
}
