import { type RateWindows, type Recurring, type Route, startRecurring } from '@mailproof/service-kit';
import { type OutboxJob, outboxJob } from '@mailproof/service-kit/jobs';
import { alignSubscriptionsJob, reconcilePaymentsJob } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { createEventVerifier } from '../adapters/payment/stripe-events.ts';
import { createStripePayment, openStripe } from '../adapters/payment/stripe-payment.ts';
import { queueReconciliation } from '../adapters/postgres/billing-store.ts';
import type { PrismaClient } from '../adapters/postgres/generated/client.ts';
import { createStripeCustomers } from '../adapters/postgres/stripe-customers.ts';
import { alignSubscriptions } from '../domain/billing/align-subscriptions.ts';
import type { BillingStore } from '../domain/billing/billing-store.ts';
import type { PaymentProvider } from '../domain/billing/payment-port.ts';
import {
  type PaymentEvents,
  type Reconciliation,
  receivePayment,
  reconcilePayments,
} from '../domain/billing/receive-payment.ts';
import { paymentRoute } from '../http/payment.ts';
import type { StripeSettings } from '../stripe-settings.ts';

export interface PaymentOptions {
  readonly stripe: StripeSettings;
  readonly publicBaseUrl: string;
  readonly prisma: PrismaClient;
  readonly billing: BillingStore;
  readonly graceDays: number;
  readonly events: PaymentEvents;
  readonly now: () => Date;
}

/** Payment by Stripe (ADR 0089). */
export interface PaymentParts {
  readonly provider: PaymentProvider;
  readonly jobs: readonly OutboxJob[];
  route(rateLimiter: RateWindows): Route;
  /** Reads the paid invoices of the last days, and records the payments that are absent. */
  reconcile(days?: number): Promise<Reconciliation>;
  /** Has payments reconciled each night. */
  start(pool: Pool, onFailed: (error: unknown) => void): Recurring;
}

/** An invoice can be paid this long after its creation: Stripe's longest retry schedule is two months. */
export const reconciledDaysDefault = 65;
const dayMs = 86_400_000;
const queueEveryMs = 3_600_000;
const alignedAtOnceMax = 2;

export function composePayment(options: PaymentOptions): PaymentParts {
  const { stripe, prisma, now } = options;
  const provider = createStripePayment({
    ...stripe,
    planUrl: `${options.publicBaseUrl}/app/account`,
    customers: createStripeCustomers(prisma),
  });
  const ports = { ...options, provider };
  const reconcile = (days = reconciledDaysDefault) =>
    reconcilePayments(ports, new Date(now().getTime() - days * dayMs));
  return {
    provider,
    jobs: [
      outboxJob(alignSubscriptionsJob, alignedAtOnceMax, ({ accountId, customerId }) =>
        alignSubscriptions(ports, accountId, customerId),
      ),
      outboxJob(reconcilePaymentsJob, 1, async () => {
        await reconcile();
      }),
    ],
    route: rateLimiter =>
      paymentRoute({
        rateLimiter,
        verify: createEventVerifier(openStripe(stripe), stripe.webhookSecret),
        async receive({ paidInvoiceId }) {
          if (paidInvoiceId !== undefined) {
            await receivePayment(ports, paidInvoiceId);
          }
        },
      }),
    reconcile,
    start: (pool, onFailed) =>
      startRecurring({ everyMs: queueEveryMs, work: () => queueReconciliation(pool), onFailed }),
  };
}
