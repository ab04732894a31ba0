import type { Handlers } from '@mailproof/service-kit';
import type { AccountId } from '@mailproof/shared-types';

export interface CreditThresholds {
  find(accountId: AccountId): Promise<number | null>;
  set(accountId: AccountId, threshold: number | null): Promise<void>;
}

/** The credits below which an account is told. */
export function creditThresholdHandlers(thresholds: CreditThresholds) {
  return {
    getCreditThreshold: async ({ params: { accountId } }) => ({
      threshold: await thresholds.find(accountId),
    }),

    async putCreditThreshold({ params: { accountId }, body: { threshold } }) {
      await thresholds.set(accountId, threshold);
      return { threshold };
    },
  } satisfies Partial<Handlers<'credit-ledger'>>;
}
