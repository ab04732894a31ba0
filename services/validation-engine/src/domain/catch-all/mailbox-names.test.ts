import { describe, expect, test } from '@jest/globals';
import { keyRecordLabel, webKeyName } from './mailbox-names.ts';

describe('the label of a key record', () => {
  test('is the one of the standard’s example', () => {
    // RFC 7929 section 3, for hugh@example.com.
    expect(keyRecordLabel('hugh')).toBe('c93f1e400f26708f98cb19d936620da35eec8f72e57f9eec01c1afd6');
  });

  test('keeps upper case, which only the domain may ignore', () => {
    expect(keyRecordLabel('Hugh')).not.toBe(keyRecordLabel('hugh'));
  });

  test('does not depend on how a letter is composed', () => {
    expect(keyRecordLabel('jo\u0308rg')).toBe(keyRecordLabel('j\u00f6rg'));
  });
});

describe('the name of a web key', () => {
  test('is the one of the draft’s example', () => {
    // Draft-koch-openpgp-webkey-service section 3.1, for Joe.Doe@example.org.
    expect(webKeyName('Joe.Doe')).toBe('iy9q119eutrkn8s1mk4r39qejnbu3n5q');
    expect(webKeyName('joe.doe')).toBe('iy9q119eutrkn8s1mk4r39qejnbu3n5q');
  });

  test('leaves letters beyond ASCII as they are', () => {
    expect(webKeyName('J\u00d6RG')).toBe(webKeyName('j\u00d6rg'));
    expect(webKeyName('J\u00d6RG')).not.toBe(webKeyName('j\u00f6rg'));
  });
});
