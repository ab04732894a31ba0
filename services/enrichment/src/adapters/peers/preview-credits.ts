import type { RunCredits } from '@mailproof/durable-work';
import type { OperationClient } from '@mailproof/service-kit';
import { getAllowances, isSandboxAccount, returnAllowance, takeAllowance } from '@mailproof/shared-types';
import type { PreviewCredits } from '../../domain/discovery/filter-search-store.ts';

const allowanceName = 'people_preview';
/** How long storing a preview and collecting its charge may take, in milliseconds. */
const holdMs = 600_000;
/** The number of holds that released or crashed attempts may have left for one preview. */
const holdsMax = 20;
/** The free previews that test keys see; nothing uses them up, and the ledger does not know their account (ADR 0073). */
const sandboxPreviews = 50;

/** Accesses the allowances and credits of previews in the ledger, over HTTP. */
export function createPreviewCredits(
  ledger: OperationClient,
  credits: Pick<RunCredits, 'hold' | 'release'>,
  callDeadlineMs: number,
): PreviewCredits {
  const options = { deadlineMs: callDeadlineMs };
  return {
    async allowance(accountId) {
      if (isSandboxAccount(accountId)) {
        return { left: sandboxPreviews, cycleStartsAt: undefined };
      }
      const { allowances } = await ledger.call(
        getAllowances,
        { params: { accountId }, body: undefined },
        options,
      );
      const found = allowances.find(({ allowance }) => allowance === allowanceName);
      return { left: found ? found.limit - found.used : 0, cycleStartsAt: found?.cycleStartsAt };
    },
    async takeAllowance(accountId, useId, cause) {
      if (isSandboxAccount(accountId)) {
        return { taken: true, left: sandboxPreviews };
      }
      const body = { useId, accountId, allowance: allowanceName, cause } as const;
      const { taken, remaining } = await ledger.call(takeAllowance, { params: {}, body }, options);
      return { taken, left: remaining };
    },
    async hold(accountId, purpose, amount, cause) {
      for (let attempt = 1; attempt <= holdsMax; attempt += 1) {
        const outcome = await credits.hold({
          accountId,
          receiptId: attempt === 1 ? purpose : `${purpose}.${attempt}`,
          amount,
          cause,
          requestId: null,
          expiresInMs: holdMs,
        });
        if (outcome.kind !== 'over') {
          return outcome;
        }
      }
      throw new Error(`The preview ${purpose} has had ${holdsMax} holds.`);
    },
    async refund(accountId, payment) {
      if (isSandboxAccount(accountId)) return;
      if (payment.kind === 'allowance') {
        await ledger.call(returnAllowance, { params: { useId: payment.useId }, body: undefined }, options);
      } else if (payment.kind === 'credits') {
        await credits.release(payment.holdId);
      }
    },
  };
}
