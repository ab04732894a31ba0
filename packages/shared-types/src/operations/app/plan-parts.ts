import { z } from 'zod';
import { choosablePlanNames, planNames } from '../../plans.ts';
import { credits } from '../public-parts.ts';

const count = z.int().positive();

/** A plan as shown to users. */
const shownPlan = z
  .object({
    name: z.enum(planNames),
    title: z.string(),
    api_access: z.boolean().describe('Whether the plan includes API access.'),
    credits_per_cycle: credits.describe('Credits per billing cycle; unused credits expire at its end.'),
    requests_per_second: count,
    members_max: count,
  })
  .meta({ id: 'Plan' });

/** The state of an account's plan: its cycle, its payment and a pending change. */
export const accountPlan = z
  .object({
    plan: shownPlan,
    requests_per_second: count.describe('The account’s rate limit: the plan’s, or a custom one.'),
    cycle: z
      .object({ starts_at: z.iso.datetime(), ends_at: z.iso.datetime() })
      .nullable()
      .describe('The current billing cycle; null for a few seconds until the first one starts.'),
    payment: z.object({
      state: z
        .enum(['not_needed', 'paid', 'overdue', 'lapsed'])
        .describe(
          '`overdue`: the plan stays active until `lapses_at`. `lapsed`: the account is back on the free plan.',
        ),
      paid_until: z.iso.datetime().nullable(),
      lapses_at: z.iso.datetime().nullable().describe('When the plan lapses unless it is paid.'),
      lapsed_plan: z.enum(planNames).nullable().describe('The plan that is restored once it is paid.'),
    }),
    pending_change: z
      .object({
        plan: z.enum(planNames),
        takes_effect: z.enum(['on_payment', 'at_cycle_end']),
        requested_at: z.iso.datetime(),
        effective_at: z.iso.datetime().nullable().describe('Null for a change that awaits payment.'),
      })
      .nullable(),
    online_payment: z
      .object({
        has_portal: z
          .boolean()
          .describe('Whether the payment portal can be opened: the account has ordered something online.'),
        top_ups: z.array(credits).describe('The numbers of credits for sale in addition to the plan.'),
      })
      .nullable()
      .describe('What is paid on the payment provider’s pages; null if the operator collects payments.'),
    choices: z.array(shownPlan).describe('Available plans; empty if the account has a custom plan.'),
  })
  .meta({ id: 'AccountPlan' });

/** A plan that an owner can choose without the operator. */
export const choosablePlan = z.enum(choosablePlanNames);
