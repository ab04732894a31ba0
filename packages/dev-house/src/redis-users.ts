import {
  installRedis,
  provisionRedis,
  type RedisServiceName,
  redisServices,
  serviceRedisUrl,
} from '@mailproof/installation';
import type { House } from './house.ts';

/** A Redis, and whether services connect to it as users of their own. */
export interface RedisFacts {
  readonly adminUrl: string;
  readonly hasUsers: boolean;
}

/** Makes the users of services in a Redis, and says why where they share the given address instead. */
export async function makeRedisUsers(adminUrl: string, report: (line: string) => void): Promise<RedisFacts> {
  const sharedBecause = await provisionRedis(adminUrl);
  if (sharedBecause) report(sharedBecause);
  return { adminUrl, hasUsers: sharedBecause === undefined };
}

/** What a service connects to Redis with. */
export function redisUrlOf(service: RedisServiceName, { adminUrl, hasUsers }: RedisFacts): string {
  return hasUsers ? serviceRedisUrl(adminUrl, service) : adminUrl;
}

/**
 * Makes the users of Redis as an installation's migrations do, for a house in which some services have new addresses.
 */
export async function installRedisUsers(
  { redisUrl, environments }: Pick<House, 'redisUrl' | 'environments'>,
  changed: Partial<Record<RedisServiceName, string>>,
): Promise<void> {
  const urls = redisServices.map(({ name }) => [
    name,
    changed[name] ?? environments[name]['REDIS_URL'] ?? '',
  ]);
  await installRedis({ adminUrl: redisUrl, urls: Object.fromEntries(urls) }, () => undefined);
}
