import type { PlanName } from '@mailproof/shared-types';
import { type Billing, needsPayment } from './billing.ts';

/** A subscription at the payment provider, which collects the payment of a plan each month. */
export interface Subscription {
  readonly subscriptionId: string;
  readonly plan: PlanName;
  readonly createdAt: Date;
  /** Whether it ends with its paid time, and if so, whether we asked for that: a customer's own decision stays. */
  readonly ends: 'never' | 'for_plan' | 'by_customer';
}

export type SubscriptionChange =
  | { readonly kind: 'cancel' | 'end_with_period' | 'continue'; readonly subscriptionId: string }
  /** From the next period on, without a charge for the current one. */
  | { readonly kind: 'switch'; readonly subscriptionId: string; readonly plan: PlanName };

/**
 * The changes after which the provider collects only the plan that the account will have: one subscription, the newest
 * one of that plan, and no other. They depend on states alone, so they can be repeated and combined in any order.
 *
 * @param billing absent for a deleted account
 */
export function subscriptionChanges(
  subscriptions: readonly Subscription[],
  billing: Billing | undefined,
): SubscriptionChange[] {
  if (!billing) {
    return subscriptions.map(({ subscriptionId }) => ({ kind: 'cancel', subscriptionId }));
  }
  if (billing.lapsed) {
    // The provider still tries to collect the plan; that payment restores it.
    return [];
  }
  const { pending } = billing;
  const following = pending?.takesEffect === 'at_cycle_end' ? pending.plan : billing.plan;
  // The payment of an upgrade may be on its way.
  const awaited = pending?.takesEffect === 'on_payment' ? pending.plan : undefined;
  const judged = subscriptions
    .filter(({ plan }) => plan !== awaited)
    .toSorted((one, other) => other.createdAt.getTime() - one.createdAt.getTime());
  if (!needsPayment(following)) {
    return judged
      .filter(({ ends }) => ends === 'never')
      .map(({ subscriptionId }) => ({ kind: 'end_with_period', subscriptionId }));
  }
  const kept = judged.find(({ plan }) => plan === following) ?? judged[0];
  return judged.flatMap(each => (each === kept ? changesOfKept(each, following) : cancelled(each)));
}

function changesOfKept({ subscriptionId, plan, ends }: Subscription, following: PlanName) {
  return [
    ...(plan === following ? [] : [{ kind: 'switch', subscriptionId, plan: following } as const]),
    ...(ends === 'for_plan' ? [{ kind: 'continue', subscriptionId } as const] : []),
  ];
}

function cancelled({ subscriptionId }: Subscription): SubscriptionChange[] {
  return [{ kind: 'cancel', subscriptionId }];
}
