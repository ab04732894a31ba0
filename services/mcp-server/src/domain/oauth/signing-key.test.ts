import { describe, expect, it } from '@jest/globals';
import { createSigningKeyList, currentKey, type SigningKey, spentKeys } from './signing-key.ts';

const start = new Date('2026-03-01T12:00:00Z');
const after = (seconds: number) => new Date(start.getTime() + seconds * 1_000);

function key(kid: string, signsFrom: Date): SigningKey {
  const publicJwk = { kty: 'EC', crv: 'P-256', x: '', y: '', kid, alg: 'ES256', use: 'sig' } as const;
  return { kid, publicJwk, createdAt: start, signsFrom };
}

describe('of signing keys', () => {
  const keys = [key('next', after(300)), key('first', start)];

  it('the newest active key signs', () => {
    expect(currentKey(keys, after(299))?.kid).toBe('first');
    expect(currentKey(keys, after(300))?.kid).toBe('next');
    expect(currentKey([], start)).toBeUndefined();
  });

  it('the next key signs if none is active yet, as on a replica whose clock is slow', () => {
    expect(currentKey(keys, after(-1))?.kid).toBe('first');
  });

  it('one that signed stays until its last token has been over for a while', () => {
    const lastTokenOver = 300 + 600;
    expect(spentKeys(keys, after(lastTokenOver + 300))).toEqual([]);
    expect(spentKeys(keys, after(lastTokenOver + 301)).map(({ kid }) => kid)).toEqual(['first']);
  });

  it('the only one is never spent', () => {
    expect(spentKeys([key('first', start)], after(1_000_000_000))).toEqual([]);
  });
});

const publicJwk = { kty: 'EC', crv: 'P-256', x: '', y: '', kid: 'one', alg: 'ES256', use: 'sig' } as const;
const listedKey: SigningKey = { kid: 'one', publicJwk, createdAt: start, signsFrom: start };

/** A list over a store that returns these in turn, and then keeps returning the last one. */
function listOver(...answers: readonly (readonly SigningKey[] | Error)[]) {
  const asked = { times: 0 };
  const list = async () => {
    const answer = answers[Math.min(asked.times, answers.length - 1)] ?? [];
    asked.times += 1;
    if (answer instanceof Error) {
      throw answer;
    }
    return answer;
  };
  return { asked, keys: createSigningKeyList({ list }, () => start) };
}

describe('the list of signing keys', () => {
  it('is read once for many simultaneous calls', async () => {
    const { asked, keys } = listOver([listedKey]);
    const lists = await Promise.all([keys.list(), keys.list(), keys.published()]);
    expect(lists).toEqual([[listedKey], [listedKey], { keys: [publicJwk] }]);
    expect(await keys.published()).toBe(await keys.published());
    expect(asked.times).toBe(1);
  });

  it('is read again by the next call when it was empty, so that the first key signs as soon as it exists', async () => {
    const { asked, keys } = listOver([], [listedKey]);
    expect(await Promise.all([keys.list(), keys.published()])).toEqual([[], { keys: [] }]);
    expect(asked.times).toBe(1);
    expect(await keys.list()).toEqual([listedKey]);
    expect(await keys.published()).toEqual({ keys: [publicJwk] });
    expect(asked.times).toBe(2);
  });

  it('is read again after a key was made, even during an earlier read', async () => {
    const { keys } = listOver([], [listedKey]);
    const early = keys.list();
    keys.readAgain();
    expect([await early, await keys.list()]).toEqual([[], [listedKey]]);
  });

  it('is read again by the next call when a read failed', async () => {
    const { keys } = listOver(new Error('away'), [listedKey]);
    await expect(keys.list()).rejects.toThrow('away');
    expect(await keys.list()).toEqual([listedKey]);
  });
});
