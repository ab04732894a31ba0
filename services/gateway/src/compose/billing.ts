import type { Recurring } from '@mailproof/service-kit';
import { createManualPayment } from '../adapters/payment/manual-payment.ts';
import { createBillingStore } from '../adapters/postgres/billing-store.ts';
import type { PrismaClient } from '../adapters/postgres/generated/client.ts';
import { createKeyStore } from '../adapters/postgres/key-store.ts';
import { createNamedKeyStore } from '../adapters/postgres/named-key-store.ts';
import type { Config } from '../config.ts';
import type { KeySealer } from '../domain/keys/key-sealer.ts';
import type { SecurityEventLog } from '../domain/users/security-event.ts';
import type { Events } from '../events.ts';
import { apiKeyHandlers } from '../http/api-key.ts';
import { namedKeyHandlers } from '../http/named-keys.ts';
import { planHandlers } from '../http/plan.ts';
import { startRenewer } from '../workers/recurring.ts';

export interface BillingOptions {
  readonly config: Config;
  readonly prisma: PrismaClient;
  readonly sealer: KeySealer;
  readonly securityEvents: SecurityEventLog;
  readonly events: Events;
  readonly now: () => Date;
}

/** Everything related to plans, their cycles and their keys. */
export interface BillingParts {
  readonly handlers: ReturnType<typeof apiKeyHandlers> &
    ReturnType<typeof namedKeyHandlers> &
    ReturnType<typeof planHandlers>;
  /** Starts renewing accounts whose cycle has ended. */
  startRenewing(): Recurring;
}

export function composeBilling(options: BillingOptions): BillingParts {
  const { config, prisma, sealer, securityEvents, events, now } = options;
  const billing = createBillingStore(prisma, sealer);
  const keys = createKeyStore(prisma, sealer);
  const graceDays = config.BILLING_GRACE_DAYS;
  const ports = { billing, payments: createManualPayment(), record: securityEvents.record, now, graceDays };
  const keyPorts = { keys, sealer, record: securityEvents.record, now };
  return {
    handlers: {
      ...apiKeyHandlers(keyPorts, events.keyCannotBeShown),
      ...namedKeyHandlers({ namedKeys: createNamedKeyStore(prisma), now }),
      ...planHandlers(ports),
    },
    startRenewing: () =>
      startRenewer(billing, {
        now,
        intervalMs: config.BILLING_RENEWAL_INTERVAL_MS,
        graceDays,
        onRenewed: events.accountRenewed,
        onFailed: events.renewalFailed,
        onRoundFailed: events.renewalRoundFailed,
      }),
  };
}
