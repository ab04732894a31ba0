import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { plans } from '@mailproof/shared-types';
import { type Answer, openTestHouse, type TestHouse, validating } from './house.ts';

let test: TestHouse;

beforeAll(async () => {
  test = await openTestHouse({ only: validating, replicas: { gateway: 3 } });
});

afterAll(() => test.stop());

/** Sends requests at once; returns how many windows passed until the last answer, one on a fast machine. */
async function burst(
  count: number,
  send: () => Promise<Answer>,
): Promise<{ answers: Answer[]; windows: number }> {
  const sentAtMs = performance.now();
  const answers = await Promise.all(Array.from({ length: count }, send));
  return { answers, windows: 1 + Math.floor((performance.now() - sentAtMs) / 1_000) };
}

/** Expects exactly the limit if the burst fits in one window; a machine that stalls may need more windows. */
function expectFull(admitted: number, windows: number, limit = 10): void {
  expect(admitted).toBeGreaterThanOrEqual(limit);
  expect(admitted).toBeLessThanOrEqual(limit * windows);
}

describe('three gateways', () => {
  it('admit exactly 10 of 200 requests at once, and tell the rest when to come back', async () => {
    const customer = await test.open({ credits: 1 });
    const sentAtMs = Date.now();
    const { answers, windows } = await burst(200, () => customer.me());
    const refused = answers.filter(({ status }) => status === 429);
    expectFull(answers.length - refused.length, windows);
    expect(answers.filter(({ status }) => status !== 200 && status !== 429)).toEqual([]);
    expect(refused.length).toBeGreaterThan(0);
    for (const { headers, body } of refused) {
      expect(body['code']).toBe('rate_limited');
      expect(headers.get('retry-after')).toBe('1');
      expect(headers.get('x-ratelimit-remaining')).toBe('0');
      expect(Number(headers.get('x-ratelimit-reset'))).toBeGreaterThan(sentAtMs);
    }
  });

  it.each(['growth', 'scale'] as const)('admit as many at once as the plan %s allows', async plan => {
    const customer = await test.open({ plan });
    const limit = plans[plan].requestsPerSecond;
    const { answers, windows } = await burst(300, () => customer.me());
    expectFull(answers.filter(({ status }) => status === 200).length, windows, limit);
    expect(answers[0]?.headers.get('x-ratelimit-limit')).toBe(String(limit));
  });

  it('count requests that are refused for another reason too', async () => {
    const customer = await test.open({});
    const { answers, windows } = await burst(30, () => customer.validate(5));
    expectFull(answers.filter(({ status }) => status === 400).length, windows);
  });

  it('never refuse a client that sends 9 requests a second', async () => {
    const customer = await test.open({ credits: 1 });
    const perSecond = 9;
    const answers: Promise<Answer>[] = [];
    const secondsAfter: Promise<void>[] = [];
    for (let sent = 0; sent < 10 * perSecond; sent += 1) {
      // A request is counted between its sending and its answer. So a request sent a good second after the answer to
      // the tenth request before it is never refused, even if the machine stalls; on a fast machine, none has to wait
      // for that.
      await Promise.all([pause(1_000 / perSecond), secondsAfter[sent - 10]]);
      const answer = customer.me();
      answers.push(answer);
      secondsAfter.push(answer.then(() => pause(1_010)));
    }
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses).toEqual(statuses.map(() => 200));
  });

  it('deliver exactly 3 of 50 validations at once to an account with 3 credits, and answer 402 to the rest', async () => {
    const customer = await test.open({ credits: 3, requestsPerSecond: 1_000 });
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => customer.validate('ada@ordinary.example')),
    );
    expect(answers.filter(({ status, body }) => status === 200 && body['credits_consumed'])).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(47);
    expect(await customer.credits()).toBe(0);
  });
});
