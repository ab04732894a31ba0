import { z } from 'zod';
import { discoveryRunId, discoverySearchId, savedListId, userId } from '../ids.ts';

export const searchKinds = ['people', 'lookalikes'] as const;

export type SearchKind = (typeof searchKinds)[number];

export const runStates = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const;

export type RunState = (typeof runStates)[number];

/** Why a run has failed. What it had delivered by then stays, and is charged. */
export const runFailures = {
  credits_exhausted:
    'The credits that were set aside were lost, and the account has too few to replace them.',
  could_not_continue: 'Delivering went wrong again and again.',
  timed_out: 'What the run needs did not answer for a day.',
} as const;

export type RunFailure = keyof typeof runFailures;

const count = z.int().nonnegative();
const credits = z.int().nonnegative();

/** A paid run of a search. */
export const discoveryRun = z
  .object({
    run_id: discoveryRunId,
    search_id: discoverySearchId,
    kind: z.enum(searchKinds).describe('What the search is for.'),
    state: z
      .enum(runStates)
      .describe(
        '`queued` and `running` are under way; the others are ends. What was delivered stays in each of them.',
      ),
    cancel_requested: z.boolean().describe('True from the request to cancel on; nothing more is delivered.'),
    requested: count.describe('Records that the run may deliver.'),
    delivered: count.describe('Records delivered so far; these alone are charged.'),
    progress: z.number().min(0).max(1).describe('Delivered of requested; 1 when the run has ended.'),
    per_second: z
      .number()
      .nonnegative()
      .nullable()
      .describe('Records delivered in a second, on the average.'),
    seconds_left: count.nullable().describe('Estimated; null while nothing can be said.'),
    price: credits.describe('Credits for each delivered record.'),
    reserved: credits.describe('Credits that were set aside for the run.'),
    spent: credits.nullable().describe('Null until the run has ended.'),
    returned: credits.nullable().describe('What was reserved and not spent. Null until the run has ended.'),
    receipt_id: z
      .string()
      .describe(
        'Under this id the receipt of the run is found: the run’s own, unless its credits had to be set aside anew.',
      ),
    failure: z
      .object({
        code: z.enum(Object.keys(runFailures) as [RunFailure, ...RunFailure[]]).describe('For programs.'),
        detail: z.string().describe('The same in words.'),
      })
      .nullable()
      .describe('Why it has failed. Null unless `state` is `failed`.'),
    list_id: savedListId.nullable().describe('The list that gets what is delivered.'),
    has_more: z.boolean().nullable().describe('Whether the search had more to deliver. Null until the end.'),
    created_by: userId.describe('Who started it.'),
    created_at: z.iso.datetime().describe('When it was asked for.'),
    started_at: z.iso
      .datetime()
      .nullable()
      .describe('When its first records were looked for. Null while it is queued.'),
    ended_at: z.iso.datetime().nullable().describe('Null until the run has ended.'),
    version: z.int().positive().describe('Grows with every change.'),
  })
  .meta({ id: 'DiscoveryRun' });

export type DiscoveryRun = z.output<typeof discoveryRun>;
