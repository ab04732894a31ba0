import { describe, expect, it } from '@jest/globals';
import {
  type AccountPlan,
  changeSentences,
  cycleShare,
  isUpgrade,
  type Plan,
  planFacts,
} from './plan-facts.ts';

const free: Plan = {
  name: 'free',
  title: 'Free',
  api_access: false,
  credits_per_cycle: 100,
  requests_per_second: 10,
  members_max: 1,
};
const growth: Plan = {
  name: 'growth',
  title: 'Growth',
  api_access: true,
  credits_per_cycle: 25_000,
  requests_per_second: 20,
  members_max: 10,
};
const cycle = { starts_at: '2026-03-01T00:00:00.000Z', ends_at: '2026-04-01T00:00:00.000Z' };
const on = (plan: Plan): AccountPlan => ({
  plan,
  requests_per_second: plan.requests_per_second,
  cycle,
  payment: { state: 'not_needed', paid_until: null, lapses_at: null, lapsed_plan: null },
  pending_change: null,
  online_payment: null,
  choices: [free, growth],
});

describe('a change of plan in words', () => {
  it('to a larger plan waits for payment, and removes nothing', () => {
    expect(isUpgrade(free, growth)).toBe(true);
    expect(changeSentences(on(free), growth)).toEqual([
      'It starts when your payment is confirmed; until then you stay on Free.',
      'A new billing cycle starts with 25,000 credits.',
      'Your current credits stay valid until Apr 1, 2026.',
      'An API key is generated for you.',
    ]);
  });

  it('to a smaller plan waits for the end of the cycle, and says what stops', () => {
    expect(isUpgrade(growth, free)).toBe(false);
    expect(changeSentences(on(growth), free)).toEqual([
      'You stay on Growth until Apr 1, 2026.',
      'After that, each billing cycle includes 100 credits.',
      expect.stringContaining('then stop working'),
      'Current members stay; no one can join while you have 1 or more.',
    ]);
  });
});

it('lists what a plan includes and lacks', () => {
  expect(planFacts(free)).toContainEqual({ words: 'No API key', isThere: false });
  expect(planFacts(growth)).toContainEqual({ words: '25,000 credits per month', isThere: true });
});

it.each([
  ['2026-02-01T00:00:00.000Z', 0],
  ['2026-03-16T12:00:00.000Z', 0.5],
  ['2026-05-01T00:00:00.000Z', 1],
])('at %s %d of the cycle has gone', (at, share) => {
  expect(cycleShare(cycle, new Date(at))).toBe(share);
});
