import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { accountPlan, choosablePlan } from './plan-parts.ts';
import { ownerOnly } from './view-parts.ts';

/** Requests a change to another plan. */
export const changePlan = defineOperation({
  id: 'change-plan',
  method: 'post',
  path: '/app/v1/plan/change',
  summary: 'Request a plan change',
  tag: 'Plan',
  description:
    'An upgrade is `requested`: it takes effect once it is paid, with a new billing cycle, and `payment` says how to pay. A downgrade is `scheduled` for the end of the billing cycle. A later request replaces an earlier one.',
  answeredBy: 'gateway',
  access: ownerOnly('purchase'),
  body: z.strictObject({ plan: choosablePlan }),
  success: {
    status: 200,
    description: 'The change is pending.',
    schema: z.object({
      state: z.enum(['requested', 'scheduled']),
      payment: z
        .discriminatedUnion('kind', [
          z.object({ kind: z.literal('operator_confirms') }),
          z.object({ kind: z.literal('pay_online'), url: z.url() }),
        ])
        .nullable()
        .describe('The next step: wait for the operator to confirm the payment, or pay on the given page.'),
      account_plan: accountPlan,
    }),
  },
  repeatable: true,
  problems: ['plan_change_not_possible'],
});
