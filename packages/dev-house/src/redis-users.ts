import { provisionRedis, type RedisServiceName, serviceRedisUrl } from '@mailproof/installation';

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
