import { z } from 'zod';
import { crmActions } from '../crm/crm-push.ts';
import { creatorId, exportId } from '../ids.ts';
import { exportSource } from './export-source.ts';
import { webhookPresetNames } from './webhook-presets.ts';

/** The only statuses in the contract: a paused export is `running`, a canceled export is `failed`. */
export const exportStatuses = ['queued', 'running', 'succeeded', 'failed'] as const;

export type ExportStatus = (typeof exportStatuses)[number];

export const exportTargets = ['csv', 'webhook', 'crm'] as const;

export type ExportTarget = (typeof exportTargets)[number];

/** The reasons why a running export is paused. */
export const exportPauseReasons = {
  asked: 'The export was paused. Resume it to continue.',
  receiver_asked: 'The receiver is rate limiting requests. The export continues automatically.',
  receiver_away: 'The receiver is not responding. The export continues automatically.',
  access_revoked:
    'The CRM has revoked access. Reconnect it; the export then continues within five minutes, or as soon as you resume it.',
} as const;

export type ExportPauseReason = keyof typeof exportPauseReasons;

/** The reasons why an export failed. Delivered rows stay delivered. */
export const exportFailures = {
  cancelled: 'The export was canceled.',
  destination_lost:
    'The destination was lost in a restart; it is held in memory only. Enter it again to deliver the remaining rows.',
  destination_refused: 'The receiver rejects every row: check the webhook URL and its authentication header.',
  nothing_delivered: 'No row could be delivered.',
  connection_gone: 'The CRM is no longer connected.',
  mapping_not_valid: 'The CRM rejects every row: a property or permission that the mapping needs is missing.',
  paused_too_long: 'The export was paused for too long.',
  source_gone: 'The export source has been deleted.',
  could_not_continue: 'The export failed repeatedly.',
} as const;

export type ExportFailure = keyof typeof exportFailures;

/** The status of an undo, which removes the records that an export created. */
export const exportUndoStatuses = ['running', 'succeeded', 'failed'] as const;

export type ExportUndoStatus = (typeof exportUndoStatuses)[number];

/** The reasons why an undo stopped. Removed records stay removed, and another undo continues with the rest. */
export const exportUndoFailures = {
  connection_gone: 'The CRM is no longer connected.',
  access_revoked: 'The CRM has revoked access. Reconnect it, then undo again.',
  not_permitted: 'The connection lacks permission to delete records.',
  could_not_continue: 'The CRM was unavailable for too long, or requests failed repeatedly. Undo again.',
} as const;

export type ExportUndoFailure = keyof typeof exportUndoFailures;

const count = z.int().nonnegative();

