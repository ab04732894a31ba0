import { createHash } from 'node:crypto';
import {
  type CrmOptions,
  type CrmProperty,
  type CrmRowFault,
  type ExportedValue,
  type ExportId,
  writeCrmRowFault,
} from '@mailproof/shared-types';
import type { Export, RowOutcome } from '../../exports/export.ts';
import type { LeavingRow } from '../../exports/row-delivery.ts';
import { retryDelayMs } from '../../push/answer.ts';
import type { Crm, CrmFault, CrmRecordFault, RecordWrite, WriteResult } from '../crm.ts';
import { requiredOf } from './mapping-faults.ts';
import { type MappedField, planRow, type RowPlan, valuesOfRow } from './plan-writes.ts';
import type { CrmRowStore, EarlierRow } from './push-ports.ts';
import { attemptsMax } from './push-trouble.ts';
import { type FoundForRow, findRecords, type LookedFor, writeRecords } from './record-calls.ts';
import { identifyingValueOf, ownKeyOf, type RowKey, rowKeyOf } from './row-key.ts';

export interface DeliverRecordsOptions {
  readonly record: Export;
  readonly settings: CrmOptions;
  readonly crm: Crm;
  readonly mapping: readonly MappedField[];
  readonly properties: readonly CrmProperty[];
  readonly hasOwnKey: boolean;
  readonly rows: readonly LeavingRow[];
  readonly store: Pick<CrmRowStore, 'takeMarks' | 'noteIntents'>;
  readonly now: () => Date;
  readonly random: () => number;
  readonly signal: AbortSignal;
}

/** A row that can be written. */
interface ReadyRow extends LookedFor {
  readonly row: LeavingRow;
  readonly values: RecordWrite['values'] & Readonly<Record<string, string | number | boolean>>;
}

/** How long a row that waits for an earlier row in another batch is delayed before the next check, in milliseconds. */
const waitsMs = 2_000;

/**
 * Finds, plans, and writes the records of some rows, and appends the outcome of each. If a fault prevents the rest from
 * being written, returns the fault; those rows have no outcome.
 */
export async function deliverRecords(
  options: DeliverRecordsOptions,
  outcomes: RowOutcome[],
): Promise<CrmFault | undefined> {
  const { record, settings, crm, mapping, hasOwnKey, store, signal } = options;
  const ready = readyRows(options, outcomes);
  const properties = mapping.map(({ property }) => property.name);
  const found = await findRecords({ crm, object: settings.object, properties, hasOwnKey, signal }, ready);
  const earlier = await store.takeMarks(
    record.exportNo,
    ready.map(row => ({ rowNo: row.rowNo, marks: marksOf(record.exportId, row, found.get(row.rowNo)) })),
  );
  const planned = planRows(options, ready, { found, earlier }, outcomes);
  if (settings.dry_run === true) {
    outcomes.push(...planned.map(each => delivered(each, each.action, recordIdOf(each.plan))));
    return undefined;
  }
  const writing = planned.filter(each => each.plan.action !== 'skipped');
  outcomes.push(
    ...planned
      .filter(each => each.plan.action === 'skipped')
      .map(each => delivered(each, each.action, recordIdOf(each.plan))),
  );
  const isGoingOn = await store.noteIntents(
    record.exportNo,
    writing.flatMap(({ row, action }) =>
      action === 'skipped' || action === row.intent ? [] : [{ rowNo: row.rowNo, action }],
    ),
  );
  if (!isGoingOn) {
    return undefined;
  }
  const written = await writeRecords(crm, settings.object, writing.map(writeOf), signal);
  const byRow = new Map(writing.map(each => [each.row.rowNo, each]));
  for (const result of written.results) {
    const each = byRow.get(result.rowNo);
    if (each) {
      outcomes.push(outcomeOf(options, each, result));
    }
  }
  return written.fault;
}

