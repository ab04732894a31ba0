import { Problem } from '@mailproof/service-kit';
import type { Balance, RefundOutcome } from '../domain/ledger.ts';

/** The answer of the three operations that grant; `reused` says what the same id came with before. */
export function grantAnswerOf(outcome: RefundOutcome, reused: string): Balance {
  switch (outcome.kind) {
    case 'granted':
      return outcome.balance;
    case 'idReused':
      throw new Problem('id_reused', { detail: reused });
    case 'notFound':
      throw new Problem('receipt_not_found', { detail: 'The account has no settled run of this id.' });
    case 'exceedsSpent':
      throw new Problem('refund_exceeds_spent');
  }
}
