import { describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { isStoreUnavailable } from './store-unavailable.ts';

describe('a store that is away', () => {
  it('is recognized in errors of the Redis driver, too', async () => {
    // The port refuses connections, and commands are not queued in memory until the server is back.
    const redis = new Redis('redis://127.0.0.1:1', { enableOfflineQueue: false, retryStrategy: () => null });
    redis.on('error', () => undefined);
    const refused = await redis.get('key').catch((error: unknown) => error);
    redis.disconnect();
    expect(refused).toBeInstanceOf(Error);
    expect(isStoreUnavailable(refused)).toBe(true);
    expect(isStoreUnavailable(new Error('Client was closed and is not queryable'))).toBe(true);
    expect(isStoreUnavailable(new Error('LOADING Redis is loading the dataset in memory'))).toBe(true);
  });

  it('is not seen in an error of another kind', () => {
    expect(isStoreUnavailable(new Error('The row is LOADING READONLY data.'))).toBe(false);
    expect(isStoreUnavailable(new TypeError('x is not a function'))).toBe(false);
  });
});
