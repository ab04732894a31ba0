import { describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { isStoreAway } from './away.ts';

describe('a store that is away', () => {
  it('is told by what the driver of Redis rejects with, too', async () => {
    // Nobody listens there, and nothing is kept in memory for a server that comes back.
    const redis = new Redis('redis://127.0.0.1:1', { enableOfflineQueue: false, retryStrategy: () => null });
    redis.on('error', () => undefined);
    const refused = await redis.get('key').catch((error: unknown) => error);
    redis.disconnect();
    expect(refused).toBeInstanceOf(Error);
    expect(isStoreAway(refused)).toBe(true);
    expect(isStoreAway(new Error('Client was closed and is not queryable'))).toBe(true);
    expect(isStoreAway(new Error('LOADING Redis is loading the dataset in memory'))).toBe(true);
  });

  it('is not seen in an error of another kind', () => {
    expect(isStoreAway(new Error('The row is LOADING READONLY data.'))).toBe(false);
    expect(isStoreAway(new TypeError('x is not a function'))).toBe(false);
  });
});
