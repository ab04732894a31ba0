import { installRedis, type RedisServiceName, redisServices } from '@mailproof/installation';
import type { House } from './house.ts';

/** Does what the migrations of an installation do in Redis, for a house some of whose services have other addresses now. */
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
