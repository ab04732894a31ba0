import type Stripe from 'stripe';
import { monthsSince } from '../../domain/billing/cycle.ts';
import type { Invoice, Purchase } from '../../domain/billing/payment-port.ts';
import type { Subscription } from '../../domain/billing/subscription.ts';
import type { StripePrices } from '../../stripe-settings.ts';

/** Converts an invoice. Prices decide what it pays for, never amounts. */
export function invoiceOf(invoice: Stripe.Invoice, prices: StripePrices): Invoice {
  const accountId =
    invoice.parent?.subscription_details?.metadata?.['account_id'] ?? invoice.metadata?.['account_id'];
  const purchases = invoice.lines.data.flatMap(line => purchaseOf(line, prices) ?? []);
  // Ours have one line.
  const isLong = invoice.lines.has_more && accountId !== undefined;
  return {
    invoiceId: invoice.id ?? '',
    isPaid: invoice.status === 'paid',
    accountId,
    buys: purchases.length > 1 || isLong ? 'several' : purchases[0],
  };
}

/** Leaves out prorations: their month is paid by another line. */
function purchaseOf(line: Stripe.InvoiceLineItem, prices: StripePrices): Purchase | undefined {
  const price = line.pricing?.price_details?.price;
  const priceId = typeof price === 'string' ? price : price?.id;
  if (priceId === undefined || line.parent?.subscription_item_details?.proration) {
    return undefined;
  }
  const plan = prices.planOf(priceId);
  if (plan) {
    const months = monthsSince(timeOf(line.period.start), timeOf(line.period.end));
    return { kind: 'plan', plan, months: Math.max(1, months) };
  }
  const credits = prices.creditsOf(priceId);
  return credits === undefined ? undefined : { kind: 'top_up', credits: credits * (line.quantity ?? 1) };
}

/** Subscriptions that have ended, or that end within a day unless their first payment arrives. */
const idle: ReadonlySet<string> = new Set(['canceled', 'incomplete', 'incomplete_expired']);

/** Converts a subscription; undefined if it collects nothing, or none of our plans. */
export function subscriptionOf(
  { id, status, items, created, cancel_at_period_end: ends, metadata }: Stripe.Subscription,
  prices: StripePrices,
): Subscription | undefined {
  const [plan] = items.data.flatMap(({ price }) => prices.planOf(price.id) ?? []);
  if (plan === undefined || idle.has(status)) {
    return undefined;
  }
  const decided = metadata['ends'] === 'for_plan' ? 'for_plan' : 'by_customer';
  return { subscriptionId: id, plan, createdAt: timeOf(created), ends: ends ? decided : 'never' };
}

function timeOf(seconds: number): Date {
  return new Date(seconds * 1_000);
}
