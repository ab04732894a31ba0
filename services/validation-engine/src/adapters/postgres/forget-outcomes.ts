import type { AccountId } from '@mailproof/shared-types';
import type { PrismaClient } from './generated/client.ts';

/** Rows of one request, so that each is a short statement and an account of any size can be forgotten. */
const rowsAtOnceMax = 5_000;

/** Deletes outcomes of a deleted account, and tells how many and whether there may be more. */
export function createForgetOutcomes(prisma: PrismaClient) {
  return async (accountId: AccountId): Promise<{ deleted: number; remaining: boolean }> => {
    const deleted = await prisma.$executeRaw`
      DELETE FROM outcome WHERE outcome_id IN (
        SELECT outcome_id FROM outcome WHERE account_id = ${accountId} LIMIT ${rowsAtOnceMax})`;
    return { deleted, remaining: deleted === rowsAtOnceMax };
  };
}
