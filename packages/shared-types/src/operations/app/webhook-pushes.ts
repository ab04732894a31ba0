import { z } from 'zod';
import { type DeliveryFault, deliveryFaults } from '../../exports/delivery-faults.ts';
import { exportRecord } from '../../exports/export.ts';
import { exportSource } from '../../exports/export-source.ts';
import { webhookDestination, webhookOptions } from '../../exports/webhook-destination.ts';
import { pushBeginning } from '../../exports/webhook-push.ts';
import { exportId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { noBody, noParams, noQuery } from '../public-parts.ts';
import { memberOnly } from './view-parts.ts';

const tag = 'Exports';

const ofExport = {
  tag,
  access: memberOnly,
  params: z.strictObject({ export_id: exportId }),
  query: noQuery,
} as const;

const steering = { ...ofExport, body: noBody, bodyBytesMax: 0, repeatable: true } as const;

/** Sends one row, so that people see what arrives before they send all of them. */
export const testWebhookRow = defineOperation({
  id: 'test-webhook-row',
  method: 'post',
  path: '/app/v1/export-test-rows',
  summary: 'Send a test row',
  tag,
  description:
    'Sends the first row of a source to a webhook, once, and answers what came back. Nothing is kept. Its `webhook-id` begins with `test_`.',
  access: memberOnly,
  params: noParams,
  query: noQuery,
  body: z
    .strictObject({
      source: exportSource,
      destination: webhookDestination,
      options: webhookOptions.optional(),
    })
    .meta({ id: 'TestRow' }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: {
    status: 200,
    description: 'What came back.',
    schema: z
      .object({
        outcome: z
          .enum(['delivered', 'throttled', 'failed'])
          .describe('`throttled`: the receiver asked us to wait, as it may in a push.'),
        status_code: z.int().nullable().describe('Null where there was no answer.'),
        failure: z
          .object({
            reason: z.enum(Object.keys(deliveryFaults) as [DeliveryFault, ...DeliveryFault[]]),
            detail: z.string(),
          })
          .nullable(),
        answer: z.string().describe('The beginning of what the receiver answered, as text.'),
        elapsed_ms: z.int().nonnegative(),
        row: z.string().describe('The row as it was sent.'),
        push: pushBeginning,
      })
      .meta({ id: 'TestRowResult' }),
  },
  repeatable: false,
  problems: [
    'export_source_not_found',
    'export_source_not_ready',
    'nothing_to_export',
    'destination_not_valid',
  ],
});

/** Lets a push stand still. */
export const pauseExport = defineOperation({
  ...steering,
  id: 'pause-export',
  method: 'post',
  path: '/app/v1/exports/:export_id/pause',
  summary: 'Pause a push',
  description:
    'Rows that are on their way arrive; then nothing more is sent until somebody resumes it. Where the rows go to is kept for a week.',
  success: { status: 200, description: 'The export.', schema: exportRecord },
  problems: ['export_not_found', 'export_ended', 'export_is_no_push'],
});

/** Lets a paused push go on. */
export const resumeExport = defineOperation({
  ...steering,
  id: 'resume-export',
  method: 'post',
  path: '/app/v1/exports/:export_id/resumption',
  summary: 'Resume a push',
  description:
    'Goes on with the rows that are left. What waits for its receiver goes on by itself and stays as it is.',
  success: { status: 200, description: 'The export.', schema: exportRecord },
  problems: ['export_not_found', 'export_ended', 'export_is_no_push'],
});

/** Ends an export. */
export const cancelExport = defineOperation({
  ...steering,
  id: 'cancel-export',
  method: 'post',
  path: '/app/v1/exports/:export_id/cancellation',
  summary: 'Cancel an export',
  description:
    'Rows that were delivered stay where they are; nothing more is sent, and where the rows went to is forgotten at once.',
  success: { status: 200, description: 'The export.', schema: exportRecord },
  problems: ['export_not_found', 'export_ended'],
});

/** Gives a push its destination again, or another one. */
export const putExportDestination = defineOperation({
  ...ofExport,
  id: 'put-export-destination',
  method: 'put',
  path: '/app/v1/exports/:export_id/destination',
  summary: 'Say again where rows go',
  description:
    'Replaces where the rows of a push go to. A push that has failed goes on with the rows that were not delivered, and with those that were refused because the destination was wrong, under the same `webhook-id`s; one that was cancelled does not.',
  body: z.strictObject({ destination: webhookDestination }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: {
    status: 200,
    description: 'The export, and what to know of the destination.',
    schema: z.object({ export: exportRecord, push: pushBeginning }).meta({ id: 'ExportDestination' }),
  },
  repeatable: false,
  problems: [
    'export_not_found',
    'export_ended',
    'export_is_no_push',
    'destination_not_valid',
    'too_many_exports',
  ],
});
