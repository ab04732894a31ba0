import { describe, expect, it } from '@jest/globals';
import { currentKey, type SigningKey, spentKeys } from './signing-key.ts';

const start = new Date('2026-03-01T12:00:00Z');
const after = (seconds: number) => new Date(start.getTime() + seconds * 1_000);

function key(kid: string, signsFrom: Date): SigningKey {
  const publicJwk = { kty: 'EC', crv: 'P-256', x: '', y: '', kid, alg: 'ES256', use: 'sig' } as const;
  return { kid, publicJwk, createdAt: start, signsFrom };
}

describe('of signing keys', () => {
  const keys = [key('next', after(300)), key('first', start)];

  it('the newest whose time has come signs', () => {
    expect(currentKey(keys, after(299))?.kid).toBe('first');
    expect(currentKey(keys, after(300))?.kid).toBe('next');
    expect(currentKey([], start)).toBeUndefined();
  });

  it('the next one signs if none may sign yet, as at a replica whose clock is slow', () => {
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
