import { describe, expect, it } from '@jest/globals';
import { displayPrefixOf, generateApiKey, hashApiKey, parseApiKey } from './api-key.ts';

describe('an API key', () => {
  it('has its prefix, 30 random digits and 6 digits of checksum', () => {
    expect(generateApiKey()).toMatch(/^mp_live_[0-9A-Za-z]{36}$/);
  });

  it('of the sandbox can be told from a live one, and is checked in the same way', () => {
    const key = generateApiKey('test');
    expect(key).toMatch(/^mp_test_[0-9A-Za-z]{36}$/);
    expect(parseApiKey(key)).toBe(key);
    expect(parseApiKey(key.replace('test', 'live'))).toBeUndefined();
    expect(displayPrefixOf(key)).toBe(key.slice(0, 12));
  });

  it('is not made twice', () => {
    expect(new Set(Array.from({ length: 1_000 }, () => generateApiKey())).size).toBe(1_000);
  });

  it('is recognized as it was made', () => {
    const key = generateApiKey();
    expect(parseApiKey(key)).toBe(key);
  });

  it('is refused with any one digit changed', () => {
    const key = generateApiKey();
    for (let index = 8; index < key.length; index += 1) {
      const other = key[index] === 'x' ? 'y' : 'x';
      expect(parseApiKey(key.slice(0, index) + other + key.slice(index + 1))).toBeUndefined();
    }
  });

  it.each([
    '',
    'mp_live_',
    'mp_live_short',
    `mp_test_${'a'.repeat(36)}`,
    `mp_live_${'a'.repeat(37)}`,
    `mp_live_${'é'.repeat(36)}`,
  ])('is refused in another form: %j', text => {
    expect(parseApiKey(text)).toBeUndefined();
  });

  it('is stored as 32 octets that do not hold it, and shown by its first letters', () => {
    const key = generateApiKey();
    expect(hashApiKey(key)).toHaveLength(32);
    expect(displayPrefixOf(key)).toBe(key.slice(0, 12));
  });
});
