import type { AccountId, PlanName } from '@mailproof/shared-types';

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
 * How plans are paid for. An adapter says how to pay an order. The payment itself arrives separately, through `pay` in
 * domain/billing, from the operator's command or a provider's report.
 */
export interface PaymentPort {
  /** Requests payment; safe to repeat for the same order. Throws if the provider does not answer. */
  order(order: PaymentOrder): Promise<PaymentInstruction>;
}
