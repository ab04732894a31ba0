import type { AccountId, PlanName } from '@mailproof/shared-types';

/** What a customer wants to pay for: a first month of a plan. */
export interface PaymentOrder {
  readonly accountId: AccountId;
  readonly plan: PlanName;
  readonly orderedAt: Date;
}

/** What the customer does next. */
export type PaymentInstruction =
  | { readonly kind: 'operator_confirms' }
  /** A page of a payment provider, for this customer and order alone. */
  | { readonly kind: 'pay_online'; readonly url: string };

/**
 * How plans come to be paid for. An adapter says how an order is paid; that it has been paid reaches us the other way
 * round, by `pay` in domain/billing, from the operator's command or from what a provider reports.
 */
export interface PaymentPort {
  /** Asks for payment; may be called again for the same order. Throws where the provider does not answer. */
  order(order: PaymentOrder): Promise<PaymentInstruction>;
}
