import { AccountDeleted } from '../../domain/accounts/account.ts';
import type { StripeCustomers } from '../payment/stripe-payment.ts';
import type { PrismaClient } from './generated/client.ts';

/** The Stripe customers of accounts, on Postgres. */
export function createStripeCustomers(prisma: PrismaClient): StripeCustomers {
  const find: StripeCustomers['find'] = async accountId => {
    const row = await prisma.account.findUnique({ where: { accountId }, select: { stripeCustomerId: true } });
    if (!row) {
      throw new AccountDeleted(accountId);
    }
    return row.stripeCustomerId ?? undefined;
  };
  return {
    find,
    async keep(accountId, stripeCustomerId) {
      // Another request may have stored one first.
      await prisma.account.updateMany({
        where: { accountId, stripeCustomerId: null },
        data: { stripeCustomerId },
      });
      return (await find(accountId)) ?? stripeCustomerId;
    },
  };
}
