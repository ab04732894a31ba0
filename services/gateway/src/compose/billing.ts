import type { Recurring, Route } from '@mailproof/service-kit';
import { createManualPayment } from '../adapters/payment/manual-payment.ts';
import { createBillingStore } from '../adapters/postgres/billing-store.ts';
import type { PrismaClient } from '../adapters/postgres/generated/client.ts';
import { createKeyStore } from '../adapters/postgres/key-store.ts';
import type { Config } from '../config.ts';
import { cancelPlanChange, requestPlanChange } from '../domain/billing/request-plan-change.ts';
import type { KeySealer } from '../domain/keys/key-sealer.ts';
import type { SecurityEventLog } from '../domain/users/security-event.ts';
import type { Events } from '../events.ts';
import { cancelPlanChangeRoute } from '../http/cancel-plan-change.ts';
import { changePlanRoute } from '../http/change-plan.ts';
import { getApiKeyRoute } from '../http/get-api-key.ts';
import { getPlanRoute } from '../http/get-plan.ts';
import type { SessionGuard } from '../http/guards/session-guard.ts';
import { regenerateApiKeyRoute } from '../http/regenerate-api-key.ts';
import { startRenewer } from '../workers/renew-accounts.ts';

export interface BillingOptions {
  readonly config: Config;
  readonly prisma: PrismaClient;
  readonly sealer: KeySealer;
  readonly sessionGuard: SessionGuard;
  readonly securityEvents: SecurityEventLog;
  readonly events: Events;
  readonly now: () => Date;
}

/** Everything about plans, their cycles, and the keys that come with them. */
export interface BillingParts {
  readonly routes: readonly Route[];
  /** Begins to renew accounts whose cycle is over. */
  startRenewing(): Recurring;
}

export function composeBilling(options: BillingOptions): BillingParts {
  const { config, prisma, sealer, sessionGuard, securityEvents, events, now } = options;
  const billing = createBillingStore(prisma, sealer);
  const keys = createKeyStore(prisma, sealer);
  const graceDays = config.BILLING_GRACE_DAYS;
  const ports = { billing, payments: createManualPayment(), record: securityEvents.record, now, graceDays };
  const keyPorts = { keys, sealer, record: securityEvents.record, now };
  return {
    routes: [
      getApiKeyRoute(sessionGuard, keyPorts, events.keyCannotBeShown),
      regenerateApiKeyRoute(sessionGuard, keyPorts),
      getPlanRoute(sessionGuard, { billing, now, graceDays }),
      changePlanRoute(sessionGuard, (caller, plan) => requestPlanChange(ports, caller, plan), ports),
      cancelPlanChangeRoute(sessionGuard, caller => cancelPlanChange(ports, caller), ports),
    ],
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
