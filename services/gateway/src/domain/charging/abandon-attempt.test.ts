import { describe, expect, it } from '@jest/globals';
import { newId } from '@mailproof/shared-types';
import { abandonAttempt } from './abandon-attempt.ts';

const attempt = {
  accountId: newId('account'),
  lookup: new Uint8Array(),
  fingerprint: new Uint8Array(),
  requestId: newId('request'),
  leaseMs: 45_000,
  keptMs: 60_000,
};

/** More than the number of waits. */
const turnsMax = 20;
const turn = () => new Promise<void>(resolve => void setImmediate(resolve));

/**
 * Abandons with a database that fails `failures` times; returns the state when the caller continued, and at the end.
 */
async function abandon(failures: number) {
  const done: string[] = [];
  let waitedMs = 0;
  let left = failures;
  await abandonAttempt(
    {
      async abandon(given) {
        expect(given).toBe(attempt);
        done.push(left > 0 ? 'failed' : 'abandoned');
        if (left > 0) {
          left -= 1;
          throw new Error('the database is away');
        }
      },
    },
    attempt,
    ms => {
      waitedMs += ms;
      return turn();
    },
  );
  const atFirst = done.length;
  for (let turns = 0; turns < turnsMax; turns += 1) await turn();
  return { atFirst, done, waitedMs };
}

describe('an attempt that failed', () => {
  it('is forgotten at once', async () => {
    expect(await abandon(0)).toEqual({ atFirst: 1, done: ['abandoned'], waitedMs: 0 });
  });

  it('is deleted when the database is back, without making any caller wait', async () => {
    const { atFirst, done } = await abandon(3);
    expect(atFirst).toBe(1);
    expect(done).toEqual(['failed', 'failed', 'failed', 'abandoned']);
  });

  it('is left to the end of its lease where the database stays away, tried for less time than that', async () => {
    const { done, waitedMs } = await abandon(100);
    expect(new Set(done)).toEqual(new Set(['failed']));
    expect(done).toHaveLength(11);
    expect(waitedMs).toBeLessThan(attempt.leaseMs);
  });
});
