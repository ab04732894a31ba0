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
import { settleForRun } from '../domain/charging/charge.ts';
import type { CreditPort, CyclePort } from '../domain/charging/credit-port.ts';

const concurrencyMax = 5;

/** Starts all jobs of the gateway; `jobs` are those that its other parts contribute. */
export function startJobs({
  credits,
  jobs = [],
  ...options
}: OutboxWorkOptions & {
  readonly credits: CreditPort & CyclePort;
  readonly jobs?: readonly OutboxJob[];
}): { close(): Promise<void> } {
  return startOutboxWork(options, [
    // The ledger counts each grant, and each cycle of an account, once.
    outboxJob(grantCreditsJob, concurrencyMax, payload => credits.grant(payload)),
    outboxJob(openBillingCycleJob, concurrencyMax, payload => credits.openCycle(payload)),
    outboxJob(collectChargeJob, concurrencyMax, charge => settleForRun(credits, charge)),
    // Holds that the previous release recorded. An expired one charges nothing, and ends its job too.
    outboxJob(settleHoldJob, concurrencyMax, async ({ holdId, delivered }) => {
      await credits.settle(holdId, delivered);
    }),
    ...jobs,
  ]);
}
