import type { AccountId } from '@mailproof/shared-types';
import { AccountDeleted } from '../../domain/accounts/account.ts';
import type { PrismaClient } from './generated/client.ts';

/** Renames an account. */
export function createRenameAccount(prisma: PrismaClient) {
  return async (accountId: AccountId, name: string): Promise<void> => {
    const { count } = await prisma.account.updateMany({ where: { accountId }, data: { name } });
    if (count === 0) {
      throw new AccountDeleted(accountId);
    }
  };
}