/** Converts rows to property values; appends an outcome for each row that cannot be written. */
function readyRows(
  { record, settings, crm, mapping, rows }: DeliverRecordsOptions,
  outcomes: RowOutcome[],
): ReadyRow[] {
  const identifying = crm.identifyingProperty(settings.object);
  const key = rowKeyOf(record.source, settings.object);
  const columnOf = new Map(record.columns.map((name, at) => [name, at]));
  const ready: ReadyRow[] = [];
  for (const row of rows) {
    const cellOf = (column: string): ExportedValue | undefined => row.values[columnOf.get(column) ?? -1];
    const read = valuesOfRow(mapping, cellOf, identifying);
    if (read.kind === 'fault') {
      outcomes.push(failed(row, read.fault, read.property));
      continue;
    }
    const value = identifying && identifyingValueOf(read.values[identifying.property] as string, identifying);
    const looked = lookedForOf(settings, { key, cellOf, identifying: value });
    if (looked) {
      ready.push({ row, rowNo: row.rowNo, values: read.values, ...looked });
    } else {
      outcomes.push(failed(row, 'crm_no_key', null));
    }
  }
  return ready;
}

function lookedForOf(
  { record_id_column: recordIdColumn }: CrmOptions,
  row: {
    readonly key: RowKey | undefined;
    readonly cellOf: (column: string) => ExportedValue | undefined;
    readonly identifying: string | undefined;
  },
): Omit<LookedFor, 'rowNo'> | undefined {
  if (recordIdColumn !== undefined) {
    const recordId = String(row.cellOf(recordIdColumn) ?? '').trim();
    return recordId === '' ? undefined : { recordId, ownKey: null, identifying: undefined };
  }
  const ownKey = row.key && ownKeyOf(row.key, row.cellOf, row.identifying);
  return ownKey === undefined ? undefined : { recordId: null, ownKey, identifying: row.identifying };
}

/** A row with its plan and the action that it counts as. */
interface PlannedRow {
  readonly row: LeavingRow;
  readonly ownKey: string | null;
  readonly plan: Exclude<RowPlan, { action: 'failed' }>;
  readonly action: 'created' | 'updated' | 'skipped';
}

function planRows(
  options: DeliverRecordsOptions,
  ready: readonly ReadyRow[],
  known: { readonly found: ReadonlyMap<number, FoundForRow>; readonly earlier: readonly EarlierRow[] },
  outcomes: RowOutcome[],
): PlannedRow[] {
  const { settings, crm, mapping, properties, now } = options;
  const ahead = new Map(known.earlier.map(each => [each.rowNo, each]));
  const hasRecordIds = settings.record_id_column !== undefined;
  const planning = {
    mapping,
    identifying: crm.identifyingProperty(settings.object),
    creates: settings.creates !== false && !hasRecordIds,
    required: requiredOf(properties).map(({ name }) => name),
  };
  return ready.flatMap(({ row, ownKey, values }) => {
    const earlier = ahead.get(row.rowNo);
    if (earlier) {
      outcomes.push(behind(row, earlier, options.rows, now()));
      return [];
    }
    const found = known.found.get(row.rowNo);
    if (hasRecordIds && !found) {
      outcomes.push(failed(row, 'crm_gone', null));
      return [];
    }
    const plan = planRow(planning, { values }, found?.record);
    if (plan.action === 'failed') {
      outcomes.push(failed(row, plan.fault, plan.property));
      return [];
    }
    return [{ row, ownKey, plan, action: countedAs(row, plan, found) }];
  });
}

/**
 * An attempt without a recorded end may have done what it intended. So a record found by our key counts as created by
 * that attempt, and a record with nothing left to write as updated by it. This keeps the counts and the undo list
 * correct.
 */
function countedAs(
  { intent }: LeavingRow,
  plan: PlannedRow['plan'],
  found: FoundForRow | undefined,
): PlannedRow['action'] {
  if (intent === 'created' && found?.by === 'own_key') {
    return 'created';
  }
  return intent === 'updated' && found ? 'updated' : plan.action;
}

