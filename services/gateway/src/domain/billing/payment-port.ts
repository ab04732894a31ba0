import type { AccountId, PlanName } from '@mailproof/shared-types';
import type { Subscription, SubscriptionChange } from './subscription.ts';

/** An order for the first month of a plan. */
export interface PaymentOrder {
  readonly accountId: AccountId;
  readonly plan: PlanName;
  readonly orderedAt: Date;
}

/** The customer's next step to pay. */
export type PaymentInstruction =
  | { readonly kind: 'operator_confirms' }
  /** The payment provider's page for this customer and order only. */
  | { readonly kind: 'pay_online'; readonly url: string };

/**
 * How plans are paid for. An adapter says how to pay an order. The payment itself arrives separately, through the steps
 * of domain/billing, from the operator's command or a provider's report.
 */
export interface PaymentPort {
  /** Requests payment; safe to repeat for the same order. Throws if the provider does not answer. */
  order(order: PaymentOrder): Promise<PaymentInstruction>;
}

/** A provider that collects payments. Every method throws a problem with status 503 if it does not answer. */
export interface PaymentProvider extends PaymentPort {
  /** The numbers of credits that a customer can buy in addition to the plan. */
  readonly topUps: readonly number[];
  /** Returns the provider's page where the account buys that many credits. */
  buyCredits(accountId: AccountId, credits: number): Promise<string>;
  /** Returns the provider's page for invoices and means of payment; undefined for an account without any. */
  portal(accountId: AccountId): Promise<string | undefined>;
  /** Reads an invoice; undefined if the provider has none with this id. */
  invoice(invoiceId: string): Promise<Invoice | undefined>;
  /** The paid invoices that were created since a time, page by page. */
  paidInvoices(since: Date): AsyncIterable<readonly Invoice[]>;
  /** The customer's subscriptions that can still collect money, the newest first. */
  subscriptions(customerId: string): Promise<Subscription[]>;
  changeSubscription(change: SubscriptionChange): Promise<void>;
  /** The pages where the customer can still pay. */
  openOrders(customerId: string): Promise<OpenOrder[]>;
  /** Closes such a page; does nothing if it was paid or closed before. */
  endOrder(orderId: string): Promise<void>;
}

export interface OpenOrder {
  readonly orderId: string;
  /** Absent for a top-up. */
  readonly plan: string | undefined;
  /** The time of the order, as `toISOString` writes it. */
  readonly orderedAt: string | undefined;
}

/** A verified event of the provider. */
export interface PaymentEvent {
  readonly type: string;
  /** The invoice that has been paid, if the event says that. */
  readonly paidInvoiceId: string | undefined;
}

/** A provider's invoice, in our terms. */
export interface Invoice {
  readonly invoiceId: string;
  readonly isPaid: boolean;
  /** The account that the invoice names, in any form; absent if it names none. */
  readonly accountId: string | undefined;
  /** What it pays for; absent if that is none of our products. */
  readonly buys: Purchase | 'several' | undefined;
}

export type Purchase =
  | { readonly kind: 'plan'; readonly plan: PlanName; readonly months: number }
  | { readonly kind: 'top_up'; readonly credits: number };
