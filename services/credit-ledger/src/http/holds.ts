import { type Handlers, Problem } from '@mailproof/service-kit';
import { type createHold, newId, type OperationResult } from '@mailproof/shared-types';
import type { Hold, LedgerStore, ResolveOutcome } from '../domain/ledger.ts';

/** Handles holds of credits for runs, and their resolution. */
export function holdHandlers(
  store: Pick<LedgerStore, 'hold' | 'renew' | 'settle' | 'release'>,
  onRefused: () => void,
) {
  return {
    async createHold({ body }) {
      const outcome = await store.hold({ ...body, holdId: newId('hold') });
      switch (outcome.kind) {
        case 'held':
          return holdAnswerOf(outcome.hold);
        case 'creditsExhausted':
          onRefused();
          throw new Problem('credits_exhausted', {
            detail: `The request needs ${body.amount} credits; ${outcome.available} are available.`,
            extra: { required: body.amount, available: outcome.available },
          });
        case 'idReused':
          throw new Problem('id_reused', {
            detail: 'A different request has already reserved credits for this run.',
          });
      }
    },

    renewHold: async ({ params, body }) =>
      resolveAnswerOf(await store.renew(params.holdId, body.expiresInMs)),

    settleHold: async ({ params, body }) =>
      resolveAnswerOf(await store.settle(params.holdId, body.delivered)),

    releaseHold: async ({ params }) => resolveAnswerOf(await store.release(params.holdId)),
  } satisfies Partial<Handlers<'credit-ledger'>>;
}

function holdAnswerOf(hold: Hold): OperationResult<typeof createHold> {
  return { ...hold, expiresAt: hold.expiresAt.toISOString() };
}

/** The answer of the operations that resolve or renew a hold. */
function resolveAnswerOf(outcome: ResolveOutcome): OperationResult<typeof createHold> {
  switch (outcome.kind) {
    case 'resolved':
      return holdAnswerOf(outcome.hold);
    case 'notFound':
      throw new Problem('hold_not_found');
    case 'notPending':
      throw new Problem('hold_not_pending', { detail: `The hold is ${outcome.state}.` });
    case 'idReused':
      throw new Problem('id_reused', {
        detail: 'The hold was settled with a different number of credits, or the number exceeds its amount.',
      });
  }
}
