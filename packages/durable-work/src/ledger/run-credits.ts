import { type OperationClient, Problem } from '@mailproof/service-kit';
import { createHold, type ProblemCode, releaseHold, renewHold, settleHold } from '@mailproof/shared-types';
import type { RunCredits } from '../run-ports.ts';

/** Credit holds in the ledger, over HTTP. */
export function createRunCredits(ledger: OperationClient, callDeadlineMs: number): RunCredits {
  const options = { deadlineMs: callDeadlineMs };
  return {
    async hold({ accountId, receiptId, amount, cause, requestId, expiresInMs }) {
      const body = {
        accountId,
        runId: receiptId,
        amount,
        cause,
        ...(requestId !== null && { requestId }),
        expiresInMs,
      };
      try {
        const hold = await ledger.call(createHold, { params: {}, body }, options);
        return hold.state === 'pending'
          ? { kind: 'held', holdId: hold.holdId, expiresAt: new Date(hold.expiresAt) }
          : { kind: 'over' };
      } catch (error) {
        if (isProblem(error, 'credits_exhausted')) {
          return { kind: 'refused', available: error.extra.available ?? 0 };
        }
        if (isProblem(error, 'id_reused')) {
          return { kind: 'over' };
        }
        throw error;
      }
    },
    async renew(holdId, expiresInMs) {
      try {
        const hold = await ledger.call(renewHold, { params: { holdId }, body: { expiresInMs } }, options);
        return { expiresAt: new Date(hold.expiresAt) };
      } catch (error) {
        return lostOr(error);
      }
    },
    async settle(holdId, amount) {
      try {
        await ledger.call(settleHold, { params: { holdId }, body: { delivered: amount } }, options);
        return 'settled';
      } catch (error) {
        return lostOr(error);
      }
    },
    async release(holdId) {
      try {
        await ledger.call(releaseHold, { params: { holdId }, body: undefined }, options);
      } catch (error) {
        lostOr(error);
      }
    },
  };
}

/** A hold that a restored ledger does not know is lost, like an expired one. */
function lostOr(error: unknown): 'lost' {
  if (isProblem(error, 'hold_not_pending') || isProblem(error, 'hold_not_found')) {
    return 'lost';
  }
  throw error;
}

function isProblem(error: unknown, code: ProblemCode): error is Problem {
  return error instanceof Problem && error.code === code;
}
