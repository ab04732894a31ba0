import { type OutboxJob, type OutboxWorkOptions, outboxJob, startOutboxWork } from '@mailproof/service-kit';
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

const atOnceMax = 5;

/** Starts everything that the gateway does behind its answers; `jobs` are those that other parts of it bring along. */
export function startBackgroundWork(
  options: OutboxWorkOptions & {
    readonly credits: CreditPort & CyclePort;
    readonly jobs?: readonly OutboxJob[];
  },
): { close(): Promise<void> } {
  return startOutboxWork(options, [
    outboxJob(grantCreditsJob, atOnceMax, grantCreditsHandler(options.credits)),
    outboxJob(openBillingCycleJob, atOnceMax, openBillingCycleHandler(options.credits)),
    outboxJob(collectChargeJob, atOnceMax, collectChargeHandler(options.credits)),
    outboxJob(settleHoldJob, atOnceMax, settleHoldHandler(options.credits)),
    ...(options.jobs ?? []),
  ]);
}
