import { type Handlers, Problem } from '@mailproof/service-kit';
import { limits, newId } from '@mailproof/shared-types';
import type { Balance, LedgerStore, RefundOutcome } from '../domain/ledger.ts';

/** Handles grants, billing cycles and refunds. */
export function grantHandlers(store: Pick<LedgerStore, 'grant' | 'openCycle' | 'refund'>) {
  return {
    async grantCredits({ body }) {
      const expiresAt = body.expiresAt === null ? null : new Date(body.expiresAt);
      return grantAnswerOf(
        await store.grant({ ...body, expiresAt }),
        'A grant with this id exists with a different account, kind, amount, expiry or cause.',
      );
    },

    async openBillingCycle({ body }) {
      const cycle = {
        ...body,
        startsAt: new Date(body.startsAt),
        endsAt: new Date(body.endsAt),
        grantId: newId('creditGrant'),
      };
      return grantAnswerOf(
        await store.openCycle(cycle),
        'A cycle with this start exists with a different end, credits, allowances or cause.',
      );
    },

    refundCredits: async ({ body }) =>
      grantAnswerOf(
        await store.refund({ ...body, grantId: newId('creditGrant'), validDays: limits.refundDays }),
        'A refund with this id exists with a different account, run, amount or cause.',
      ),
  } satisfies Partial<Handlers<'credit-ledger'>>;
}

/** The answer of the three granting operations; `reused` describes the earlier use of the same id. */
function grantAnswerOf(outcome: RefundOutcome, reused: string): Balance {
  switch (outcome.kind) {
    case 'granted':
      return outcome.balance;
    case 'idReused':
      throw new Problem('id_reused', { detail: reused });
    case 'notFound':
      throw new Problem('receipt_not_found', { detail: 'The account has no settled run with this id.' });
    case 'exceedsSpent':
      throw new Problem('refund_exceeds_spent');
  }
}
