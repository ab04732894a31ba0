import type { PaymentPort } from '../../domain/billing/payment-port.ts';

/** Payment confirmed by the operator: an order waits until `pnpm ops account pay` records its payment. */
export function createManualPayment(): PaymentPort {
  return { order: async () => ({ kind: 'operator_confirms' }) };
}
