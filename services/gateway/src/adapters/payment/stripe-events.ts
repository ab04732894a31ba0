import type Stripe from 'stripe';
import type { PaymentEvent } from '../../domain/billing/payment-port.ts';

/** How old a signature can be, in seconds: a recorded request cannot be sent again later. */
const toleranceSeconds = 300;

/**
 * Verifies the signature of an event. Only its type and the invoice's id are used: the invoice itself is read from
 * Stripe, so the order of events and the version of their form do not matter.
 */
export function createEventVerifier(stripe: Stripe, secret: string) {
  return (content: Uint8Array, signature: string): PaymentEvent | undefined => {
    try {
      const event = stripe.webhooks.constructEvent(content, signature, secret, toleranceSeconds);
      const paid = event.type === 'invoice.paid' ? event.data.object.id : undefined;
      return { type: event.type, paidInvoiceId: paid };
    } catch {
      return undefined;
    }
  };
}
