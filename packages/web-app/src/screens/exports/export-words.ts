import { webhookPresets } from '@mailproof/shared-types';
import type { Schema } from '../../api/client.ts';
import { countOf, formatSeconds } from '../../design/format.ts';
import type { StateLook } from '../../design/looks.ts';
import { exportPauses, exportStatuses, rowStates, workStates } from '../work-states.ts';

export type Export = Schema['Export'];
export type ExportSource = Schema['NewExport']['source'];
export type ExportRow = Schema['ExportRow'];
type Action = NonNullable<ExportRow['action']>;

export const targetNames = {
  csv: 'File',
  webhook: 'Webhook',
  crm: 'CRM',
} as const satisfies Record<Export['target'], string>;

export const actionNames = {
  created: 'Created',
  updated: 'Updated',
  skipped: 'Skipped',
} as const satisfies Record<Action, string>;

/**
 * Returns a function that maps a value to itself if it is one of the words, and to undefined otherwise: a URL can
 * contain any value.
 */
function among<Word extends string>(words: Readonly<Record<Word, unknown>>) {
  return (value: unknown): Word | undefined =>
    typeof value === 'string' && Object.hasOwn(words, value) ? (value as Word) : undefined;
}

export const asStatus = among(exportStatuses);
export const asTarget = among(targetNames);
export const asRowState = among(rowStates);
export const asAction = among(actionNames);

/** Returns the state of an export in two or three words. */
export function exportState({ status, pause, failure, rows }: Export): StateLook {
  if (pause) return exportPauses[pause.reason];
  if (status === 'failed') {
    if (failure?.reason === 'cancelled') return workStates.cancelled;
    return needsDestination(failure) ? { name: 'Needs a destination', tone: 'bad' } : workStates.failed;
  }
  if (status === 'succeeded' && rows.failed > 0) return { name: 'Done, some rows failed', tone: 'caution' };
  return workStates[status];
}

/** Whether the export has not ended; it may be paused. */
export function isActive({ ended_at }: Export): boolean {
  return ended_at === null;
}

/** Whether the export may change without an action of the user. */
export function isMoving(record: Export): boolean {
  return isActive(record) || record.undo?.status === 'running';
}

/** Whether the export continues only after an action of the user. */
export function waitsForUser({ pause }: Export): boolean {
  return pause?.reason === 'asked' || pause?.reason === 'access_revoked';
}

/** Failures after which a new destination sends the remaining rows. */
const mendedByDestination: readonly NonNullable<Export['failure']>['reason'][] = [
  'destination_lost',
  'destination_refused',
  'nothing_delivered',
  'paused_too_long',
];

export function needsDestination(failure: Export['failure']): boolean {
  return (
    failure !== null && failure.reason !== 'nothing_delivered' && mendedByDestination.includes(failure.reason)
  );
}

/** Whether the destination can be entered again or changed. */
export function takesDestination({ target, status, failure }: Export): boolean {
  if (target !== 'webhook' || status === 'succeeded') return false;
  return failure === null || mendedByDestination.includes(failure.reason);
}

/** Whether failed rows can be sent again in another push. An unfinished push continues with another destination. */
export function canResend(record: Export): boolean {
  return record.target !== 'csv' && !isActive(record) && record.rows.failed > 0 && !takesDestination(record);
}

/** `120 of 300 delivered, 3 failed` */
export function countsOf({ rows, target }: Pick<Export, 'rows' | 'target'>): string {
  const parts = [
    `${countOf(rows.delivered, 'row')} of ${rows.total.toLocaleString('en')} ${target === 'csv' ? 'written' : 'delivered'}`,
  ];
  if (rows.failed > 0) parts.push(`${rows.failed.toLocaleString('en')} failed`);
  if (rows.gone > 0) parts.push(`${rows.gone.toLocaleString('en')} removed`);
  return parts.join(', ');
}

/** Returns the number of rows in each state. */
export function rowsIn({ rows }: Pick<Export, 'rows'>): Record<ExportRow['state'], number> {
  const { total, delivered, failed, gone } = rows;
  return { pending: Math.max(0, total - delivered - failed - gone), delivered, failed, gone };
}

/** Explains what canceling keeps and what it discards. */
export function cancelWords(record: Pick<Export, 'rows' | 'target'>): string {
  if (record.target === 'csv') return 'The file will not be created.';
  const { pending, delivered } = rowsIn(record);
  const arrived = countOf(delivered, 'delivered row stays where it is', 'delivered rows stay where they are');
  return `${arrived}; ${countOf(pending, 'row is', 'rows are')} not sent. A canceled push cannot continue; pause it instead if you may want to resume it.`;
}

/** Explains what deleting keeps and what it discards. */
export function deleteWords(record: Export): string {
  const end = isActive(record) ? 'It ends immediately. ' : '';
  return record.target === 'csv'
    ? `${end}Its file can no longer be downloaded. The source is kept.`
    : `${end}The status of its rows is deleted. Delivered rows stay where they are, and the source is kept.`;
}

/** Names the source of the rows, worded to follow "of". */
export function sourceName(source: ExportSource): string {
  switch (source.kind) {
    case 'validation_job':
      return 'a validation job';
    case 'saved_people':
      return source.list_id ? 'a list of saved people' : 'saved people';
    case 'saved_companies':
      return source.search_id ? 'the companies of a search' : 'saved companies';
  }
}

/**
 * Returns the customer's columns that are renamed in the export because one of our fields has the same name, each with
 * its name in the uploaded file and its name in the export.
 */
export function movedColumns(
  columns: readonly Pick<Schema['JobColumn'], 'name' | 'exported_as'>[],
  fields: readonly string[],
): { readonly from: string; readonly to: string }[] {
  const own = new Set(columns.map(({ name }) => name));
  return columns.flatMap(({ name, exported_as }) => {
    // The job's `exported_as` does not consider optional fields, which also take names.
    const to = [exported_as, `input_${name}`].find(
      field => field !== name && !own.has(field) && fields.includes(field),
    );
    return to === undefined ? [] : [{ from: name, to }];
  });
}

/** Says when a wait ends, for example `Continues in 12 seconds.` */
export function resumesIn(waitMs: number): string {
  const seconds = Math.ceil(waitMs / 1_000);
  if (seconds <= 0) return 'Continues shortly.';
  return `Continues in ${seconds < 60 ? countOf(seconds, 'second') : formatSeconds(seconds)}.`;
}

/** `once`, `1,200 times` */
export function timesOf(count: number): string {
  return count === 1 ? 'once' : countOf(count, 'time');
}

/** The kind of destination, and the receiver if the user chose one. */
export function receiverName({ target, options }: Pick<Export, 'target' | 'options'>): string {
  const preset = options['preset'];
  if (target !== 'webhook' || typeof preset !== 'string' || !Object.hasOwn(webhookPresets, preset)) {
    return targetNames[target];
  }
  return `Webhook of ${webhookPresets[preset as keyof typeof webhookPresets].name}`;
}
