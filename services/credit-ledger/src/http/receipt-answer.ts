import type { getReceipt, OperationResult } from '@mailproof/shared-types';
import type { Receipt } from '../domain/statement.ts';

export function receiptAnswerOf(receipt: Receipt): OperationResult<typeof getReceipt> {
  return {
    ...receipt,
    openedAt: receipt.openedAt.toISOString(),
    closedAt: receipt.closedAt?.toISOString() ?? null,
  };
}
