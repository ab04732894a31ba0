import { createHmac } from 'node:crypto';
import { Redis } from 'ioredis';
import type { RedisSettings } from './installation-settings.ts';
import { type RedisUser, redisServices, userRules } from './redis-users.ts';
import type { RedisServiceName } from './services.ts';

const connectTimeoutMs = 10_000;
const commandTimeoutMs = 10_000;

/** The administrator of Redis may not make users, as with many a managed Redis. */
export class AclRefused extends Error {
  override readonly name = 'AclRefused';
}

/**
 * Makes the user of each service that uses Redis, with the password in the service's address. It can run again at any
 * time and beside another run: a user gets the same rights and password each time.
 *
 * @throws AclRefused when the administrator may not make users
 * @throws Error when Redis cannot be reached
 */
export async function installRedis(
  redis: RedisSettings | undefined,
  report: (sentence: string) => void,
): Promise<void> {
  if (!redis) {
    report(
      'MIGRATION_REDIS_URL is not set, so Redis got no users: each service connects as the user in its REDIS_URL. To give each its own, see docs/secrets-rotation.md.',
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
      'Leave MIGRATION_REDIS_URL out and make the users yourself: `migrate redis-users` prints the commands.';
    throw new AclRefused(`${error.message} ${advice}`, { cause: error });
  });
  report(
    isKept
      ? 'Redis has a user for each service.'
      : 'Redis has a user for each service, until it restarts: it has no aclfile. Set one, or run this again after each restart.',
  );
}

/**
 * Makes the users of all services for a house or a run of tests, whose addresses `serviceRedisUrl` gives.
 *
 * @returns why services share the given address instead; nothing where each has its user
 */
export async function provisionRedis(adminUrl: string): Promise<string | undefined> {
  if (new URL(adminUrl).password === '')
    return 'Redis asks for no password, so services share it without users of their own.';
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

/** The address of a service on a Redis that `provisionRedis` has made the users of. */
export function serviceRedisUrl(adminUrl: string, service: RedisServiceName): string {
  const url = new URL(adminUrl);
  const user = redisServices.find(({ name }) => name === service)?.user;
  if (user === undefined) throw new Error(`The service ${service} uses no Redis.`);
  if (url.password === '') return adminUrl;
  url.username = user;
  url.password = userPassword(adminUrl, user);
  return url.href;
}

/** Derived as those of roles are, so that runs side by side against one Redis agree on them. */
function userPassword(adminUrl: string, user: string): string {
  return createHmac('sha256', new URL(adminUrl).password)
    .update(`mailproof user of Redis ${user}`)
    .digest('base64url');
}

/** Answers whether the users outlive the next restart of Redis. */
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
    // One that could not connect has ended already, and would wait two seconds for its end.
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
  const message = `Redis does not let its administrator make users (${(cause as Error).message}).`;
  throw new AclRefused(message, { cause });
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && /^(NOPERM|ERR unknown (sub)?command)/i.test(error.message);
}
