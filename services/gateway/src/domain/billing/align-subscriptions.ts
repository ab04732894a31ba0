import type { AccountId } from '@mailproof/shared-types';
import type { Billing } from './billing.ts';
import type { BillingStore } from './billing-store.ts';
import type { OpenOrder, PaymentProvider } from './payment-port.ts';
import { subscriptionChanges } from './subscription.ts';

/** Makes the provider collect what the account's plan costs, and nothing else. Safe to repeat. */
export async function alignSubscriptions(
  {
    billing,
    provider,
  }: {
    readonly billing: Pick<BillingStore, 'read'>;
    readonly provider: Pick<
      PaymentProvider,
      'subscriptions' | 'changeSubscription' | 'openOrders' | 'endOrder'
    >;
  },
  accountId: AccountId,
  customerId: string,
): Promise<void> {
  const account = await billing.read(accountId);
  for (const order of await provider.openOrders(customerId)) {
    if (!isWanted(order, account?.billing)) {
      await provider.endOrder(order.orderId);
    }
  }
  for (const change of subscriptionChanges(await provider.subscriptions(customerId), account?.billing)) {
    await provider.changeSubscription(change);
  }
}

/** Whether the customer may still pay an order: a top-up, or the plan that the account waits for. */
function isWanted({ plan, orderedAt }: OpenOrder, billing: Billing | undefined): boolean {
  const pending = billing?.pending;
  return plan === undefined
    ? billing !== undefined
    : plan === pending?.plan && orderedAt === pending.requestedAt.toISOString();
}
