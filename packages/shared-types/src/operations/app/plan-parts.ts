import { z } from 'zod';
import { choosablePlanNames, planNames } from '../../plans.ts';
import { credits } from '../public-parts.ts';

const count = z.int().positive();

/** A plan as people choose it. */
const shownPlan = z
  .object({
    name: z.enum(planNames),
    title: z.string(),
    api_access: z.boolean().describe('Whether the account has an API key that works.'),
    credits_per_cycle: credits.describe('Credits of each billing cycle; what is left expires at its end.'),
    requests_per_second: count,
    members_max: count,
  })
  .meta({ id: 'Plan' });

/** How an account stands with its plan. */
export const accountPlan = z
  .object({
    plan: shownPlan,
    requests_per_second: count.describe('The account’s own rate: its plan’s, or what was agreed with it.'),
    cycle: z
      .object({ starts_at: z.iso.datetime(), ends_at: z.iso.datetime() })
      .nullable()
      .describe('The current billing cycle; null for the seconds until the first one has begun.'),
    payment: z.object({
      state: z
        .enum(['not_needed', 'paid', 'overdue', 'lapsed'])
        .describe(
          '`overdue`: the plan goes on until `lapses_at`. `lapsed`: the account fell back to the free plan.',
        ),
      paid_until: z.iso.datetime().nullable(),
      lapses_at: z.iso.datetime().nullable().describe('When the plan lapses unless it is paid.'),
      lapsed_plan: z.enum(planNames).nullable().describe('The plan that comes back once it is paid.'),
    }),
    pending_change: z
      .object({
        plan: z.enum(planNames),
        takes_effect: z.enum(['on_payment', 'at_cycle_end']),
        requested_at: z.iso.datetime(),
        effective_at: z.iso.datetime().nullable().describe('Null for a change that awaits its payment.'),
      })
      .nullable(),
    choices: z.array(shownPlan).describe('Plans to choose from; none where the plan is by agreement.'),
  })
  .meta({ id: 'AccountPlan' });

/** A plan that an owner may choose without the operator. */
export const choosablePlan = z.enum(choosablePlanNames);
