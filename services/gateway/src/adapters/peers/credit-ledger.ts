import { type OperationClient, Problem } from '@mailproof/service-kit';
import {
  createHold,
  getBalance,
  grantCredits,
  openBillingCycle,
  releaseHold,
  settleHold,
} from '@mailproof/shared-types';
import type { CreditPort, CyclePort } from '../../domain/charging/credit-port.ts';

/** The credit ledger over HTTP. */
export function createCreditLedgerClient(
  client: OperationClient,
  settings: { callDeadlineMs: number; holdExpiresInMs: number },
): CreditPort & CyclePort {
  const options = { deadlineMs: settings.callDeadlineMs };
  return {
    async available(accountId) {
      const balance = await client.call(getBalance, { params: { accountId }, body: undefined }, options);
      return balance.available;
    },
    async grant(body) {
      await client.call(grantCredits, { params: {}, body }, options);
    },
    async openCycle(body) {
      await client.call(openBillingCycle, { params: {}, body }, options);
    },
    async reserve({ accountId, runId, holdRunId, amount, cause }) {
      const body = {
        accountId,
        runId: holdRunId,
        amount,
        cause,
        requestId: runId,
        expiresInMs: settings.holdExpiresInMs,
      };
      return client.call(createHold, { params: {}, body }, options);
    },
    async settle(holdId, delivered) {
      try {
        const hold = await client.call(settleHold, { params: { holdId }, body: { delivered } }, options);
        return hold.available;
      } catch (error) {
        if (error instanceof Problem && error.code === 'hold_not_pending') {
          return undefined;
        }
        throw error;
      }
    },
    async release(holdId) {
      const hold = await client.call(releaseHold, { params: { holdId }, body: undefined }, options);
      return hold.available;
    },
  };
}
