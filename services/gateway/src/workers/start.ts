import {
  type OutboxJob,
  type OutboxWorkOptions,
  outboxJob,
  startOutboxWork,
} from '@mailproof/service-kit/jobs';
import {
  collectChargeJob,
  grantCreditsJob,
  openBillingCycleJob,
  settleHoldJob,
} from '@mailproof/shared-types';
import type { CreditPort, CyclePort } from '../domain/charging/credit-port.ts';
import { collectChargeHandler } from './collect-charge.ts';
import { grantCreditsHandler } from './grant-credits.ts';
import { openBillingCycleHandler } from './open-billing-cycle.ts';
import { settleHoldHandler } from './settle-hold.ts';

const concurrencyMax = 5;

/** Starts all background work of the gateway; `jobs` are those that its other parts contribute. */
export function startBackgroundWork(
  options: OutboxWorkOptions & {
    readonly credits: CreditPort & CyclePort;
    readonly jobs?: readonly OutboxJob[];
  },
): { close(): Promise<void> } {
  return startOutboxWork(options, [
    outboxJob(grantCreditsJob, concurrencyMax, grantCreditsHandler(options.credits)),
    outboxJob(openBillingCycleJob, concurrencyMax, openBillingCycleHandler(options.credits)),
    outboxJob(collectChargeJob, concurrencyMax, collectChargeHandler(options.credits)),
    outboxJob(settleHoldJob, concurrencyMax, settleHoldHandler(options.credits)),
    ...(options.jobs ?? []),
  ]);
}
