import { describe, expect, it } from '@jest/globals';
import { Problem } from '@mailproof/service-kit';
import { createPasswordHasher } from './password-hasher.ts';

describe('password hashes', () => {
  const { hash, verify } = createPasswordHasher({ concurrencyMax: 2, waitingMax: 10 });

  it('are Argon2id with 19 MiB, two passes and a salt for each', async () => {
    const hashes = [await hash('a password'), await hash('a password')];
    for (const made of hashes) {
      expect(made).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    }
    expect(hashes[0]).not.toBe(hashes[1]);
  });

  it('let the right password in and no other', async () => {
    const made = await hash('a password');
    expect(await verify(made, 'a password')).toBe(true);
    expect(await verify(made, 'A password')).toBe(false);
  });

  it('are made a few at once; a short queue waits, and later requests are refused', async () => {
    const few = createPasswordHasher({ concurrencyMax: 1, waitingMax: 2 });
    const results = await Promise.allSettled([1, 2, 3, 4, 5].map(number => few.hash(`password ${number}`)));
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
    ]);
    const refused = results[3]?.status === 'rejected' ? (results[3].reason as unknown) : undefined;
    expect(refused).toBeInstanceOf(Problem);
    expect(refused).toMatchObject({ code: 'service_unavailable', headers: { 'retry-after': '2' } });
    // The slots are free again, even after failed work.
    await expect(few.verify('no hash', 'x')).rejects.toThrow();
    expect(await few.verify(await few.hash('x'), 'x')).toBe(true);
  });
});
