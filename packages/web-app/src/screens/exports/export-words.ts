import { webhookPresets } from '@mailproof/shared-types';
import type { Schema } from '../../api/client.ts';
import { countOf, formatSeconds } from '../../design/format.ts';
import type { Tone } from '../../design/tone.ts';

export type Export = Schema['Export'];
export type ExportSource = Schema['NewExport']['source'];
export type ExportRow = Schema['ExportRow'];
type Action = NonNullable<ExportRow['action']>;

export const statusNames = {
  queued: 'Waiting to begin',
  running: 'Under way',
  succeeded: 'Done',
  failed: 'Ended early',
} as const satisfies Record<Export['status'], string>;

export const targetNames = {
  csv: 'File',
  webhook: 'Webhook',
  crm: 'CRM',
} as const satisfies Record<Export['target'], string>;

export const rowStateNames = {
  pending: 'Still to go',
  delivered: 'Delivered',
  failed: 'Failed',
  gone: 'Left out',
} as const satisfies Record<ExportRow['state'], string>;

export const rowStateTones = {
  pending: 'neutral',
  delivered: 'good',
  failed: 'bad',
  gone: 'caution',
} as const satisfies Record<ExportRow['state'], Tone>;

export const actionNames = {
  created: 'Created',
  updated: 'Updated',
  skipped: 'Skipped',
} as const satisfies Record<Action, string>;

/** What is among the words, and otherwise undefined: an address can say anything. */
function among<Word extends string>(words: Readonly<Record<Word, string>>) {
  return (value: unknown): Word | undefined =>
    typeof value === 'string' && Object.hasOwn(words, value) ? (value as Word) : undefined;
}

export const asStatus = among(statusNames);
export const asTarget = among(targetNames);
export const asRowState = among(rowStateNames);
export const asAction = among(actionNames);

/** How an export is, in two or three words. */
export function stateOf({ status, pause, failure, rows }: Export): {
  readonly word: string;
  readonly tone: Tone;
} {
  if (pause) return pauseLooks[pause.reason];
  if (status === 'failed') {
    if (failure?.reason === 'cancelled') return { word: 'Cancelled', tone: 'neutral' };
    return needsDestination(failure)
      ? { word: 'Needs a destination', tone: 'bad' }
      : { word: 'Failed', tone: 'bad' };
  }
  if (status === 'succeeded') {
    return rows.failed > 0
      ? { word: 'Done, some rows failed', tone: 'caution' }
      : { word: 'Done', tone: 'good' };
  }
  return { word: statusNames[status], tone: status === 'running' ? 'fair' : 'neutral' };
}

const pauseLooks = {
  asked: { word: 'Paused', tone: 'caution' },
  receiver_asked: { word: 'Waiting for the receiver', tone: 'caution' },
  receiver_away: { word: 'Receiver does not answer', tone: 'caution' },
  access_revoked: { word: 'CRM needs connecting', tone: 'bad' },
} as const satisfies Record<NonNullable<Export['pause']>['reason'], { word: string; tone: Tone }>;

/** Whether it is going on, or would if nothing held it up. */
export function isUnderWay({ ended_at }: Export): boolean {
  return ended_at === null;
}

/** Whether anything of it may change without anybody's doing. */
export function isMoving(record: Export): boolean {
  return isUnderWay(record) || record.undo?.status === 'running';
}

/** Whether somebody has to do something before it goes on. */
export function waitsForSomebody({ pause }: Export): boolean {
  return pause?.reason === 'asked' || pause?.reason === 'access_revoked';
}

/** Failures after which the rest is sent as soon as somebody says again where to. */
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

/** Whether giving a destination does something: anew, or another one. */
export function takesDestination({ target, status, failure }: Export): boolean {
  if (target !== 'webhook' || status === 'succeeded') return false;
  return failure === null || mendedByDestination.includes(failure.reason);
}

/** `120 of 300 delivered, 3 failed` */
export function countsOf({ rows, target }: Pick<Export, 'rows' | 'target'>): string {
  const parts = [
    `${countOf(rows.delivered, 'row')} of ${rows.total.toLocaleString('en')} ${target === 'csv' ? 'written' : 'delivered'}`,
  ];
  if (rows.failed > 0) parts.push(`${rows.failed.toLocaleString('en')} failed`);
  if (rows.gone > 0) parts.push(`${rows.gone.toLocaleString('en')} left out`);
  return parts.join(', ');
}

/** How many rows there are in each state. */
export function rowsIn({ rows }: Pick<Export, 'rows'>): Record<ExportRow['state'], number> {
  const { total, delivered, failed, gone } = rows;
  return { pending: Math.max(0, total - delivered - failed - gone), delivered, failed, gone };
}

/** What cancelling leaves as it is, and what it gives up. */
export function cancelWords(record: Pick<Export, 'rows' | 'target'>): string {
  if (record.target === 'csv') return 'No file is made.';
  const { pending, delivered } = rowsIn(record);
  const arrived = countOf(
    delivered,
    'row that arrived stays where it is',
    'rows that arrived stay where they are',
  );
  return `${arrived}; ${countOf(pending, 'row is', 'rows are')} not sent. A push that was cancelled cannot go on: pause it if you may want that.`;
}

/** Where the rows came from, as it follows "of". */
export function sourceName(source: ExportSource): string {
  switch (source.kind) {
    case 'validation_job':
      return 'a validation job';
    case 'saved_people':
      return source.list_id ? 'a list of saved people' : 'saved people';
    case 'saved_companies':
      return source.search_id ? 'the matches of a lookalike search' : 'saved companies';
  }
}

/**
 * Columns of the customer's that bear a name of ours, and so are called otherwise in the export: each with its name in
 * the file and its name among the fields of the export.
 */
export function movedColumns(
  columns: readonly Pick<Schema['JobColumn'], 'name' | 'exported_as'>[],
  fields: readonly string[],
): { readonly from: string; readonly to: string }[] {
  const own = new Set(columns.map(({ name }) => name));
  return columns.flatMap(({ name, exported_as }) => {
    // What the job says holds without the fields that are added on wish, which take names as well.
    const to = [exported_as, `input_${name}`].find(
      field => field !== name && !own.has(field) && fields.includes(field),
    );
    return to === undefined ? [] : [{ from: name, to }];
  });
}

/** `It goes on in 12 seconds.` of a wait that is so long. */
export function resumesIn(waitMs: number): string {
  const seconds = Math.ceil(waitMs / 1_000);
  if (seconds <= 0) return 'It goes on in a moment.';
  return `It goes on in ${seconds < 60 ? countOf(seconds, 'second') : formatSeconds(seconds)}.`;
}

/** `once`, `1,200 times` */
export function timesOf(count: number): string {
  return count === 1 ? 'once' : countOf(count, 'time');
}

/** Where rows go, as far as that is known: the kind, and the receiver where somebody named it. */
export function receiverName({ target, options }: Pick<Export, 'target' | 'options'>): string {
  const preset = options['preset'];
  if (target !== 'webhook' || typeof preset !== 'string' || !Object.hasOwn(webhookPresets, preset)) {
    return targetNames[target];
  }
  return `Webhook of ${webhookPresets[preset as keyof typeof webhookPresets].name}`;
}
