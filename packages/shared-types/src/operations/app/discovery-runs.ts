import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { discoveryRun, runStates, searchKinds } from '../../discovery/discovery-run.ts';
import { discoveryRunId, discoverySearchId, personId, savedListId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { withCommas } from '../../with-commas.ts';
import { streamedAnswer } from '../public-parts.ts';
import { eitherOf, idempotencyNote, pageOf } from './discovery-parts.ts';
import { memberOrKey, nextCursorField } from './view-parts.ts';

const parts = { tag: 'Runs', answeredBy: 'enrichment', access: memberOrKey('leads'), sandbox: true } as const;

const runParams = z.strictObject({ run_id: discoveryRunId });

/** Problems that starting a run of any kind can return. */
export const startRunProblems = [
  'search_not_found',
  'saved_list_not_found',
  'credits_exhausted',
  'run_active',
  'too_many_runs',
  'nothing_to_deliver',
  'search_changed',
  'idempotency_key_reused',
] as const;

/** Starts a run that saves people of a search. */
export const startDiscoveryRun = defineOperation({
  ...parts,
  id: 'start-discovery-run',
  method: 'post',
  path: '/app/v1/people-searches/:search_id/runs',
  summary: 'Save people',
  description: `Reserves credits for the smaller of the requested and available numbers of people, at most ${withCommas(limits.peoplePerRunMax)}, locks the filters, and saves the people in the background. With \`person_ids\` it saves these people of the preview instead. People already saved are skipped. Only saved people are charged; unspent credits are returned at the end. ${idempotencyNote}`,
  price: 'savedPerson',
  params: z.strictObject({ search_id: discoverySearchId }),
  body: z
    .strictObject({
      people: z
        .union([z.int().positive().max(limits.peoplePerRunMax), z.literal('all')])
        .optional()
        .describe('Number of people to save. Required unless `person_ids` is given.'),
      person_ids: z
        .array(personId)
        .min(1)
        .max(limits.previewedPeopleMax)
        .optional()
        .describe(
          'Saves exactly these people of the preview. Ids that the preview does not show are skipped. Cannot be combined with `people`.',
        ),
      list_id: savedListId.optional().describe('A people list to add them to.'),
    })
    .refine(...eitherOf('people', 'person_ids'))
    .meta({ id: 'NewPeopleRun' }),
  bodyExample: { people: 25 },
  success: { status: 202, description: 'The run, which continues in the background.', schema: discoveryRun },
  repeatable: false,
  takesIdempotencyKey: true,
  problems: [...startRunProblems, 'unknown_filter_value', 'search_not_ready'],
});

/** Gets the state of a run. */
export const getDiscoveryRun = defineOperation({
  ...parts,
  id: 'get-discovery-run',
  method: 'get',
  path: '/app/v1/discovery-runs/:run_id',
  summary: 'A run',
  description: 'The run, of any kind of search, with its receipt once it has ended.',
  params: runParams,
  success: { status: 200, description: 'The run.', schema: discoveryRun },
  repeatable: true,
  problems: ['run_not_found'],
});

/** Lists the account's runs. */
export const listDiscoveryRuns = defineOperation({
  ...parts,
  id: 'list-discovery-runs',
  method: 'get',
  path: '/app/v1/discovery-runs',
  summary: 'Runs',
  description: 'The account’s runs of all kinds of search, newest first.',
  query: z.strictObject({
    ...pageOf,
    search_id: discoverySearchId.optional().describe('Only runs of this search.'),
    kind: z.enum(searchKinds).optional().describe('Only runs of searches of this kind.'),
    state: z.enum(runStates).optional().describe('Only runs in this state.'),
  }),
  success: {
    status: 200,
    description: 'A page of runs.',
    schema: z
      .object({ runs: z.array(discoveryRun), next_cursor: nextCursorField })
      .meta({ id: 'DiscoveryRuns' }),
  },
  repeatable: true,
  problems: ['invalid_cursor'],
});

/** Stops a run. */
export const cancelDiscoveryRun = defineOperation({
  ...parts,
  id: 'cancel-discovery-run',
  method: 'post',
  path: '/app/v1/discovery-runs/:run_id/cancellation',
  summary: 'Cancel a run',
  description:
    'Nothing more is delivered. Delivered records are kept and charged; the remaining credits are returned. Does nothing if the run has ended.',
  params: runParams,
  success: { status: 200, description: 'The run.', schema: discoveryRun },
  repeatable: true,
  problems: ['run_not_found'],
});

/** Streams every change of a run. */
export const followDiscoveryRun = defineOperation({
  ...parts,
  id: 'follow-discovery-run',
  method: 'get',
  path: '/app/v1/discovery-runs/:run_id/events',
  summary: 'Stream a run',
  description: `Server-sent events: one event of type \`run\` for every change, with the run as its data, at most a few per second, until the run ends. The event id is the run’s version; with \`Last-Event-ID\` no event is repeated. A stream ends after ${limits.runFollowedMsMax / 60_000} minutes; browsers reconnect automatically. At most ${limits.runFollowersMax} streams at once.`,
  params: runParams,
  success: {
    status: 200,
    description: 'The events.',
    schema: streamedAnswer,
    mediaType: 'text/event-stream',
  },
  repeatable: true,
  problems: ['run_not_found', 'too_many_followers'],
});
