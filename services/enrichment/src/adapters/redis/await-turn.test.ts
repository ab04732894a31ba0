import { describe, expect, it } from '@jest/globals';
import type { RateDecision } from '@mailproof/shared-types';
import { createAwaitTurn } from './await-turn.ts';

/** Refuses until the given number of requests was made, and counts them. */
function limiterThat(admitsAt: number, resetInMs: number) {
  return {
    requests: 0,
    async admit(): Promise<RateDecision> {
      this.requests += 1;
      const admitted = this.requests >= admitsAt;
      return { admitted, limit: 1, remaining: 0, resetInMs, resetAtMs: Date.now() + resetInMs };
    },
    async uncount() {},
    async forget() {},
  };
}

const never = new AbortController().signal;

describe('a question to a provider', () => {
  it('waits for its turn', async () => {
    const limiter = limiterThat(3, 10);
    await createAwaitTurn(limiter)('provider', 1, never);
    expect(limiter.requests).toBe(3);
  });

  it('does not wait longer than three seconds, in one wait or several', async () => {
    const far = limiterThat(Number.POSITIVE_INFINITY, 3_000);
    await expect(createAwaitTurn(far)('provider', 1, never)).rejects.toMatchObject({
      reason: 'rate_limited',
    });
    expect(far.requests).toBe(1);
    const near = limiterThat(Number.POSITIVE_INFINITY, 1_400);
    await expect(createAwaitTurn(near)('provider', 1, never)).rejects.toMatchObject({
      reason: 'rate_limited',
    });
    expect(near.requests).toBe(3);
  });

  it('stops waiting when its request ends', async () => {
    const limiter = limiterThat(Number.POSITIVE_INFINITY, 2_900);
    const ended = new AbortController();
    const turn = createAwaitTurn(limiter)('provider', 1, ended.signal);
    ended.abort();
    await expect(turn).rejects.toMatchObject({ name: 'AbortError' });
  });
});