/** An export: rows to deliver to a file or another system. */
export const exportRecord = z
  .object({
    export_id: exportId,
    name: z.string(),
    source: exportSource,
    failed_rows_of: exportId
      .nullable()
      .describe('The export whose failed rows this one sends again. Null if it has all rows of its source.'),
    target: z.enum(exportTargets),
    status: z.enum(exportStatuses),
    pause: z
      .object({
        reason: z.enum(Object.keys(exportPauseReasons) as [ExportPauseReason, ...ExportPauseReason[]]),
        detail: z.string(),
        resumes_at: z.iso.datetime().nullable().describe('Null while it waits for you to act.'),
      })
      .nullable()
      .describe('Why the export is waiting while its state is `running`.'),
    failure: z
      .object({
        reason: z.enum(Object.keys(exportFailures) as [ExportFailure, ...ExportFailure[]]),
        detail: z.string(),
      })
      .nullable()
      .describe('Null unless `state` is `failed`.'),
    columns: z.array(z.string()).describe('Field names, in order.'),
    rows: z
      .object({
        total: count,
        delivered: count.describe('For a file, the rows in it.'),
        failed: count.describe('Rows that failed permanently; they are listed with the reason.'),
        gone: count.describe('Rows left out because their record was deleted or suppressed in the meantime.'),
        open: count.describe(
          'Rows of a running validation job that had no result yet and are not included. If it is not 0, the export is partial: export the job again after its end to get all rows.',
        ),
      })
      .meta({ id: 'ExportRowCounts' }),
    actions: z
      .object({ created: count, updated: count, skipped: count })
      .nullable()
      .describe(
        'For a push to a CRM, what happened to the delivered rows; for a dry run, what would happen. Null for other targets.',
      ),
    undo: z
      .object({
        status: z.enum(exportUndoStatuses),
        records: z.object({
          total: count.describe('Records created by the export.'),
          removed: count,
          failed: count.describe('Records that the CRM did not delete, or that were merged into others.'),
        }),
        failure: z
          .object({
            reason: z.enum(Object.keys(exportUndoFailures) as [ExportUndoFailure, ...ExportUndoFailure[]]),
            detail: z.string(),
          })
          .nullable(),
        begun_at: z.iso.datetime(),
        ended_at: z.iso.datetime().nullable(),
      })
      .nullable()
      .describe('Null unless an undo was requested.'),
    progress: z.number().min(0).max(1),
    per_second: z.number().nonnegative().nullable().describe('Recent rows per second.'),
    seconds_left: count.nullable().describe('Estimated; null if no estimate is available.'),
    throttled: count.describe('How often the receiver rate limited us.'),
    options: z
      .record(z.string(), z.unknown())
      .describe('How rows are written or sent, as requested; never the destination.'),
    created_by: creatorId,
    created_at: z.iso.datetime(),
    started_at: z.iso.datetime().nullable(),
    ended_at: z.iso.datetime().nullable(),
    deleted_at: z.iso
      .datetime()
      .describe('When the export is deleted. Its source has its own retention period.'),
    version: z.int().positive().describe('Increases with every change.'),
  })
  .meta({ id: 'Export' });

export type ExportRecord = z.output<typeof exportRecord>;

/** The states of a row in an export. */
export const exportRowStates = ['pending', 'delivered', 'failed', 'gone'] as const;

export type ExportRowState = (typeof exportRowStates)[number];

/** A row of an export and its outcome. The row's content stays in its source. */
export const exportRow = z
  .object({
    row: z.int().positive().describe('Position in the export, starting at 1.'),
    source_row: z
      .int()
      .positive()
      .nullable()
      .describe(
        'The number of the row in the list of a validation job, as in `row` of its rows, read like `source_name`; null for other sources.',
      ),
    source_name: z
      .string()
      .nullable()
      .describe(
        'What the row is about, read from its source now: the address of a row of a list, or the name of a person or company. Null if the row has none or was deleted, or the source cannot be read now.',
      ),
    state: z
      .enum(exportRowStates)
      .describe(
        '`failed`: failed permanently. `gone`: its record was deleted or suppressed before it was sent. `pending`: neither.',
      ),
    attempts: count.describe('Number of attempts.'),
    status_code: z.int().nullable().describe('The receiver’s last status code.'),
    fault: z.string().nullable().describe('The last error, in words.'),
    action: z
      .enum(crmActions)
      .nullable()
      .describe('For a push to a CRM, what was done once the row was delivered, or what a dry run would do.'),
    crm_record_id: z.string().nullable().describe('The CRM’s id of the record.'),
    undone: z
      .enum(['removed', 'failed'])
      .nullable()
      .describe('Result of undoing the row; null if no undo was requested.'),
    retry_at: z.iso.datetime().nullable().describe('Time before which it is not retried.'),
    attempted_at: z.iso.datetime().nullable().describe('Time of the last attempt.'),
  })
  .meta({ id: 'ExportRow' });

/** The properties of a push that are known before its first row. */
export const pushBeginning = z
  .object({
    preset: z.enum(webhookPresetNames).describe('The receiver type in effect.'),
    rows_per_second_max: z.number().positive().describe('Maximum rows per second.'),
    notices: z.array(z.string()).describe('Limits of this receiver, such as rows over its lifetime.'),
    signing_secret: z.string().describe('The secret that signs rows. It is not shown again.'),
  })
  .meta({ id: 'PushBeginning' });

export type PushBeginning = z.output<typeof pushBeginning>;
