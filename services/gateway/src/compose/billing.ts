import type { RateWindows, Recurring, Route } from '@mailproof/service-kit';
import type { OutboxJob } from '@mailproof/service-kit/jobs';
import type { Pool } from 'pg';
import { createManualPayment } from '../adapters/payment/manual-payment.ts';
import { createBillingStore } from '../adapters/postgres/billing-store.ts';
import type { PrismaClient } from '../adapters/postgres/generated/client.ts';
import { createKeyStore } from '../adapters/postgres/key-store.ts';
import { createNamedKeyStore } from '../adapters/postgres/named-key-store.ts';
import type { Config } from '../config.ts';
import type { BillingStore } from '../domain/billing/billing-store.ts';
import type { KeySealer } from '../domain/keys/key-sealer.ts';
import type { SecurityEventLog } from '../domain/users/security-event.ts';
import type { Events } from '../events.ts';
import { apiKeyHandlers } from '../http/api-key.ts';
import { namedKeyHandlers } from '../http/named-keys.ts';
import { onlinePaymentHandlers } from '../http/payment.ts';
import { planHandlers } from '../http/plan.ts';
import { stripeOf } from '../stripe-settings.ts';
import { startRenewer } from '../workers/recurring.ts';
import type { PaymentParts } from './payment.ts';

export interface BillingOptions {
  readonly config: Config;
  readonly prisma: PrismaClient;
  readonly pool: Pool;
  readonly windows: RateWindows;
  readonly sealer: KeySealer;
  readonly securityEvents: SecurityEventLog;
  readonly events: Events;
  readonly now: () => Date;
}

/** Everything related to plans, their cycles and their keys. */
export interface BillingParts {
  readonly handlers: ReturnType<typeof apiKeyHandlers> &
    ReturnType<typeof namedKeyHandlers> &
    ReturnType<typeof planHandlers> &
    ReturnType<typeof onlinePaymentHandlers>;
  /** The provider's webhook, if there is a provider. */
  readonly routes: readonly Route[];
  readonly jobs: readonly OutboxJob[];
  /** Starts renewing accounts whose cycle has ended, and reconciling payments. */
  start(): readonly Recurring[];
}

export async function composeBilling(options: BillingOptions): Promise<BillingParts> {
  const { config, prisma, pool, sealer, securityEvents, events, now } = options;
  const billing = createBillingStore({ pool, prisma }, sealer);
  const keys = createKeyStore(prisma, sealer);
  const graceDays = config.BILLING_GRACE_DAYS;
  const payment = await openPayment({ ...options, billing, graceDays });
  const payments = payment?.provider ?? createManualPayment();
  const ports = { billing, payments, record: securityEvents.record, now, graceDays };
  const keyPorts = { keys, sealer, record: securityEvents.record, now };
  return {
    handlers: {
      ...apiKeyHandlers(keyPorts, events.keyCannotBeShown),
      ...namedKeyHandlers({ namedKeys: createNamedKeyStore(prisma), now }),
      ...planHandlers(ports, payment?.provider),
      ...onlinePaymentHandlers(payment?.provider),
    },
    routes: payment ? [payment.route(options.windows)] : [],
    jobs: payment?.jobs ?? [],
    start: () => [
      startRenewer(billing, {
        now,
        intervalMs: config.BILLING_RENEWAL_INTERVAL_MS,
        graceDays,
        onRenewed: events.accountRenewed,
        onFailed: events.renewalFailed,
        onRoundFailed: events.renewalRoundFailed,
      }),
      ...(payment ? [payment.start(pool, events.reconciliationNotQueued)] : []),
    ],
  };
}

/** Loads the provider's library only if it is configured: that takes as long as a third of the other modules. */
async function openPayment(
  options: BillingOptions & { readonly billing: BillingStore; readonly graceDays: number },
): Promise<PaymentParts | undefined> {
  const stripe = stripeOf(options.config);
  if (!stripe) {
    return undefined;
  }
  const { composePayment } = await import('./payment.ts');
  return composePayment({ ...options, stripe, publicBaseUrl: options.config.PUBLIC_BASE_URL });
}
