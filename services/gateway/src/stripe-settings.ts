import { choosablePlanNames, type PlanName } from '@mailproof/shared-types';
import { z } from 'zod';
import { needsPayment } from './domain/billing/billing.ts';

/** What is sold, and the Stripe price of each. */
export interface StripePrices {
  readonly plans: ReadonlyMap<PlanName, string>;
  /** By number of credits. */
  readonly topUps: ReadonlyMap<number, string>;
  planOf(price: string): PlanName | undefined;
  creditsOf(price: string): number | undefined;
}

/** The plans that a customer can order. */
const sold = choosablePlanNames.filter(needsPayment);
const entryForm = /^(?:([a-z]+)|([1-9]\d{0,8}))=(price_\w{1,200})$/;
const entriesMax = 50;

/** The form of `STRIPE_PRICES`: `plan=price_…` for each plan, and `credits=price_…` for each top-up. */
export const stripePrices = z.string().transform((text, context): StripePrices => {
  const entries = text.split(',').map(entry => entryForm.exec(entry.trim()));
  const plans = new Map<PlanName, string>();
  const topUps = new Map<number, string>();
  const names = new Map<string, PlanName>(sold.map(plan => [plan, plan]));
  for (const [, name = '', credits = '', price = ''] of entries.map(match => match ?? [])) {
    const plan = names.get(name);
    if (plan) plans.set(plan, price);
    if (credits) topUps.set(Number(credits), price);
  }
  const prices = new Set([...plans.values(), ...topUps.values()]);
  if (prices.size < entries.length || entries.length > entriesMax || plans.size < sold.length) {
    context.addIssue({
      code: 'custom',
      message: `must be a comma-separated list of plan=price, with a price for each of ${sold.join(', ')}, and of credits=price for top-ups; each price is named once`,
    });
    return z.NEVER;
  }
  return { plans, topUps, planOf: keyWith(plans), creditsOf: keyWith(topUps) };
});

function keyWith<Key>(map: ReadonlyMap<Key, string>): (price: string) => Key | undefined {
  const keys = new Map([...map].map(([key, price]) => [price, key]));
  return price => keys.get(price);
}

/** The form of `STRIPE_API_URL`. Plain HTTP would show the key to everyone on the way. */
export const stripeApiUrl = z.url({ protocol: /^https?$/ }).refine(url => {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
}, 'must be an HTTPS URL, or one of this host');

const apiUrlDefault = 'https://api.stripe.com';

interface RawStripeSettings {
  readonly STRIPE_SECRET_KEY?: string | undefined;
  readonly STRIPE_WEBHOOK_SECRET?: string | undefined;
  readonly STRIPE_PRICES?: StripePrices | undefined;
  readonly STRIPE_AUTOMATIC_TAX?: boolean | undefined;
  readonly STRIPE_API_URL?: string | undefined;
}

/** The arguments for `refine` that require all settings of Stripe, or none. */
export const stripeIsWhole: [(config: RawStripeSettings) => boolean, { path: string[]; error: string }] = [
  (config: RawStripeSettings) =>
    new Set(
      [config.STRIPE_SECRET_KEY, config.STRIPE_WEBHOOK_SECRET, config.STRIPE_PRICES].map(
        each => each === undefined,
      ),
    ).size === 1,
  {
    path: ['STRIPE_SECRET_KEY'],
    error: 'must be set together with STRIPE_WEBHOOK_SECRET and STRIPE_PRICES, or none of the three',
  },
];

/** Payment by Stripe. */
export interface StripeSettings {
  readonly secretKey: string;
  readonly webhookSecret: string;
  readonly prices: StripePrices;
  readonly automaticTax: boolean;
  readonly apiUrl: string;
}

/** The settings of Stripe; undefined if the operator confirms payments. */
export function stripeOf(config: RawStripeSettings): StripeSettings | undefined {
  const {
    STRIPE_SECRET_KEY: secretKey,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_PRICES: prices,
  } = config;
  return secretKey && webhookSecret && prices
    ? {
        secretKey,
        webhookSecret,
        prices,
        automaticTax: config.STRIPE_AUTOMATIC_TAX ?? false,
        apiUrl: config.STRIPE_API_URL ?? apiUrlDefault,
      }
    : undefined;
}
