import { Redis } from 'ioredis';
import type { Ground } from '../ground.ts';
import type { Fault } from './fault.ts';

/** Databases that are killed and restarted with their data, or that lose everything. */
export const databaseFaults: readonly Fault[] = [
  {
    name: 'restart-redis',
    title: 'Redis killed −9 and started again',
    strike: ground => ground.redis.restart(),
  },
  { name: 'flush-redis', title: 'Redis FLUSHALL', strike: flush },
  {
    name: 'restart-postgres',
    title: 'Postgres killed −9 and started again',
    strike: ground => ground.postgres.restart(),
  },
  {
    name: 'restart-everything',
    title: 'everything killed −9 at once',
    async strike(ground) {
      const all = Object.values(ground.house.services);
      await Promise.all([
        ground.postgres.kill(),
        ground.redis.kill(),
        ...all.map(service => service.kill('SIGKILL')),
      ]);
      await Promise.all([ground.postgres.restart(), ground.redis.restart()]);
      await Promise.all(all.map(service => service.restart()));
    },
  },
];

async function flush({ redis }: Ground): Promise<void> {
  const client = new Redis(redis.url);
  try {
    await client.flushall();
  } finally {
    client.disconnect();
  }
}
