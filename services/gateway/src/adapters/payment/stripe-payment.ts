import { createHash } from 'node:crypto';
import { unavailable } from '@mailproof/service-kit';
import { type AccountId, type PlanName, plans } from '@mailproof/shared-types';
import Stripe from 'stripe';
import type { PaymentOrder, PaymentProvider } from '../../domain/billing/payment-port.ts';
import type { SubscriptionChange } from '../../domain/billing/subscription.ts';
import type { StripePrices, StripeSettings } from '../../stripe-settings.ts';
import { invoiceOf, subscriptionOf } from './stripe-objects.ts';

/** The Stripe customers of our accounts. */
export interface StripeCustomers {
  find(accountId: AccountId): Promise<string | undefined>;
  /** Stores the customer unless the account has one; returns the account's. */
  keep(accountId: AccountId, customerId: string): Promise<string>;
}

export interface StripeOptions extends Omit<StripeSettings, 'webhookSecret'> {
  /** The page of the application where customers manage their plan. */
  readonly planUrl: string;
  readonly customers: StripeCustomers;
}

/** Time for one attempt, in milliseconds; Stripe answers within two seconds as a rule. */
const attemptMsMax = 10_000;
const retriesMax = 2;
const pageRows = 100;
/** The end of a list that can only be a fault: ten million paid invoices. */
const pagesMax = 100_000;

/** Opens a client for Stripe's API. */
export function openStripe({ secretKey, apiUrl }: Pick<StripeSettings, 'secretKey' | 'apiUrl'>): Stripe {
  const { protocol, hostname, port } = new URL(apiUrl);
  return new Stripe(secretKey, {
    protocol: protocol === 'http:' ? 'http' : 'https',
    host: hostname,
    port: port || (protocol === 'http:' ? 80 : 443),
    timeout: attemptMsMax,
    maxNetworkRetries: retriesMax,
    telemetry: false,
  });
}

/**
 * Payment by Stripe: Checkout starts a subscription for a plan, or sells a top-up (ADR 0089). Every payment has
 * an invoice, whose id identifies it. Requests that create something carry an idempotency key.
 */
export function createStripePayment(options: StripeOptions): PaymentProvider {
  const { prices, planUrl, customers } = options;
  const stripe = openStripe(options);
  const customerOf = async (accountId: AccountId) =>
    (await customers.find(accountId)) ?? customers.keep(accountId, await createCustomer(stripe, accountId));
  return answeredBy({
    topUps: [...prices.topUps.keys()],

    async order(order) {
      const customer = await customerOf(order.accountId);
      const page = { ...sessionOf(options, customer, order.accountId), ...planOrder(prices, order) };
      // Stripe refuses a key that comes with other parameters, such as those of changed settings.
      const idempotencyKey = keyOf('order', order.accountId, digestOf(page));
      const session = await stripe.checkout.sessions.create(page, { idempotencyKey });
      return { kind: 'pay_online', url: urlOf(session) };
    },

    async buyCredits(accountId, credits) {
      const customer = await customerOf(accountId);
      // Without our own key: a second page costs nothing, and a customer may buy the same credits twice.
      const session = await stripe.checkout.sessions.create({
        ...sessionOf(options, customer, accountId),
        mode: 'payment',
        line_items: [{ price: prices.topUps.get(credits) ?? '', quantity: 1 }],
        invoice_creation: { enabled: true, invoice_data: { metadata: { account_id: accountId } } },
      });
      return urlOf(session);
    },

    async portal(accountId) {
      const customer = await customers.find(accountId);
      if (customer === undefined) {
        return undefined;
      }
      return (await stripe.billingPortal.sessions.create({ customer, return_url: planUrl })).url;
    },

    async invoice(invoiceId) {
      const found = await orMissing(stripe.invoices.retrieve(invoiceId));
      return found && invoiceOf(found, prices);
    },

    async *paidInvoices(since) {
      const created = { gte: Math.floor(since.getTime() / 1_000) };
      let after: string | undefined;
      for (let page = 0; page < pagesMax; page += 1) {
        const { data, has_more: hasMore } = await stripe.invoices.list({
          status: 'paid',
          created,
          limit: pageRows,
          ...(after !== undefined && { starting_after: after }),
        });
        yield data.map(invoice => invoiceOf(invoice, prices));
        after = data.at(-1)?.id;
        if (!hasMore || after === undefined) {
          return;
        }
      }
    },

    async subscriptions(customer) {
      const { data } = await stripe.subscriptions.list({ customer, limit: pageRows });
      return data.flatMap(each => subscriptionOf(each, prices) ?? []);
    },

    changeSubscription: change => changeSubscription(stripe, prices, change),

    async openOrders(customer) {
      const { data } = await stripe.checkout.sessions.list({ customer, status: 'open', limit: pageRows });
      return data.map(({ id, metadata }) => ({
        orderId: id,
        plan: metadata?.['plan'],
        orderedAt: metadata?.['ordered_at'],
      }));
    },

    endOrder: orderId => ignoreRefusal(stripe.checkout.sessions.expire(orderId)),
  });
}

