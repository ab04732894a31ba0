import { describe, expect, it } from '@jest/globals';
import { createSigningKeyList } from './published-keys.ts';
import type { SigningKey } from './signing-key.ts';

const start = new Date('2026-03-01T12:00:00Z');
const publicJwk = { kty: 'EC', crv: 'P-256', x: '', y: '', kid: 'one', alg: 'ES256', use: 'sig' } as const;
const key: SigningKey = { kid: 'one', publicJwk, createdAt: start, signsFrom: start };

/** A list over a store that returns these in turn, and then always the last one. */
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
    const { asked, keys } = listOver([key]);
    const lists = await Promise.all([keys.list(), keys.list(), keys.published()]);
    expect(lists).toEqual([[key], [key], { keys: [publicJwk] }]);
    expect(await keys.published()).toBe(await keys.published());
    expect(asked.times).toBe(1);
  });

  it('is read again by the next call when it was empty, so that the first key signs as soon as it exists', async () => {
    const { asked, keys } = listOver([], [key]);
    expect(await Promise.all([keys.list(), keys.published()])).toEqual([[], { keys: [] }]);
    expect(asked.times).toBe(1);
    expect(await keys.list()).toEqual([key]);
    expect(await keys.published()).toEqual({ keys: [publicJwk] });
    expect(asked.times).toBe(2);
  });

  it('is read again after a key was made, even during an earlier read', async () => {
    const { keys } = listOver([], [key]);
    const early = keys.list();
    keys.readAgain();
    expect([await early, await keys.list()]).toEqual([[], [key]]);
  });

  it('is read again by the next call when a read failed', async () => {
    const { keys } = listOver(new Error('away'), [key]);
    await expect(keys.list()).rejects.toThrow('away');
    expect(await keys.list()).toEqual([key]);
  });
});
