import type { AccountId } from '@mailproof/shared-types';
import type { PrismaClient } from './generated/client.ts';

/** Gives an account another name. */
export function createRenameAccount(prisma: PrismaClient) {
  return async (accountId: AccountId, name: string): Promise<void> => {
    await prisma.account.updateMany({ where: { accountId }, data: { name } });
  };
}