/** The outcome of a row with the same identity as an earlier one: the first counts, and the second waits for it. */
function behind(
  row: LeavingRow,
  { state, earlierRowNo }: EarlierRow,
  batch: readonly LeavingRow[],
  now: Date,
): RowOutcome {
  const shared = { rowNo: row.rowNo, attempts: row.attempts, statusCode: null, attemptedAt: null };
  if (state === 'delivered') {
    return {
      ...shared,
      state,
      fault: 'crm_same_record',
      retryAt: null,
      action: 'skipped',
      crmRecordId: null,
    };
  }
  const isHere = batch.some(({ rowNo }) => rowNo === earlierRowNo);
  return {
    ...shared,
    state: 'pending',
    fault: null,
    retryAt: isHere ? null : new Date(now.getTime() + waitsMs),
  };
}

function writeOf({ row: { rowNo }, ownKey, plan }: PlannedRow): RecordWrite {
  return {
    rowNo,
    recordId: recordIdOf(plan),
    ownKey: ownKey ?? '',
    values: plan.action === 'skipped' ? {} : plan.values,
  };
}

function recordIdOf(plan: PlannedRow['plan']): string | null {
  return plan.action === 'created' ? null : plan.recordId;
}

function delivered(
  { row, plan }: PlannedRow,
  action: PlannedRow['action'],
  crmRecordId: string | null,
): RowOutcome {
  const note = plan.action === 'skipped' ? plan.note : null;
  return {
    rowNo: row.rowNo,
    state: 'delivered',
    attempts: row.attempts,
    statusCode: null,
    fault: note && writeCrmRowFault(note.fault, note.property),
    retryAt: null,
    attemptedAt: null,
    action,
    crmRecordId,
  };
}

function failed(row: LeavingRow, fault: CrmRowFault, property: string | null): RowOutcome {
  const { rowNo, attempts } = row;
  const written = writeCrmRowFault(fault, property);
  return {
    rowNo,
    state: 'failed',
    attempts,
    statusCode: null,
    fault: written,
    retryAt: null,
    attemptedAt: null,
    ...mayBeCreated(row),
  };
}

/** A row whose earlier attempt may have created its record stays in the undo list; the undo looks for the record. */
function mayBeCreated({ intent }: LeavingRow): Pick<RowOutcome, 'action'> {
  return intent === 'created' ? { action: 'created' } : {};
}

function outcomeOf(
  { now, random }: DeliverRecordsOptions,
  planned: PlannedRow,
  result: WriteResult,
): RowOutcome {
  const attemptedAt = now();
  const attempts = planned.row.attempts + 1;
  if (result.outcome !== 'failed') {
    return {
      ...delivered(planned, actionOf(planned, result.outcome), result.recordId),
      attempts,
      attemptedAt,
    };
  }
  const isOver = !result.isTransient || attempts >= attemptsMax;
  return {
    rowNo: result.rowNo,
    state: isOver ? 'failed' : 'pending',
    attempts,
    statusCode: null,
    fault: writeCrmRowFault(faultOf(result.fault), result.fault.property),
    retryAt: isOver ? null : new Date(attemptedAt.getTime() + retryDelayMs(attempts, random)),
    attemptedAt,
    ...(isOver && mayBeCreated(planned.row)),
  };
}

/**
 * If a record with our key already existed at the time of creation, another push created it between our lookup and our
 * write, and undoing this push must not remove it. If an earlier attempt may have created the record, it belongs to
 * this push.
 */
function actionOf({ row, action }: PlannedRow, outcome: 'created' | 'updated'): PlannedRow['action'] {
  return action === 'created' && row.intent !== 'created' ? outcome : action;
}

function faultOf({ code }: CrmRecordFault): CrmRowFault {
  return `crm_${code}`;
}

/** The identity of a row as hashes, which are irreversible and comparable only within the export. */
function marksOf(exportId: ExportId, row: ReadyRow, found: FoundForRow | undefined): string[] {
  const mark = (kind: string, value: string) =>
    createHash('sha256').update(`${exportId}\n${kind}\n${value}`).digest('base64url').slice(0, 27);
  return [
    ...(row.ownKey === null ? [] : [mark('own_key', row.ownKey)]),
    ...(row.identifying === undefined ? [] : [mark('identifying', row.identifying)]),
    ...(found ? [mark('record', found.record.recordId)] : []),
  ];
}
