import { describe, expect, test } from '@jest/globals';
import { isLocalName, isLoopbackAddress } from './loopback.ts';

describe('loopback', () => {
  test.each(['127.0.0.1', '127.255.0.9', '::1', '::ffff:127.0.0.1'])('%s is loopback', address => {
    expect(isLoopbackAddress(address)).toBe(true);
  });
  test.each(['128.0.0.1', '10.0.0.1', '0.0.0.0', '::', 'fe80::1%lo', '::ffff:8.8.8.8'])(
    '%s is not',
    address => {
      expect(isLoopbackAddress(address)).toBe(false);
    },
  );
  test.each([
    ['localhost', true],
    ['LOCALHOST.', true],
    ['mx.localhost', true],
    ['localhost.example', false],
    ['notlocalhost', false],
  ])('%s: %s', (name, isLocal) => {
    expect(isLocalName(name)).toBe(isLocal);
  });
});
