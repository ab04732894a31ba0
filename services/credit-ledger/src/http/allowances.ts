import { type Handlers, Problem } from '@mailproof/service-kit';
import type { AllowanceStore } from '../domain/allowance.ts';

/** Handles uses of a plan's allowances. */
export function allowanceHandlers(store: AllowanceStore) {
  return {
    async takeAllowance({ body }) {
      const outcome = await store.take(body);
      if (outcome.kind === 'idReused') {
        throw new Problem('id_reused', {
          detail: 'This use was made before with another account, allowance or cause.',
        });
      }
      return { useId: body.useId, taken: outcome.taken, remaining: outcome.remaining };
    },

    async returnAllowance({ params }) {
      const outcome = await store.returnUse(params.useId);
      if (outcome.kind === 'notFound') {
        throw new Problem('allowance_use_not_found');
      }
      return { useId: params.useId, remaining: outcome.remaining };
    },

    getAllowances: async ({ params }) => ({
      allowances: (await store.allowancesOf(params.accountId)).map(allowance => ({
        ...allowance,
        cycleStartsAt: allowance.cycleStartsAt.toISOString(),
        cycleEndsAt: allowance.cycleEndsAt.toISOString(),
      })),
    }),
  } satisfies Partial<Handlers<'credit-ledger'>>;
}
