import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { redisServices } from '@mailproof/installation';
import { Redis } from 'ioredis';
import { asRedisUser, testRedisUrl } from '../src/test-redis.ts';

const refused = /^NOPERM/;

/** Returns sample keys of each pattern, including keys that BullMQ creates under a queue. */
const keysOf = (patterns: readonly string[]): string[] =>
  patterns.flatMap(pattern => [pattern.replace('*', 'sample'), pattern.replace('*', 'sample:1:lock')]);

/** Commands that read, change or rename each kind of value. */
const touches: readonly (readonly [string, (key: string, own: string) => string[]])[] = [
  ['read', key => ['GET', key]],
  ['written', key => ['SET', key, 'taken']],
  ['deleted', key => ['DEL', key]],
  ['looked for', key => ['EXISTS', key]],
  ['timed', key => ['PTTL', key]],
  ['listed', key => ['LRANGE', key, '0', '-1']],
  ['read as a hash', key => ['HGETALL', key]],
  ['counted', key => ['ZCARD', key]],
  ['followed', key => ['XREAD', 'STREAMS', key, '0']],
  ['merged into an own one', (key, own) => ['PFMERGE', own, key]],
  ['renamed', (key, own) => ['RENAME', key, own]],
  ['read by a script', key => ['EVAL', "return redis.call('GET', KEYS[1])", '1', key]],
  ['read by a script that does not declare it', key => ['EVAL', `return redis.call('GET', '${key}')`, '0']],
];

const adminCommands: readonly (readonly string[])[] = [
  ['KEYS', '*'],
  ['SCAN', '0'],
  ['RANDOMKEY'],
  ['DBSIZE'],
  ['FLUSHALL'],
  ['FLUSHDB'],
  ['SWAPDB', '0', '1'],
  ['CONFIG', 'GET', 'requirepass'],
  ['ACL', 'LIST'],
  ['ACL', 'SETUSER', 'thief', 'on'],
  ['CLIENT', 'LIST'],
  ['CLIENT', 'KILL', 'TYPE', 'normal'],
  ['CLIENT', 'TRACKING', 'ON', 'BCAST'],
  ['MONITOR'],
  ['SLOWLOG', 'GET'],
  ['SAVE'],
  ['BGREWRITEAOF'],
  ['REPLICAOF', 'NO', 'ONE'],
  ['MODULE', 'LIST'],
  ['SCRIPT', 'FLUSH'],
  ['FUNCTION', 'FLUSH'],
  ['PUBLISH', 'channel', 'message'],
  ['SUBSCRIBE', '__keyspace@0__:*'],
  ['SHUTDOWN', 'NOSAVE'],
  ['EVAL', "return redis.call('KEYS', '*')", '0'],
];

test('no service has a pattern that covers keys of another', () => {
  const prefixes = redisServices.flatMap(({ name, keys }) =>
    keys.map(pattern => ({ name, prefix: pattern.slice(0, -1), isPrefix: /^[a-z:.-]+\*$/.test(pattern) })),
  );
  expect(prefixes.length).toBeGreaterThanOrEqual(redisServices.length);
  expect(prefixes.filter(({ isPrefix }) => !isPrefix)).toEqual([]);
  const overlaps = prefixes.flatMap(one =>
    prefixes.filter(other => other.name !== one.name && other.prefix.startsWith(one.prefix)),
  );
  expect(overlaps).toEqual([]);
});

describe.each(redisServices)('the user of $name in Redis', ({ name, user, keys }) => {
  let redis: Redis;
  let admin: Redis;
  const others = redisServices.filter(each => each.name !== name);
  const [own = ''] = keysOf(keys);

  beforeAll(async () => {
    const adminUrl = await testRedisUrl();
    admin = new Redis(adminUrl);
    redis = new Redis(asRedisUser(name, adminUrl), { disableClientInfo: true });
    for (const other of others) for (const key of keysOf(other.keys)) await admin.set(key, 'of another');
  });
  afterAll(() => {
    redis.disconnect();
    admin.disconnect();
  });

  test('is the one that the service connects as', async () => {
    expect(new URL(asRedisUser(name, await testRedisUrl())).username).toBe(user);
    await expect(admin.call('ACL', 'GETUSER', user)).resolves.not.toBeNull();
  });

  test('touches its own keys, also by scripts and in transactions', async () => {
    for (const key of keysOf(keys)) {
      await redis.set(key, '1', 'PX', 60_000);
      await expect(redis.get(key)).resolves.toBe('1');
      await expect(redis.eval("return redis.call('INCR', KEYS[1])", 1, key)).resolves.toBe(2);
      await expect(redis.multi().pttl(key).del(key).exec()).resolves.toHaveLength(2);
    }
    await expect(redis.info('persistence')).resolves.toContain('loading:0');
    await expect(redis.client('SETNAME', 'worker')).resolves.toBe('OK');
  });

  test.each(touches)('is refused every key of every other service: %s', async (_touch, commandFor) => {
    const taken: string[] = [];
    for (const other of others) {
      for (const key of keysOf(other.keys)) {
        const [command = '', ...args] = commandFor(key, own);
        await redis.call(command, ...args).then(
          () => taken.push(key),
          (error: Error) => expect(error.message).toMatch(/NOPERM|(can't|cannot|No permissions to) access/i),
        );
        await expect(admin.get(key)).resolves.toBe('of another');
      }
    }
    expect(others.length).toBeGreaterThan(0);
    expect(taken).toEqual([]);
  });

  test.each(adminCommands.map(command => [command.join(' '), command] as const))(
    'is refused commands that reach beyond its keys: %s',
    async (_line, [command = '', ...args]) => {
      await expect(redis.call(command, ...args)).rejects.toThrow(
        command === 'EVAL' ? /NOPERM|No permissions|can't run this command/i : refused,
      );
    },
  );
});
