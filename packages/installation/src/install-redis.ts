import { createHmac } from 'node:crypto';
import { Redis } from 'ioredis';
import type { RedisSettings } from './installation-settings.ts';
import { type RedisUser, redisServices, userRules } from './redis-users.ts';
import type { RedisServiceName } from './services.ts';

const connectTimeoutMs = 10_000;
const commandTimeoutMs = 10_000;

/** The administrator of Redis may not create users, which is common with managed Redis. */
export class AclRefused extends Error {
  override readonly name = 'AclRefused';
}

/**
 * Creates a user for each service that uses Redis, with the password in the service's URL. It can be rerun at any time
 * and run in parallel: a user gets the same rights and password each time.
 *
 * @throws AclRefused when the administrator may not create users
 * @throws Error when Redis is unreachable
 */
export async function installRedis(
  redis: RedisSettings | undefined,
  report: (sentence: string) => void,
): Promise<void> {
  if (!redis) {
    report(
      'MIGRATION_REDIS_URL is not set, so no Redis users were created: each service connects as the user in its REDIS_URL. To create a user per service, see docs/secrets-rotation.md.',
    );
    return;
  }
  const users = redisServices.map(({ name, keys }) => {
    const url = new URL(redis.urls[name]);
    return {
      name: decodeURIComponent(url.username),
      keys,
      password: decodeURIComponent(url.password),
    };
  });
  const isKept = await makeUsers(redis.adminUrl, users).catch((error: unknown) => {
    if (!(error instanceof AclRefused)) throw error;
    const advice =
      'Leave MIGRATION_REDIS_URL unset and create the users yourself: `migrate redis-users` prints the commands.';
    throw new AclRefused(`${error.message} ${advice}`, { cause: error });
  });
  report(
    isKept
      ? 'Redis has a user for each service.'
      : 'Redis has a user for each service, until it restarts: it has no aclfile. Configure one, or run this again after each restart.',
  );
}

/**
 * Creates the users of all services for a house or a test run; `serviceRedisUrl` returns their URLs.
 *
 * @returns why services share the administrator's URL instead; undefined if each has its own user
 */
export async function provisionRedis(adminUrl: string): Promise<string | undefined> {
  if (new URL(adminUrl).password === '')
    return 'Redis requires no password, so services share it without their own users.';
  const users = redisServices.map(({ user: name, keys }) => ({
    name,
    keys,
    password: userPassword(adminUrl, name),
  }));
  try {
    await makeUsers(adminUrl, users);
    return undefined;
  } catch (error) {
    if (!(error instanceof AclRefused)) throw error;
    return `Services share the user of REDIS_URL: ${error.message}`;
  }
}

/** Returns the URL of a service on a Redis whose users `provisionRedis` created. */
export function serviceRedisUrl(adminUrl: string, service: RedisServiceName): string {
  const url = new URL(adminUrl);
  const user = redisServices.find(({ name }) => name === service)?.user;
  if (user === undefined) throw new Error(`The service ${service} uses no Redis.`);
  if (url.password === '') return adminUrl;
  url.username = user;
  url.password = userPassword(adminUrl, user);
  return url.href;
}

/** Derives a password in the same way as for roles, so that parallel runs against one Redis agree on it. */
function userPassword(adminUrl: string, user: string): string {
  return createHmac('sha256', new URL(adminUrl).password)
    .update(`mailproof user of Redis ${user}`)
    .digest('base64url');
}

/** Returns whether the users survive the next restart of Redis. */
async function makeUsers(adminUrl: string, users: readonly RedisUser[]): Promise<boolean> {
  const admin = new Redis(adminUrl, {
    lazyConnect: true,
    connectTimeout: connectTimeoutMs,
    commandTimeout: commandTimeoutMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    disableClientInfo: true,
  });
  const complaints: Error[] = [];
  admin.on('error', error => complaints.push(error));
  try {
    await admin.connect().catch(cause => {
      const reason = complaints[0] ?? cause;
      throw new Error(`Redis at ${new URL(adminUrl).host} cannot be reached: ${reason.message}.`, { cause });
    });
    for (const user of users) {
      await admin.call('ACL', 'SETUSER', user.name, ...userRules(user)).catch(refused);
    }
    return await save(admin);
  } finally {
    // A client that could not connect has already ended, and disconnecting it would take two seconds.
    if (admin.status !== 'end') admin.disconnect();
  }
}

async function save(admin: Redis): Promise<boolean> {
  try {
    await admin.call('ACL', 'SAVE');
    return true;
  } catch (error) {
    if (/not configured to use an ACL file/.test(String(error)) || isRefusal(error)) return false;
    throw error;
  }
}

function refused(cause: unknown): never {
  if (!isRefusal(cause)) throw cause;
  const message = `Redis does not allow its administrator to create users (${(cause as Error).message}).`;
  throw new AclRefused(message, { cause });
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && /^(NOPERM|ERR unknown (sub)?command)/i.test(error.message);
}
