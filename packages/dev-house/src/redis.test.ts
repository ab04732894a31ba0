import { expect, test } from '@jest/globals';
import { redisConfiguration } from './redis.ts';

test('Redis listens on loopback only, reads its users from a file and never drops a job for want of memory', () => {
  const configuration = redisConfiguration({ directory: '/a "b"\\c', isDurable: false }, 6400);
  const lines = configuration.trimEnd().split('\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      'bind 127.0.0.1',
      'port 6400',
      'aclfile "/a \\"b\\"\\\\c/users.acl"',
      'dir "/a \\"b\\"\\\\c"',
      'databases 256',
      'maxmemory-policy noeviction',
      'save ""',
      'appendonly no',
    ]),
  );
});

test('a durable Redis writes its data to disk every second', () => {
  const configuration = redisConfiguration({ directory: '/d', isDurable: true }, 6400);
  expect(configuration).toContain('appendonly yes\nappendfsync everysec');
});
