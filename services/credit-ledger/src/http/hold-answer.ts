import { Problem } from '@mailproof/service-kit';
import type { createHold, OperationResult } from '@mailproof/shared-types';
import type { Hold, ResolveOutcome } from '../domain/ledger.ts';

export function holdAnswerOf(hold: Hold): OperationResult<typeof createHold> {
  return { ...hold, expiresAt: hold.expiresAt.toISOString() };
}

/** The answer of the operations that resolve or renew a hold. */
export function resolveAnswerOf(outcome: ResolveOutcome): OperationResult<typeof createHold> {
  switch (outcome.kind) {
    case 'resolved':
      return holdAnswerOf(outcome.hold);
    case 'notFound':
      throw new Problem('hold_not_found');
    case 'notPending':
      throw new Problem('hold_not_pending', { detail: `The hold is ${outcome.state}.` });
    case 'idReused':
      throw new Problem('id_reused', {
        detail: 'The hold was settled with another number of credits, or the number exceeds its amount.',
      });
  }
}
