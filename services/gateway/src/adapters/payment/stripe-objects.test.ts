import { describe, expect, it } from '@jest/globals';
import type Stripe from 'stripe';
import { stripePrices } from '../../stripe-settings.ts';
import { invoiceOf, subscriptionOf } from './stripe-objects.ts';

const prices = stripePrices.parse('starter=price_s,growth=price_g,scale=price_x,500=price_500');
const seconds = (text: string) => Date.parse(text) / 1_000;
const account = { account_id: 'acct_1' };

interface Line {
  readonly price: string;
  readonly proration?: boolean;
  readonly quantity?: number;
  readonly period?: readonly [string, string];
}

/** An invoice with the members that are read. */
function invoice(lines: readonly Line[], more: object = {}): Stripe.Invoice {
  return {
    id: 'in_1',
    status: 'paid',
    metadata: {},
    parent: { subscription_details: { metadata: account } },
    lines: {
      has_more: false,
      data: lines.map(
        ({ price, proration = false, quantity = 1, period = ['2026-01-31', '2026-02-28'] }) => ({
          quantity,
          period: { start: seconds(period[0]), end: seconds(period[1]) },
          pricing: { price_details: { price } },
          parent: { subscription_item_details: { proration } },
        }),
      ),
    },
    ...more,
  } as unknown as Stripe.Invoice;
}

describe('an invoice of Stripe', () => {
  it('pays the months of the plan that its price sells', () => {
    expect(invoiceOf(invoice([{ price: 'price_g' }]), prices)).toEqual({
      invoiceId: 'in_1',
      isPaid: true,
      accountId: 'acct_1',
      buys: { kind: 'plan', plan: 'growth', months: 1 },
    });
    const year = invoice([{ price: 'price_g', period: ['2026-01-31', '2027-01-31'] }]);
    expect(invoiceOf(year, prices).buys).toMatchObject({ months: 12 });
    const odd = invoice([{ price: 'price_g', period: ['2026-02-28', '2026-03-31'] }]);
    expect(invoiceOf(odd, prices).buys).toMatchObject({ months: 1 });
  });

  it('sells credits to the account that it names itself', () => {
    const topUp = invoice([{ price: 'price_500', quantity: 2 }], { parent: null, metadata: account });
    expect(invoiceOf(topUp, prices)).toMatchObject({
      accountId: 'acct_1',
      buys: { kind: 'top_up', credits: 1_000 },
    });
  });

  it('does not count prorations and other products', () => {
    const proration = { price: 'price_s', proration: true };
    expect(invoiceOf(invoice([proration, { price: 'price_g' }]), prices).buys).toMatchObject({
      plan: 'growth',
    });
    expect(invoiceOf(invoice([proration, { price: 'price_other' }]), prices).buys).toBeUndefined();
  });

  it('needs a decision if it pays for several products, or has lines that were not read', () => {
    expect(invoiceOf(invoice([{ price: 'price_s' }, { price: 'price_g' }]), prices).buys).toBe('several');
    const long = invoice([], { lines: { has_more: true, data: [] } });
    expect(invoiceOf(long, prices).buys).toBe('several');
  });

  it.each(['open', 'void', 'draft', 'uncollectible'])('is not paid while it is %s', status => {
    expect(invoiceOf(invoice([{ price: 'price_g' }], { status }), prices).isPaid).toBe(false);
  });
});

describe('a subscription of Stripe', () => {
  const given = (more: object) =>
    subscriptionOf(
      {
        id: 'sub_1',
        status: 'active',
        created: 1,
        cancel_at_period_end: false,
        metadata: {},
        items: { data: [{ price: { id: 'price_x' } }] },
        ...more,
      } as unknown as Stripe.Subscription,
      prices,
    );

  it('collects a plan until it ends, for the plan or by the customer', () => {
    expect(given({})).toMatchObject({ plan: 'scale', ends: 'never' });
    expect(given({ status: 'past_due' })).toMatchObject({ plan: 'scale' });
    expect(given({ cancel_at_period_end: true })).toMatchObject({ ends: 'by_customer' });
    expect(given({ cancel_at_period_end: true, metadata: { ends: 'for_plan' } })).toMatchObject({
      ends: 'for_plan',
    });
  });

  it.each(['canceled', 'incomplete', 'incomplete_expired'])('collects nothing when it is %s', status => {
    expect(given({ status })).toBeUndefined();
  });

  it('of another product is not ours', () => {
    expect(given({ items: { data: [{ price: { id: 'price_other' } }] } })).toBeUndefined();
  });
});
