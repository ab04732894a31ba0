import { z } from 'zod';
import { discoveryRun, runStates, searchKinds } from '../../discovery/discovery-run.ts';
import { discoveryRunId, discoverySearchId, savedListId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { noBody, noParams, noQuery, streamedAnswer } from '../public-parts.ts';
import { idempotencyNote, pageOf } from './discovery-parts.ts';
import { memberOnly, nextCursorField } from './view-parts.ts';

const tag = 'Runs';
const runParams = z.strictObject({ run_id: discoveryRunId });

/** Problems of starting a run, of whichever kind. */
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

/** Saves people of a search. */
export const startDiscoveryRun = defineOperation({
  id: 'start-discovery-run',
  method: 'post',
  path: '/app/v1/people-searches/:search_id/runs',
  summary: 'Save people',
  tag,
  description: `Reserves the credits for as many people as are asked for and can be had, at most ${limits.peoplePerRunMax.toLocaleString('en')}, fixes the filters, and saves them in the background. People whom the account has saved are left out. Only people who are saved are charged; the rest is returned at the end. ${idempotencyNote}`,
  access: memberOnly,
  params: z.strictObject({ search_id: discoverySearchId }),
  query: noQuery,
  body: z
    .strictObject({
      people: z
        .union([z.int().positive().max(limits.peoplePerRunMax), z.literal('all')])
        .describe('How many to save.'),
      list_id: savedListId.optional().describe('A list of people that gets them too.'),
    })
    .meta({ id: 'NewPeopleRun' }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: { status: 202, description: 'The run, which goes on by itself.', schema: discoveryRun },
  repeatable: false,
  takesIdempotencyKey: true,
  problems: [...startRunProblems, 'unknown_filter_value', 'search_not_ready'],
});

/** How a run is getting on. */
export const getDiscoveryRun = defineOperation({
  id: 'get-discovery-run',
  method: 'get',
  path: '/app/v1/discovery-runs/:run_id',
  summary: 'A run',
  tag,
  description: 'The run of either kind, with its receipt once it has ended.',
  access: memberOnly,
  params: runParams,
  query: noQuery,
  body: noBody,
  bodyBytesMax: 0,
  success: { status: 200, description: 'The run.', schema: discoveryRun },
  repeatable: true,
  problems: ['run_not_found'],
});

/** The runs of the account. */
export const listDiscoveryRuns = defineOperation({
  id: 'list-discovery-runs',
  method: 'get',
  path: '/app/v1/discovery-runs',
  summary: 'Runs',
  tag,
  description: 'The runs of the account, of both kinds, newest first.',
  access: memberOnly,
  params: noParams,
  query: z.strictObject({
    ...pageOf,
    search_id: discoverySearchId.optional().describe('Of this search alone.'),
    kind: z.enum(searchKinds).optional().describe('Of searches of this kind alone.'),
    state: z.enum(runStates).optional().describe('In this state alone.'),
  }),
  body: noBody,
  bodyBytesMax: 0,
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
  id: 'cancel-discovery-run',
  method: 'post',
  path: '/app/v1/discovery-runs/:run_id/cancellation',
  summary: 'Cancel a run',
  tag,
  description:
    'From the answer on nothing more is delivered. What was delivered stays and is charged, the rest of the credits is returned. A run that has ended stays as it is.',
  access: memberOnly,
  params: runParams,
  query: noQuery,
  body: noBody,
  bodyBytesMax: 0,
  success: { status: 200, description: 'The run.', schema: discoveryRun },
  repeatable: true,
  problems: ['run_not_found'],
});

/** Tells of every change of a run. */
export const followDiscoveryRun = defineOperation({
  id: 'follow-discovery-run',
  method: 'get',
  path: '/app/v1/discovery-runs/:run_id/events',
  summary: 'Follow a run',
  tag,
  description: `Server-sent events: one of type \`run\` with the run as its data for every change, at most some a second, until the run has ended. The id of an event is the run’s version; with \`Last-Event-ID\` nothing is told again. A stream ends after ${limits.runFollowedMsMax / 60_000} minutes; a browser then connects again by itself. At most ${limits.runFollowersMax} at once.`,
  access: memberOnly,
  params: runParams,
  query: noQuery,
  body: noBody,
  bodyBytesMax: 0,
  success: {
    status: 200,
    description: 'The events.',
    schema: streamedAnswer,
    mediaType: 'text/event-stream',
  },
  repeatable: true,
  problems: ['run_not_found', 'too_many_followers'],
});