/** A second call for the same account within a day returns the same customer; a later one leaves an unused customer. */
async function createCustomer(stripe: Stripe, accountId: AccountId): Promise<string> {
  const customer = await stripe.customers.create(
    { metadata: { account_id: accountId } },
    { idempotencyKey: keyOf('customer', accountId) },
  );
  return customer.id;
}

function sessionOf({ automaticTax, planUrl }: StripeOptions, customer: string, accountId: AccountId) {
  return {
    customer,
    client_reference_id: accountId,
    success_url: planUrl,
    cancel_url: planUrl,
    ...(automaticTax && {
      automatic_tax: { enabled: true },
      // Stripe Tax needs the address that the customer enters, and the name belongs on the invoice.
      customer_update: { address: 'auto', name: 'auto' },
      tax_id_collection: { enabled: true },
    }),
  } satisfies Stripe.Checkout.SessionCreateParams;
}

function planOrder(prices: StripePrices, { accountId, plan, orderedAt }: PaymentOrder) {
  return {
    mode: 'subscription',
    line_items: [{ price: prices.plans.get(plan) ?? '', quantity: 1 }],
    metadata: { account_id: accountId, plan, ordered_at: orderedAt.toISOString() },
    subscription_data: { metadata: { account_id: accountId }, description: plans[plan].title },
  } satisfies Stripe.Checkout.SessionCreateParams;
}

async function changeSubscription(
  stripe: Stripe,
  prices: StripePrices,
  change: SubscriptionChange,
): Promise<void> {
  const { subscriptionId: id } = change;
  switch (change.kind) {
    case 'cancel':
      return ignoreRefusal(stripe.subscriptions.cancel(id, { prorate: false, invoice_now: false }));
    case 'end_with_period':
      await stripe.subscriptions.update(id, { cancel_at_period_end: true, metadata: { ends: 'for_plan' } });
      return;
    case 'continue':
      await stripe.subscriptions.update(id, { cancel_at_period_end: false, metadata: { ends: '' } });
      return;
    case 'switch':
      return switchPrice(stripe, prices, id, change.plan);
  }
}

async function switchPrice(stripe: Stripe, prices: StripePrices, id: string, plan: PlanName): Promise<void> {
  const { items } = await stripe.subscriptions.retrieve(id);
  const item = items.data.find(({ price }) => prices.planOf(price.id) !== undefined);
  await stripe.subscriptions.update(id, {
    items: [{ ...(item && { id: item.id }), price: prices.plans.get(plan) ?? '' }],
    proration_behavior: 'none',
    description: plans[plan].title,
  });
}

function urlOf({ url }: Stripe.Checkout.Session): string {
  if (!url) {
    throw new Error('The Checkout session has no page.');
  }
  return url;
}

function digestOf(parameters: object): string {
  return createHash('sha256').update(JSON.stringify(parameters)).digest('hex');
}

function keyOf(...parts: readonly string[]): string {
  return ['mailproof', ...parts].join(':');
}

async function orMissing<Found>(request: Promise<Found>): Promise<Found | undefined> {
  return request.catch((error: unknown) => {
    if (error instanceof Stripe.errors.StripeInvalidRequestError && error.statusCode === 404) {
      return undefined;
    }
    throw error;
  });
}

/** For requests that Stripe refuses only if their effect has happened. */
async function ignoreRefusal(request: Promise<unknown>): Promise<void> {
  await request.catch((error: unknown) => {
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
  });
}

/** Turns the faults of Stripe into a problem with status 503. The cause names the fault, and no secret. */
function answeredBy(provider: PaymentProvider): PaymentProvider {
  const translated = (error: unknown) =>
    error instanceof Stripe.errors.StripeError
      ? unavailable('The payment provider cannot be reached right now. Try again in a few minutes.', error)
      : error;
  const guarded =
    <Arguments extends unknown[], Result>(work: (...given: Arguments) => Promise<Result>) =>
    (...given: Arguments): Promise<Result> =>
      work(...given).catch(error => {
        throw translated(error);
      });
  return {
    topUps: provider.topUps,
    order: guarded(provider.order),
    buyCredits: guarded(provider.buyCredits),
    portal: guarded(provider.portal),
    invoice: guarded(provider.invoice),
    async *paidInvoices(since) {
      try {
        yield* provider.paidInvoices(since);
      } catch (error) {
        throw translated(error);
      }
    },
    subscriptions: guarded(provider.subscriptions),
    changeSubscription: guarded(provider.changeSubscription),
    openOrders: guarded(provider.openOrders),
    endOrder: guarded(provider.endOrder),
  };
}
