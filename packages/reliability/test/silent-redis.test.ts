import { describe, expect, it } from '@jest/globals';
import { testRedisUrl } from '@mailproof/dev-house';
import { openRedis, openWorkerRedis, untilConnected } from '@mailproof/service-kit/redis';
import { openTcpProxy, type TcpProxy } from '../src/tcp-proxy.ts';

const cases = [
  { whose: 'requests', open: openRedis },
  { whose: 'workers', open: openWorkerRedis },
];

async function openProxy(): Promise<{ readonly proxy: TcpProxy; readonly url: string }> {
  const direct = new URL(await testRedisUrl());
  const proxy = await openTcpProxy();
  proxy.aimAt([Number(direct.port)]);
  return { proxy, url: Object.assign(direct, { port: String(proxy.port) }).href };
}

describe('a connection to Redis', () => {
  it.concurrent.each(cases)(
    'of $whose that a firewall has forgotten is given up, and another one is taken',
    async ({ open }) => {
      const { proxy, url } = await openProxy();
      const redis = open(url, () => undefined);
      try {
        await untilConnected(redis, 5_000);
        const isGivenUp = new Promise(resolve => redis.once('close', resolve));
        proxy.trouble({ kind: 'silence' });
        const silent = redis.ping().catch((error: unknown) => error);
        await isGivenUp;
        proxy.trouble();
        await silent;
        await untilConnected(redis, 5_000);
        await expect(redis.ping()).resolves.toBe('PONG');
      } finally {
        redis.disconnect();
        await proxy.close();
      }
    },
  );

  it.concurrent('of a worker that waits ten seconds for a job is not taken for a forgotten one', async () => {
    const redis = openWorkerRedis(await testRedisUrl(), () => undefined);
    let closes = 0;
    redis.on('close', () => {
      closes += 1;
    });
    try {
      await untilConnected(redis, 5_000);
      await expect(redis.bzpopmin('nobody-adds-to-this', 10)).resolves.toBeNull();
      expect(closes).toBe(0);
    } finally {
      redis.disconnect();
    }
  });
});
