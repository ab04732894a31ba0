import { describe, expect, it } from '@jest/globals';
import { newId } from '@mailproof/shared-types';
import { canonicalJson, secretsOf } from './idempotency.ts';

const accountId = newId('account');
const answer = { result: { email: 'ada@ordinary.example' }, cause: 'validate-single-email', amount: 1 };

describe('what is stored under an idempotency key', () => {
  it('can be decrypted only with the same key of the same account', () => {
    const sealed = secretsOf(accountId, 'key-1').seal(answer);
    expect(secretsOf(accountId, 'key-1').open(sealed)).toEqual(answer);
    expect(() => secretsOf(accountId, 'key-2').open(sealed)).toThrow();
    expect(() => secretsOf(newId('account'), 'key-1').open(sealed)).toThrow();
  });

  it('reveals neither the key nor the response, and is encrypted differently each time', () => {
    const secrets = secretsOf(accountId, 'key-1');
    const stored = [secrets.lookup, secrets.seal(answer), secrets.fingerprint('x', answer)].map(bytes =>
      Buffer.from(bytes).toString('latin1'),
    );
    expect(stored.join()).not.toMatch(/key-1|ada|ordinary/);
    expect(secrets.seal(answer)).not.toEqual(secrets.seal(answer));
  });

  it('distinguishes operations, inputs and keys, but not the order of members', () => {
    const prints = [
      secretsOf(accountId, 'key-1').fingerprint('a', { body: { email: 'x' }, query: {} }),
      secretsOf(accountId, 'key-1').fingerprint('a', { body: { email: 'y' }, query: {} }),
      secretsOf(accountId, 'key-1').fingerprint('a', { body: { email: 'x' }, query: { details: true } }),
      secretsOf(accountId, 'key-1').fingerprint('b', { body: { email: 'x' }, query: {} }),
      secretsOf(accountId, 'key-2').fingerprint('a', { body: { email: 'x' }, query: {} }),
    ].map(bytes => Buffer.from(bytes).toString('hex'));
    expect(new Set(prints).size).toBe(5);
    expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: null })).toBe('{"a":null,"b":[{"c":2,"d":1}]}');
  });
});
