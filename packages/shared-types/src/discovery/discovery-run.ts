import { z } from 'zod';
import { creatorId, discoveryRunId, discoverySearchId, savedListId } from '../ids.ts';

export const searchKinds = ['people', 'lookalikes', 'companies'] as const;

export type SearchKind = (typeof searchKinds)[number];

export const runStates = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const;

export type RunState = (typeof runStates)[number];

/** The reasons why a run failed. Records that it delivered before the failure are kept and charged. */
export const runFailures = {
  credits_exhausted: 'The reserved credits expired, and the account has too few to reserve them again.',
  could_not_continue: 'The run failed repeatedly.',
  timed_out: 'A required service was unavailable for a day.',
} as const;

export type RunFailure = keyof typeof runFailures;

const count = z.int().nonnegative();
const credits = z.int().nonnegative();

/** A paid run of a search. */
export const discoveryRun = z
  .object({
    run_id: discoveryRunId,
    search_id: discoverySearchId,
    kind: z.enum(searchKinds).describe('What the search finds.'),
    state: z
      .enum(runStates)
      .describe(
        '`queued` and `running` are in progress; the other states are final. Delivered records are kept in every state.',
      ),
    cancel_requested: z.boolean().describe('True once cancellation is requested; nothing more is delivered.'),
    requested: count.describe('Maximum number of records that the run delivers.'),
    delivered: count.describe('Records delivered so far; only these are charged.'),
    progress: z
      .number()
      .min(0)
      .max(1)
      .describe('Fraction of requested records delivered; 1 when the run has ended.'),
    per_second: z.number().nonnegative().nullable().describe('Average records delivered per second.'),
    seconds_left: count.nullable().describe('Estimated; null if no estimate is available.'),
    price: credits.describe('Credits per delivered record.'),
    reserved: credits.describe('Credits reserved for the run.'),
    spent: credits.nullable().describe('Null until the run has ended.'),
    returned: credits.nullable().describe('Credits reserved but not spent. Null until the run has ended.'),
    receipt_id: z
      .string()
      .describe('Id of the run’s receipt: the run id, unless its credits had to be reserved again.'),
    failure: z
      .object({
        code: z
          .enum(Object.keys(runFailures) as [RunFailure, ...RunFailure[]])
          .describe('Stable code for programs.'),
        detail: z.string().describe('Display text.'),
      })
      .nullable()
      .describe('Why the run failed. Null unless `state` is `failed`.'),
    list_id: savedListId.nullable().describe('The list that delivered records are added to.'),
    has_more: z
      .boolean()
      .nullable()
      .describe('Whether the search has more to deliver. Null until the run has ended.'),
    created_by: creatorId.describe('Who started the run.'),
    created_at: z.iso.datetime().describe('When the run was requested.'),
    started_at: z.iso
      .datetime()
      .nullable()
      .describe('When the run started working. Null while it is queued.'),
    ended_at: z.iso.datetime().nullable().describe('Null until the run has ended.'),
    version: z.int().positive().describe('Increases with every change.'),
  })
  .meta({ id: 'DiscoveryRun' });

export type DiscoveryRun = z.output<typeof discoveryRun>;
