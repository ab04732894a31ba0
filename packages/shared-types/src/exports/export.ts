import { z } from 'zod';
import { crmActions } from '../crm/crm-push.ts';
import { exportId, userId } from '../ids.ts';
import { exportSource } from './export-source.ts';

/** The statuses of the contract, and no others: what stands still is `running`, what was cancelled is `failed`. */
export const exportStatuses = ['queued', 'running', 'succeeded', 'failed'] as const;

export type ExportStatus = (typeof exportStatuses)[number];

export const exportTargets = ['csv', 'webhook', 'crm'] as const;

export type ExportTarget = (typeof exportTargets)[number];

/** Why a running export stands still. */
export const exportPauseReasons = {
  asked: 'Somebody paused it. Resume it to go on.',
  receiver_asked: 'The receiver asked us to wait. It goes on by itself.',
  receiver_away: 'The receiver does not answer. It goes on by itself.',
  access_revoked:
    'The CRM does not accept our access any more. Connect it again; it then goes on within five minutes, or at once when it is resumed.',
} as const;

export type ExportPauseReason = keyof typeof exportPauseReasons;

/** Why an export has failed. Rows that were delivered stay delivered. */
export const exportFailures = {
  cancelled: 'Somebody cancelled it.',
  destination_lost:
    'Where the rows go to was lost with our memory; it is kept nowhere else. Give it again and the rest is delivered.',
  destination_refused: 'The receiver refuses every row: the address or its authentication header is wrong.',
  nothing_delivered: 'No row could be delivered.',
  connection_gone: 'The CRM is not connected any more.',
  mapping_not_valid:
    'The CRM takes none of the rows: a property or a right that the mapping needs is not there any more.',
  paused_too_long: 'It stood still for too long.',
  source_gone: 'What was to be exported has been deleted.',
  could_not_continue: 'Exporting went wrong again and again.',
} as const;

export type ExportFailure = keyof typeof exportFailures;

/** How taking away what an export has created is getting on. */
export const exportUndoStatuses = ['running', 'succeeded', 'failed'] as const;

export type ExportUndoStatus = (typeof exportUndoStatuses)[number];

/** Why taking away has not come to its end. What was taken away stays so, and asking again goes on with the rest. */
export const exportUndoFailures = {
  connection_gone: 'The CRM is not connected any more.',
  access_revoked: 'The CRM does not accept our access any more. Connect it again, then undo again.',
  not_permitted: 'Our access does not reach so far as to take records away.',
  could_not_continue: 'The CRM was away for too long, or it went wrong again and again. Undo again.',
} as const;

export type ExportUndoFailure = keyof typeof exportUndoFailures;

const count = z.int().nonnegative();

/** Rows on their way to another system. */
export const exportRecord = z
  .object({
    export_id: exportId,
    name: z.string(),
    source: exportSource,
    target: z.enum(exportTargets),
    status: z.enum(exportStatuses),
    pause: z
      .object({
        reason: z.enum(Object.keys(exportPauseReasons) as [ExportPauseReason, ...ExportPauseReason[]]),
        detail: z.string(),
        resumes_at: z.iso.datetime().nullable().describe('Null where it waits for somebody.'),
      })
      .nullable()
      .describe('Why it stands still, while it is `running`.'),
    failure: z
      .object({
        reason: z.enum(Object.keys(exportFailures) as [ExportFailure, ...ExportFailure[]]),
        detail: z.string(),
      })
      .nullable()
      .describe('Null unless it is `failed`.'),
    columns: z.array(z.string()).describe('Names of the fields, in their order.'),
    rows: z.object({
      total: count,
      delivered: count.describe('Of a file, those that are in it.'),
      failed: count.describe('Given up; they are listed with what went wrong.'),
      gone: count.describe('Left out, since their record was deleted or suppressed meanwhile.'),
    }),
    actions: z
      .object({ created: count, updated: count, skipped: count })
      .nullable()
      .describe(
        'Of a push to a CRM, what became of the rows that were delivered; of a dry run, what would become of them. Null for other targets.',
      ),
    undo: z
      .object({
        status: z.enum(exportUndoStatuses),
        records: z.object({
          total: count.describe('Records that the export created.'),
          removed: count,
          failed: count.describe(
            'Records that the CRM did not take away, or that have become part of others.',
          ),
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
      .describe('Null unless somebody has undone it.'),
    progress: z.number().min(0).max(1),
    per_second: z.number().nonnegative().nullable().describe('Rows in a second, lately.'),
    seconds_left: count.nullable().describe('Estimated; null while nothing can be said.'),
    throttled: count.describe('How often the receiver asked us to wait.'),
    options: z
      .record(z.string(), z.unknown())
      .describe('How the rows are written or sent, as they were asked for; never where to.'),
    created_by: userId,
    created_at: z.iso.datetime(),
    started_at: z.iso.datetime().nullable(),
    ended_at: z.iso.datetime().nullable(),
    deleted_at: z.iso
      .datetime()
      .describe('When the export is going to be deleted. What it was made from has a time of its own.'),
    version: z.int().positive().describe('Grows with every change.'),
  })
  .meta({ id: 'Export' });

export type ExportRecord = z.output<typeof exportRecord>;

/** What becomes of a row of an export. */
export const exportRowStates = ['pending', 'delivered', 'failed', 'gone'] as const;

export type ExportRowState = (typeof exportRowStates)[number];

/** A row of an export, and what became of it. What it says stays with its source. */
export const exportRow = z
  .object({
    row: z.int().positive().describe('Its place in the export, from 1.'),
    state: z
      .enum(exportRowStates)
      .describe(
        '`failed`: given up. `gone`: its record was deleted or suppressed before it was its turn. `pending`: neither.',
      ),
    attempts: count.describe('How often it was sent.'),
    status_code: z.int().nullable().describe('What the receiver answered last.'),
    fault: z.string().nullable().describe('What went wrong last, in words.'),
    action: z
      .enum(crmActions)
      .nullable()
      .describe('Of a push to a CRM, once it is delivered: what was done, or would be done by a dry run.'),
    crm_record_id: z.string().nullable().describe('What the CRM calls the record of the row.'),
    undone: z
      .enum(['removed', 'failed'])
      .nullable()
      .describe('What came of taking the record away again; null where nobody tried.'),
    retry_at: z.iso.datetime().nullable().describe('Not sent again before.'),
    attempted_at: z.iso.datetime().nullable().describe('When it was sent last.'),
  })
  .meta({ id: 'ExportRow' });
