import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { type DeliveryFault, deliveryFaults } from '../../exports/delivery-faults.ts';
import { exportRecord, pushBeginning } from '../../exports/export.ts';
import { exportSource } from '../../exports/export-source.ts';
import { webhookDestination, webhookOptions } from '../../exports/webhook-destination.ts';
import { exportId } from '../../ids.ts';
import { memberOrKey } from './view-parts.ts';

const tag = 'Exports';

const ofExport = {
  tag,
  answeredBy: 'webhook-dispatcher',
  access: memberOrKey('exports'),
  sandbox: true,
  params: z.strictObject({ export_id: exportId }),
} as const;

const steering = { ...ofExport, repeatable: true } as const;

/** Sends one row, so that users can see what arrives before they send all rows. */
export const testWebhookRow = defineOperation({
  id: 'test-webhook-row',
  method: 'post',
  path: '/app/v1/export-test-rows',
  summary: 'Send a test row',
  tag,
  description:
    'Sends the first row of a source to a webhook, once, and returns the response. Nothing is stored. Its `webhook-id` starts with `test_`.',
  answeredBy: 'webhook-dispatcher',
  // Long enough to read the row and wait for the receiver's response.
  answerMsMax: 20_000,
  access: memberOrKey('exports'),
  sandbox: true,
  body: z
    .strictObject({
      source: exportSource,
      destination: webhookDestination,
      options: webhookOptions.optional(),
    })
    .meta({ id: 'TestRow' }),
  success: {
    status: 200,
    description: 'The test result.',
    schema: z
      .object({
        outcome: z
          .enum(['delivered', 'throttled', 'failed'])
          .describe('`throttled`: the receiver is rate limiting requests, which a push handles.'),
        status_code: z.int().nullable().describe('Null if there was no response.'),
        failure: z
          .object({
            reason: z.enum(Object.keys(deliveryFaults) as [DeliveryFault, ...DeliveryFault[]]),
            detail: z.string(),
          })
          .nullable(),
        answer: z.string().describe('The start of the response body, as text.'),
        elapsed_ms: z.int().nonnegative(),
        row: z.string().describe('The row as sent.'),
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

/** Pauses a push. */
export const pauseExport = defineOperation({
  ...steering,
  id: 'pause-export',
  method: 'post',
  path: '/app/v1/exports/:export_id/pause',
  summary: 'Pause a push',
  description:
    'Rows already sent are completed; no more rows are sent until you resume the push. The destination is kept for a week.',
  success: { status: 200, description: 'The export.', schema: exportRecord },
  problems: ['export_not_found', 'export_ended', 'export_is_no_push'],
});

/** Resumes a paused push. */
export const resumeExport = defineOperation({
  ...steering,
  id: 'resume-export',
  method: 'post',
  path: '/app/v1/exports/:export_id/resumption',
  summary: 'Resume a push',
  description:
    'Continues with the remaining rows. A push that waits for its receiver continues automatically and is unchanged.',
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
    'Delivered rows stay where they are; no more rows are sent, and the destination is deleted immediately.',
  success: { status: 200, description: 'The export.', schema: exportRecord },
  problems: ['export_not_found', 'export_ended'],
});

/** Sets the destination of a push again, or changes it. */
export const putExportDestination = defineOperation({
  ...ofExport,
  id: 'put-export-destination',
  method: 'put',
  path: '/app/v1/exports/:export_id/destination',
  summary: 'Enter the webhook URL again',
  description:
    'Replaces the destination of a push. A failed push continues with the rows that were not delivered or were rejected because the destination was wrong, with the same `webhook-id`s; a canceled push does not continue.',
  body: z.strictObject({ destination: webhookDestination }),
  success: {
    status: 200,
    description: 'The export, with notes about the destination.',
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
