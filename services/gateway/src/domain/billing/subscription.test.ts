import { describe, expect, it } from '@jest/globals';
import type { PlanName } from '@mailproof/shared-types';
import fc from 'fast-check';
import { type Billing, lapse, requestPlan, startPlan } from './billing.ts';
import { type Subscription, type SubscriptionChange, subscriptionChanges } from './subscription.ts';

const begin = new Date('2026-03-01T00:00:00Z');

function on(plan: PlanName, pending?: PlanName): Billing {
  const { billing } = startPlan(plan, begin);
  return pending === undefined ? billing : requestPlan(billing, pending, begin).billing;
}

function subscription(
  subscriptionId: string,
  plan: PlanName,
  ends: Subscription['ends'] = 'never',
): Subscription {
  const createdAt = new Date(begin.getTime() + Number(subscriptionId.slice(1)) * 1_000);
  return { subscriptionId, plan, createdAt, ends };
}

describe('the subscriptions of an account', () => {
  it('are left alone if one collects the plan', () => {
    expect(subscriptionChanges([subscription('s1', 'growth')], on('growth'))).toEqual([]);
  });

  it('are reduced to the newest one of the plan', () => {
    const all = [subscription('s1', 'growth'), subscription('s2', 'growth'), subscription('s3', 'starter')];
    expect(subscriptionChanges(all, on('growth'))).toEqual([
      { kind: 'cancel', subscriptionId: 's3' },
      { kind: 'cancel', subscriptionId: 's1' },
    ]);
  });

  it('keep one that pays an upgrade whose payment is on its way', () => {
    const all = [subscription('s1', 'starter'), subscription('s2', 'scale')];
    expect(subscriptionChanges(all, on('starter', 'scale'))).toEqual([]);
  });

  it('follow a smaller plan, end for the free one, and continue if that is withdrawn', () => {
    const growth = [subscription('s1', 'growth')];
    expect(subscriptionChanges(growth, on('growth', 'starter'))).toEqual([
      { kind: 'switch', subscriptionId: 's1', plan: 'starter' },
    ]);
    expect(subscriptionChanges(growth, on('growth', 'free'))).toEqual([
      { kind: 'end_with_period', subscriptionId: 's1' },
    ]);
    expect(subscriptionChanges([subscription('s1', 'growth', 'for_plan')], on('growth'))).toEqual([
      { kind: 'continue', subscriptionId: 's1' },
    ]);
  });

  it('stay ended if the customer ended them at the provider', () => {
    const ended = [subscription('s1', 'growth', 'by_customer')];
    expect(subscriptionChanges(ended, on('growth'))).toEqual([]);
    expect(subscriptionChanges(ended, on('growth', 'free'))).toEqual([]);
  });

  it('stay as they are after a lapse, so that a late payment restores the plan', () => {
    const lapsed = lapse(on('growth'), new Date('2026-04-20T00:00:00Z')).billing;
    expect(subscriptionChanges([subscription('s1', 'growth')], lapsed)).toEqual([]);
  });

  it('are all canceled for a deleted account', () => {
    expect(
      subscriptionChanges([subscription('s1', 'growth'), subscription('s2', 'scale')], undefined),
    ).toEqual([
      { kind: 'cancel', subscriptionId: 's1' },
      { kind: 'cancel', subscriptionId: 's2' },
    ]);
  });

  it('need no second round of changes, and leave at most one that collects', () => {
    const paid = fc.constantFrom<PlanName>('starter', 'growth', 'scale');
    const ends = fc.constantFrom<Subscription['ends']>('never', 'for_plan', 'by_customer');
    const some = fc
      .array(fc.tuple(paid, ends), { maxLength: 5 })
      .map(each => each.map(([plan, end], index) => subscription(`s${index + 1}`, plan, end)));
    const billing = fc
      .tuple(fc.constantFrom<PlanName>('free', 'starter', 'growth', 'scale'), fc.option(paid))
      .map(([plan, pending]) => on(plan, pending === null || pending === plan ? undefined : pending));
    fc.assert(
      fc.property(some, billing, (subscriptions, state) => {
        const after = applied(subscriptions, subscriptionChanges(subscriptions, state));
        expect(subscriptionChanges(after, state)).toEqual([]);
        const awaited = state.pending?.takesEffect === 'on_payment' ? state.pending.plan : undefined;
        const collecting = after.filter(each => each.ends === 'never' && each.plan !== awaited);
        expect(collecting.length).toBeLessThanOrEqual(state.plan === 'free' ? 0 : 1);
      }),
    );
  });
});

/** What the provider has after the changes. */
function applied(
  subscriptions: readonly Subscription[],
  changes: readonly SubscriptionChange[],
): Subscription[] {
  return changes.reduce<Subscription[]>(
    (left, change) =>
      left.flatMap(each => {
        if (each.subscriptionId !== change.subscriptionId) return [each];
        if (change.kind === 'cancel') return [];
        if (change.kind === 'switch') return [{ ...each, plan: change.plan }];
        return [{ ...each, ends: change.kind === 'continue' ? 'never' : 'for_plan' }];
      }),
    [...subscriptions],
  );
}
