import type { PaymentPort } from '../../domain/billing/payment-port.ts';

/** Payment that the operator watches over: an order waits until `pnpm ops account pay` says that it has come in. */
export function createManualPayment(): PaymentPort {
  return { order: async () => ({ kind: 'operator_confirms' }) };
}
